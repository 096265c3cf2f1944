# SPDX-License-Identifier: MIT
# Prints "file:line" of each expression in which two calls draw random numbers in an order that the
# compiler chooses: as arguments of one call, in one list in braces, or as operands of one operator. A call
# draws if one of its arguments is a generator (random, seed, state ...).

function open_level(letter) {
    level++
    kind[level] = letter
    units[level] = 0
    draws[level] = 0
}

# Counts an expression that draws at this level.
function add_unit() {
    draws[level] = 1
    if (++units[level] == 2 && reported != line) {
        print FILENAME ":" line
        reported = line
    }
}

# Called at the end of an argument: marks the call as drawing if the argument is a generator.
function end_argument() {
    if (kind[level] == "(" && argument ~ /^&?(random|seed|state|rng|fuzz)$/) {
        draws[level] = 1
    }
    argument = ""
}

function read_letter(letter,    drew) {
    if (letter ~ /[([{]/) {
        if (letter != "{" || level > 0 || assigns) {
            open_level(letter)
        } else {
            units[0] = 0 # a block
        }
        argument = ""
    } else if (letter ~ /[])}]/) {
        end_argument()
        drew = level > 0 && draws[level]
        level -= level > 0
        argument = "-"
        if (drew) {
            add_unit()
        }
    } else if (letter == "," || letter == ";") {
        end_argument()
        if (level == 0 || letter == ";") {
            units[level] = 0
        }
        assigns = assigns && (level > 0 || letter == ",")
    } else {
        if (letter ~ /[?:]/ || (letter ~ /[&|]/ && last == letter)) {
            units[level] = 0
        }
        argument = argument letter
        assigns = assigns || (level == 0 && letter == "=")
    }
}

FNR == 1 {
    level = units[0] = reported = assigns = 0
    argument = ""
}

{
    line = FNR
    gsub(/\\./, "")
    gsub(/"[^"]*"/, "0")
    gsub(/'[^']*'/, "0")
    sub(/\/\/.*/, "")
    if ($0 ~ /^#/) {
        next
    }
    for (i = 1; i <= length($0); i++) {
        letter = substr($0, i, 1)
        if (letter ~ /[ \t]/) {
            continue
        }
        read_letter(letter)
        last = letter
    }
}
