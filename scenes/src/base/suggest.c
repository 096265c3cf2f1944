// SPDX-License-Identifier: MIT
// "Did you mean": finds the name that is most similar to the written one.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "diagnostics.h"
#include "poise/reading.h"

// Largest number of letters of a text that are compared.
#define LETTERS 63

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int letter_count(const char* text) {
    size_t length = strlen(text);
    return length < LETTERS ? (int)length : LETTERS;
}

static int lower_case(char letter) {
    return tolower((unsigned char)letter);
}

int poise__edit_distance(const char* a, const char* b) {
    int length_a = letter_count(a);
    int length_b = letter_count(b);
    // Three rows of the table of Damerau and Levenshtein.
    int rows[3][LETTERS + 1];
    int* before = rows[0];
    int* last = rows[1];
    int* row = rows[2];
    for (int j = 0; j <= length_b; j++) {
        before[j] = 0;
        last[j] = j;
    }
    for (int i = 1; i <= length_a; i++) {
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            bool same = lower_case(a[i - 1]) == lower_case(b[j - 1]);
            int best = smaller(last[j - 1] + (same ? 0 : 1), smaller(last[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                           lower_case(a[i - 2]) == lower_case(b[j - 1]);
            row[j] = swapped ? smaller(best, before[j - 2] + 1) : best;
        }
        int* oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[length_b];
}

Suggestion poise__suggestion(const char* written) {
    return (Suggestion){.written = written};
}

static void keep_if_better(Suggestion* suggestion, const char* candidate, bool synonym,
                           int distance) {
    bool better = !suggestion->best || (synonym && !suggestion->synonym) ||
                  (synonym == suggestion->synonym && distance < suggestion->distance);
    if (better) {
        suggestion->best = candidate;
        suggestion->synonym = synonym;
        suggestion->distance = distance;
    }
}

// True if the suggestion is not shown, or the budget of comparisons is used up.
static bool is_used_up(const Suggestion* suggestion) {
    return suggestion->mute ||
           (suggestion->compared && *suggestion->compared > suggestion->most_compared);
}

static void offer_as(Suggestion* suggestion, const char* compared, const char* candidate) {
    if (is_used_up(suggestion)) {
        return;
    }
    int length = letter_count(suggestion->written);
    if (suggestion->compared) {
        *suggestion->compared += (long)(length + 1) * (letter_count(compared) + 1);
    }
    int allowed = length < 2 ? 0 : length < 4 ? 1 : (length + 2) / 3;
    int distance = poise__edit_distance(suggestion->written, compared);
    if (distance <= allowed) {
        keep_if_better(suggestion, candidate, false, distance);
    }
}

void poise__suggestion_offer(Suggestion* suggestion, const char* candidate) {
    offer_as(suggestion, candidate, candidate);
}

void poise__suggestion_offer_word(Suggestion* suggestion, const char* candidate) {
    int rank = is_used_up(suggestion) ? -1 : poise__synonym_rank(suggestion->written, candidate);
    if (rank >= 0) {
        keep_if_better(suggestion, candidate, true, rank);
    } else {
        offer_as(suggestion, candidate, candidate);
    }
}

static bool ends_word(char letter) {
    return !isalnum((unsigned char)letter);
}

// True if `name` contains the word, with no letter or digit before or after it.
static bool has_word(const char* name, const char* word) {
    size_t length = strlen(word);
    for (const char* start = name; length > 0 && *start; start++) {
        size_t same = 0;
        while (same < length && lower_case(start[same]) == lower_case(word[same])) {
            same++;
        }
        if (same == length && (start == name || ends_word(start[-1])) && ends_word(start[length])) {
            return true;
        }
    }
    return false;
}

void poise__suggestion_offer_as(Suggestion* suggestion, const char* compared,
                                const char* candidate) {
    const char* slash = strrchr(compared, '/');
    offer_as(suggestion, compared, candidate);
    if (slash) {
        offer_as(suggestion, slash + 1, candidate);
    }
    if (!is_used_up(suggestion) && has_word(compared, suggestion->written)) {
        // A matching word ranks below every misspelt name; a shorter name is better.
        keep_if_better(suggestion, candidate, false, LETTERS + (int)strlen(compared));
    }
}

void poise__suggestion_offer_path(Suggestion* suggestion, const char* candidate) {
    poise__suggestion_offer_as(suggestion, candidate, candidate);
}

void poise__suggestion_offer_fitting(Suggestion* suggestion, const char* name,
                                     bool (*fits)(const char* pattern, const char* name),
                                     Arena* arena) {
    // Tries each beginning of the name in place of the text before the first wildcard.
    const char* wildcards = suggestion->written + strcspn(suggestion->written, "*?");
    for (size_t length = 1; length <= strlen(name) && !is_used_up(suggestion); length++) {
        const char* pattern = poise__arena_format(arena, "%.*s%s", (int)length, name, wildcards);
        if (pattern && fits(pattern, name)) {
            poise__suggestion_offer_path(suggestion, pattern);
        }
    }
}

const char* poise_scene_guess(const char* written, const char* const* candidates, int count,
                              char* text, size_t capacity) {
    if (!text || capacity == 0) {
        return "";
    }
    Suggestion suggestion = poise__suggestion(written ? written : "");
    for (int i = 0; candidates && i < count; i++) {
        poise__suggestion_offer_path(&suggestion, candidates[i]);
    }
    return poise__suggestion_text(&suggestion, text, capacity);
}

const char* poise_word_guess(const char* written, const char* const* candidates, int count,
                             char* text, size_t capacity) {
    if (!text || capacity == 0) {
        return "";
    }
    Suggestion suggestion = poise__suggestion(written ? written : "");
    for (int i = 0; candidates && i < count; i++) {
        poise__suggestion_offer_word(&suggestion, candidates[i]);
    }
    return poise__suggestion_text(&suggestion, text, capacity);
}

const char* poise__suggestion_text(const Suggestion* suggestion, char* text, size_t capacity) {
    text[0] = '\0';
    if (suggestion->best && suggestion->synonym) {
        snprintf(text, capacity, "; here it is called '%s'", suggestion->best);
    } else if (suggestion->best) {
        snprintf(text, capacity, "; did you mean '%s'?", suggestion->best);
    }
    return text;
}
