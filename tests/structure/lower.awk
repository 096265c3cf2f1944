# SPDX-License-Identifier: MIT
# lower.awk FIGURES LIMITS: prints LIMITS, each row lowered to its figure where that is below. Lines
# of code are rounded up to the next 500, so that a small change does not touch the file.

FNR == NR { today[$1] = $2; next }
/^#/ || !($1 in today) { print; next }
{
    limit = today[$1]
    if ($1 ~ /^lines\./) {
        limit = 500 * int((limit + 499) / 500)
    }
    if (limit > $2) {
        limit = $2
    }
    printf "%-24s %6d %6d\n", $1, limit, $3
}
