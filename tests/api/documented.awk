# SPDX-License-Identifier: MIT
# Lists public functions whose comment is incomplete, as "header: function: what". Every function needs its own
# comment, directly above it, which says
#   - errors: one that returns a status names them, or the function that has the same; one that takes
#     a handle, an index or a key and returns something else says what it returns where there is none;
#   - shape: how many numbers an array has, or in what shape;
#   - unit: of each number, place or pose;
#   - frame: of each place, rotation or pose;
#   - range: which numbers are accepted;
# Each function must be exported (POISE_API) or inline.
# Facts about all functions of a header follow the word "Throughout:" at its head.
# With -v self=1 the script reads an example and must find each of these faults once.
function complain(what) {
    print header ": " name ": " what
    wrong++
    found[what]++
}
# true if the comment contains one of the words as a whole word
function has(words) {
    return has_in(said, words)
}
function has_in(text, words) {
    return text ~ ("(^|[^A-Za-z0-9_])(" words ")([^A-Za-z0-9_]|$)")
}
# true if the comment refers to another function or to a documented member
function refers() {
    return said ~ /[Aa]s poise_|[Ll]ikewise|[Ss]ee (Poise|poise_)|[Tt]he same|as above|as there|as [A-Z][A-Za-z]+ has it/
}
function look(    arguments, result, takes_number) {
    total++
    match(declaration, /poise_[a-z0-9_]+[ ]*\(/)
    name = substr(declaration, RSTART, RLENGTH - 1)
    result = substr(declaration, 1, RSTART - 1)
    arguments = substr(declaration, RSTART + RLENGTH)
    said = comment " " throughout
    gsub(/\/\/\//, "", said)
    gsub(/[ \t]+/, " ", said)
    # "rig's" has no seconds
    unit = said
    gsub(/'s /, " ", unit)
    # a shared library exports only such functions; ode_memory.h is for the programs alone
    if (declaration !~ /POISE_API|static inline/ && header != "ode_memory.h") {
        complain("exported")
    }
    if (comment == "") {
        complain("comment")
        return
    }
    if (result ~ /PoiseStatus/) {
        if (said !~ /POISE_ERROR_|POISE_OK|[Ee]rrors as|[Aa]s poise_/) {
            complain("errors")
        }
    } else if (arguments ~ /PoiseNodeId|PoisePointId|int (index|joint|body|owner|place)|char\* (key|name|path)/ &&
               !refers() && !has("handle|handles|[Nn]ull|NULL|past the end|none|no|any|another|identity|0|-1|false|\"\"")) {
        complain("errors")
    }
    if (arguments ~ /double\* [a-z]|double [a-z_0-9]+\[/ &&
        said !~ /number|row|count|capacity|written|gets|shape|three|posture|NULL|angles|as above|likewise|matrix|how many|POISE_MAX/) {
        complain("shape")
    }
    if ((arguments result) ~ /double|PoiseVec3|PoisePose/ && !refers() && !has_in(unit,
        "m|rad|N|s|kg|J|us|m/s|rad/s|m/N|SI|unit|units|factor|ratio|fraction|part|share|weight|bias|coefficient|priority|lambda|residual")) {
        complain("unit")
    }
    if ((arguments result) ~ /PoiseVec3|PoiseQuat|PoisePose/ && !refers() &&
        !has("[Ww]orld|[Ff]rame|[Ff]rames|world's|link's|body's|parent's|joint's|base|axes")) {
        complain("frame")
    }
    if (arguments ~ /(^|[ (])double [a-z_]+[,)]/ && !refers() &&
        !has("[Aa]ny|finite|>= 0|> 0|lower|range|ranges|infinite|infinity|accepted|not accepted|at most|at least|number|[0-9]\\.\\.[0-9a-z]+|between")) {
        complain("range")
    }
}
FNR == 1 {
    throughout = ""
    comment = ""
    head = 1
    header = FILENAME
    sub(/.*poise\//, "", header)
}
head && /^\/\// {
    if ($0 ~ /Throughout:/) { reading = 1 }
    if (reading) { throughout = throughout " " substr($0, 3) }
    next
}
{ head = 0; reading = 0 }
/^[ \t]*\/\/\// { comment = comment " " $0; next }
!open && /^(POISE_API|POISE_NODISCARD|static inline|(const )?[A-Za-z]+\*? poise_)/ && !/^typedef|;.*=/ {
    declaration = ""
    open = 1
}
open {
    declaration = declaration " " $0
    if ($0 !~ /[;{]/) { next }
    open = 0
    look()
    comment = ""
    next
}
{ comment = "" }
END {
    if (self) {
        for (what in found) { kinds++ }
        exit !(total == 8 && wrong == 7 && kinds == 7)
    }
    if (total < least) { print "only " total " functions were found"; exit 1 }
    if (wrong > 0) { exit 1 }
    print total " functions, each explained"
}
