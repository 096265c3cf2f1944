# SPDX-License-Identifier: MIT
# Finds files that call each other in a circle. Reads lines "file defined|wanted symbol". Prints a line for
# each file of `layer` that reaches itself through symbols of other files: its name, and the files of its
# circle that it calls, each with one symbol. With by=folder: folders of the layer instead of files.

function place(file) {
    if (by == "folder") {
        sub(/\/[^\/]*$/, "", file)
    }
    return file
}

index($1, layer "/") == 1 && $2 == "defined" { owner[$3] = $1 }
index($1, layer "/") == 1 && $2 == "wanted" {
    wants[++count] = $1
    symbol[count] = $3
}

# reach(from): sets reached[from, *] for all places that calls reach from there.
function reach(from,    queue, first, last, at, n, i, next_places) {
    queue[last = 1] = from
    for (first = 1; first <= last; first++) {
        at = queue[first]
        n = split(calls[at], next_places, "\n")
        for (i = 2; i <= n; i++) {
            if (!((from, next_places[i]) in reached)) {
                reached[from, next_places[i]] = 1
                queue[++last] = next_places[i]
            }
        }
    }
}

END {
    for (i = 1; i <= count; i++) {
        if (!(symbol[i] in owner)) {
            continue
        }
        from = place(wants[i])
        to = place(owner[symbol[i]])
        if (from != to && !((from, to) in by_symbol)) {
            by_symbol[from, to] = symbol[i]
            calls[from] = calls[from] "\n" to
        }
    }
    for (from in calls) {
        reach(from)
    }
    for (from in calls) {
        if (!((from, from) in reached)) {
            continue
        }
        line = from ":"
        n = split(calls[from], next_places, "\n")
        for (i = 2; i <= n; i++) {
            if ((next_places[i], from) in reached) {
                line = line " " next_places[i] " (" by_symbol[from, next_places[i]] ")"
            }
        }
        print line | "sort"
    }
}
