# SPDX-License-Identifier: MIT
# What doxygen reads of a header: the comment at its head becomes that of the file, and the comment
# above a member of a struct is that of the members below it, too, as far as the next one.
function give(    i) {
    for (i = 1; i <= lines; i++) { print indent comment[i] }
}
FNR == 1 { head = 1; header = ARGV[1]; sub(/.*include\//, "", header) }
head && /^\/\/ SPDX/ { print "/// @file " header; next }
head && /^\/\// { sub(/^\/\//, "///"); sub(/^\/\/\/ Throughout:/, "/// **Throughout:**"); print; next }
head { head = 0 }
/^(typedef )?(struct|enum|union).*\{$/ { inside = /enum/ ? 0 : 1; own = 0; print; next }
/^}/ { inside = 0; lines = 0; own = 0; print; next }
!inside && /^\/\/\// { if (!own) { lines = 0 } own = 1; comment[++lines] = $0; print; next }
!inside { lines = 0; own = 0; print; next }
# inside a struct
/^    \/\/ / { sub(/\/\/ /, "/// ") }
/^    \/\/\// {
    if (!own) { lines = 0 }
    own = 1
    comment[++lines] = substr($0, 5)
    print
    next
}
/^    [^ ].*/ && !/\/\/\/</ && !own { indent = "    "; give() }
{ own = 0; print }
