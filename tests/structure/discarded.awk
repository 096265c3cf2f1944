# SPDX-License-Identifier: MIT
# The calls of functions `names` (joined by |) that stand as a statement of their own, so that what
# they return is lost: a line that begins with the call, or with (void) before it, after a line that
# ends a statement or opens a block.
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
