# SPDX-License-Identifier: MIT
# Reads the tags of functions, and prints "length parameters name file:line" for each.

# Returns the number of parameters: the commas outside inner parentheses, plus one.
function parameters(signature,    i, letter, depth, count) {
    if (signature ~ /^\((void)?\)$/) {
        return 0
    }
    count = 1
    for (i = 1; i <= length(signature); i++) {
        letter = substr(signature, i, 1)
        depth += (letter == "(") - (letter == ")")
        count += letter == "," && depth == 1
    }
    return count
}

{
    first = last = 0
    signature = "()"
    for (i = 4; i <= NF; i++) {
        if ($i ~ /^line:/) first = substr($i, 6)
        if ($i ~ /^end:/) last = substr($i, 5)
        if ($i ~ /^signature:/) signature = substr($i, 11)
    }
    if (last > 0) {
        print last - first + 1, parameters(signature), $1 signature, $2 ":" first
    }
}
