# SPDX-License-Identifier: MIT
# Counts the comments of C and C++ files, and those with a mark of a sentence that is hard to read: a
# beginning without a subject, an inverted or private expression, more than 28 words, or four commas.
# Needs -v folder=NAME -v lines=COUNT. The comments of adjacent lines are one comment.
BEGIN {
    begins = "^(of|to|as|with|without|where|what|whether|which|that|so|and|but|for|from|by|or|likewise|the same|one|none|nothing) "
    inverted = "(^| )(so (far|much|many|large|near) |as (far|much|many) as |nobody|what (is|was|it|they|comes|goes|stands|makes|gives) |(that|there) (is|are) none|none of (it|them)|is (told|said|led|gone|due)( |[.,;:]|$)|no (more|less|longer) than )"
    private = "(^| )(ways?|feels?|felt|rubs?|sights?|bears?|borne|alike|spent|loose|beside|leads?|led|drawn|wish|blame|roams|gives? way|goes on|comes to|hangs? on|stands? (firm|fast|on))( |[.,;:]|$)"
}

function is_marked(sentence, words) {
    words = split(sentence, unused, " ")
    return (sentence ~ begins && words > 4) || sentence ~ inverted || sentence ~ private || words > 28 ||
        gsub(/,/, ",", sentence) >= 4
}

function finish(count, i) {
    if (text == "") return
    comments++
    gsub(/[.;:] +/, "&\n", text)
    count = split(tolower(text), sentences, "\n *")
    for (i = 1; i <= count; i++) {
        if (is_marked(sentences[i])) {
            marked++
            break
        }
    }
    text = ""
}

FNR == 1 { finish() }
/SPDX|^ *\/\/ *-+/ { next }
/^ *\/\// {
    sub(/^ *\/+<? */, "")
    text = text (text == "" ? "" : " ") $0
    next
}
{ finish() }
/\/\// && !/"|:\/\// {
    sub(/.*\/\/+<? */, "")
    text = $0
    finish()
}
END {
    finish()
    printf "%s: %d lines, %d comments, %.1f %% to read twice\n", folder, lines, comments, comments ? 100 * marked / comments : 0
}
