# SPDX-License-Identifier: MIT
# Public functions whose comment lacks something, "header: function: what" each: every one has a
# comment of its own, right above; one that returns a status names its errors, or the function that
# has the same; one that takes an array of numbers says how many or in what shape.
function complain(what) {
    print header ": " name ": " what
    wrong++
}
/^[ \t]*\/\/\// { comment = comment " " $0; next }
/^POISE_(API|NODISCARD)/ { declaration = ""; open = 1 }
open {
    declaration = declaration " " $0
    if ($0 !~ /;/) { next }
    open = 0
    total++
    match(declaration, /poise_[a-z0-9_]+[ ]*\(/)
    name = substr(declaration, RSTART, RLENGTH - 1)
    header = FILENAME
    sub(/.*poise\//, "", header)
    if (comment == "") {
        complain("no comment of its own")
    } else {
        if (declaration ~ /PoiseStatus poise_/ && comment !~ /POISE_ERROR_|POISE_OK|[Ee]rrors as|[Aa]s poise_/) {
            complain("returns a status and names no error")
        }
        if (declaration ~ /double\* [a-z]|double [a-z_0-9]+\[/ && comment !~ /number|row|count|capacity|written|gets|shape|three|posture|NULL|angles|as above|likewise|matrix|how many|POISE_MAX/) {
            complain("an array without its shape")
        }
    }
    comment = ""
    next
}
{ comment = "" }
END {
    if (total < 290) { print "only " total " functions were found"; exit 1 }
    if (wrong > 0) { exit 1 }
    print total " functions, each explained"
}
