# SPDX-License-Identifier: MIT
# Sums up what `gcov -t -b -c` prints of the sources of one layer; see tests/coverage/run.

function note(text) {
    printf "%s:%d: %s: %s\n", file, number, text, code >>holes
}

function complain(text) {
    printf "%s:%d: %s\n", file, number, text >"/dev/stderr"
    wrong++
}

# what the marker of the last line claims, once its branches are known
function end_line() {
    if (claim == "one way" && line_taken == line_branches) {
        complain("its marker `one way` is not true: each branch is taken")
    }
    claim = ""
    line_branches = line_taken = 0
}

function end_file() {
    end_line()
    if (file != "" && file_lines > 0) {
        percent = file_branches == 0 ? 100 : 100 * file_taken / file_branches
        printf "%7.2f lines %7.2f branches  %s\n", 100 * file_reached / file_lines, percent, file >>files
    }
    lines += file_lines
    reached += file_reached
    branches += file_branches
    taken += file_taken
    file_lines = file_reached = file_branches = file_taken = 0
    waiting = ""
}

# remembers a marker that the line has
function read_marker() {
    if (!match(code, /\/\/ (unreachable|one way):/)) {
        return
    }
    waiting = code ~ /\/\/ unreachable:/ ? "unreachable" : "one way"
    reason = substr(code, RSTART + RLENGTH)
    if (split(reason, words, " ") < 3) {
        complain("its marker has no reason in words")
    }
}

/^ *-: *0:/ {
    if (sub(/^ *-: *0:Source:(\.\.\/)*/, "")) {
        end_file()
        if (index($0, root) == 1) {
            $0 = substr($0, length(root) + 1)
        }
        own = index($0, layer) == 1 && /\.c$/
        file = own ? $0 : ""
    }
    next
}

own && /^ *[-#=0-9*]+: *[0-9]+:/ {
    end_line()
    split($0, part, ":")
    count = part[1]
    number = part[2] + 0
    code = substr($0, length(part[1]) + length(part[2]) + 3)
    sub(/^ +/, "", code)
    gsub(/[ *]/, "", count)
    read_marker()
    if (count == "-") {
        next
    }
    claim = waiting
    waiting = ""
    executed = count !~ /^[#=]+$/
    if (claim == "unreachable") {
        if (executed) {
            complain("its marker `unreachable` is not true: a test reaches it")
        }
        next
    }
    if (claim == "one way" && !executed) {
        complain("its marker `one way` is not true: no test reaches the line")
    }
    file_lines++
    file_reached += executed
    if (!executed) {
        note("never executed")
    }
    next
}

own && /^branch / && claim != "unreachable" {
    line_branches++
    was_taken = /taken [1-9]/
    line_taken += was_taken
    if (was_taken || claim != "one way") {
        file_branches++
        file_taken += was_taken
    }
    if (executed && !was_taken && claim != "one way") {
        note("branch " $2 " never taken")
    }
}

END {
    end_file()
    if (lines == 0) {
        exit 1
    }
    printf "lines %.2f\nbranches %.2f\nwrong %d\n", 100 * reached / lines, 100 * taken / branches, wrong
}
