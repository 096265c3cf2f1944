// SPDX-License-Identifier: MIT
// Returns a study's keys, its figures, and the values of each run.
#include <math.h>

#include "study.h"

int poise_study_run_count(const PoiseStudy* study) {
    return study ? study->run_count : 0;
}

int poise_study_key_count(const PoiseStudy* study) {
    return study ? study->varied_count : 0;
}

const char* poise_study_key(const PoiseStudy* study, int key) {
    return study && key >= 0 && key < study->varied_count ? study->varied[key].key : "";
}

int poise_study_figure_count(const PoiseStudy* study) {
    return study ? study->figure_count : 0;
}

const char* poise_study_figure(const PoiseStudy* study, int figure) {
    return study && figure >= 0 && figure < study->figure_count ? study->figures[figure] : "";
}

uint64_t poise_study_fingerprint(const PoiseStudy* study) {
    return study ? study->fingerprint : 0;
}

// Returns a number in [0, 1): splitmix64 of seed, run and key.
static double drawn(const PoiseStudy* study, int run, int key) {
    uint64_t z = (uint64_t)study->seed * 0x9e3779b97f4a7c15 + (uint64_t)run * 0xd1342543de82ef95 +
                 (uint64_t)key + 1;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

const char* poise_study_value(const PoiseStudy* study, int run, int key, char* text,
                              size_t capacity) {
    if (!text || capacity == 0) {
        return "";
    }
    text[0] = '\0';
    if (!study || run < 0 || run >= study->run_count || key < 0 || key >= study->varied_count) {
        return text;
    }
    // The first key changes slowest, the draws fastest.
    int left = run / study->draws;
    for (int i = study->varied_count - 1; i > key; i--) {
        left /= study->varied[i].count;
    }
    const Vary* vary = &study->varied[key];
    const int index = left % vary->count;
    if (vary->kind == VARY_LIST) {
        snprintf(text, capacity, "%s", vary->values[index]);
        return text;
    }
    const double part = vary->kind == VARY_DRAW ? drawn(study, run, key)
                        : vary->count > 1       ? (double)index / (vary->count - 1)
                                                : 0.0;
    // 12 digits make the text the same on every machine, since pow may differ in its last digits.
    snprintf(text, capacity, "%.12g",
             vary->logarithmic ? vary->from * pow(vary->to / vary->from, part)
                               : vary->from + (vary->to - vary->from) * part);
    return text;
}
