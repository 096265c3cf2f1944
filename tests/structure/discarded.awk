# SPDX-License-Identifier: MIT
# Prints calls of the functions `names` (joined by |) whose result is discarded: the call is a statement of
# its own. The line begins with the call, or with (void) before it, and the line before ends a statement or
# opens a block.
FNR == 1 {
    pattern = "^ +(\\(void\\) ?)?(" names ")\\("
    before = ";"
}
{
    line = $0
    sub(/ *\/\/.*/, "", line)
    if (line ~ pattern && before ~ /([;{}:]|^ +(if|for|while) .*\)|else)$/) {
        print FILENAME ":" FNR ": " $0
    }
    if (line !~ /^ *$/) {
        before = line
    }
}
