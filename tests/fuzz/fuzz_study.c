// SPDX-License-Identifier: MIT
// Studies. The first line is what the command line would set (`seconds=2`, `vary.KEY=VALUES`,
// separated by `;`), the rest is the study's file. Any input must give findings or a study; each
// value of a study has a text, and a run gives a row with a status. Seeds: tests/fuzz/seeds/study.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demand.h"
#include "host.h"
#include "poise/study.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { PATH = 64, MOST_SETTINGS = 8, MOST_LINE = 512, MOST_FIGURES = 64, RUNS = 2 };

// Fills `settings` with the parts of the line, which it cuts; the last one shortens each run.
static int cut_settings(char* line, const char* settings[MOST_SETTINGS]) {
    int count = 0;
    char* rest = NULL;
    for (char* part = strtok_r(line, ";", &rest); part && count < MOST_SETTINGS - 1;
         part = strtok_r(NULL, ";", &rest)) {
        settings[count++] = part;
    }
    settings[count++] = "seconds=0.005";
    return count;
}

// True if no key changes how many steps a run takes.
static bool is_short(const PoiseStudy* study) {
    for (int k = 0; k < poise_study_key_count(study); k++) {
        if (strstr(poise_study_key(study, k), "step") ||
            strstr(poise_study_key(study, k), "world")) {
            return false;
        }
    }
    return poise_study_figure_count(study) <= MOST_FIGURES;
}

static void use(const PoiseStudy* study) {
    char text[POISE_STUDY_VALUE];
    double figures[MOST_FIGURES];
    const int count = poise_study_run_count(study);
    const int runs[RUNS] = {0, count - 1};
    demand(count > 0, "a study without a run");
    for (int r = 0; r < RUNS; r++) {
        for (int k = 0; k < poise_study_key_count(study); k++) {
            (void)poise_study_value(study, runs[r], k, text, sizeof text);
            demand(text[0] != '\0' || poise_study_key(study, k)[0] != '\0', "a key without a name");
        }
        if (is_short(study)) {
            PoiseStudyRow row = {.figures = figures};
            const PoiseStatus status = poise_study_run(study, runs[r], &row);
            demand(status < 0 || (row.status && row.status[0] != '\0'), "a row without a status");
            demand(status < 0 || strcmp(row.status, "ok") == 0 || row.reason[0] != '\0',
                   "a run that is not ok has a reason");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const uint8_t* end = size > 0 ? memchr(data, '\n', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : 0;
    if (!end || length >= MOST_LINE) {
        return 0;
    }
    char line[MOST_LINE];
    memcpy(line, data, length);
    line[length] = '\0';
    const char* settings[MOST_SETTINGS];
    const int file = memfd_create("study", 0);
    const size_t rest = size - length - 1;
    demand(file >= 0 && write(file, end + 1, rest) == (ssize_t)rest, "a file");
    char path[PATH];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    TestHost counter = {0};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const PoiseStudySource source = {.path = path,
                                     .settings = settings,
                                     .setting_count = cut_settings(line, settings),
                                     .host = test_host(&counter)};
    PoiseStudy* study = poise_study_load(&source, diagnostics);
    const int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    demand((study != NULL) == (errors == 0), "a study and errors, or neither");
    if (study) {
        use(study);
    }
    poise_study_destroy(study);
    poise_diagnostics_destroy(diagnostics);
    demand(counter.live_blocks == 0, "memory that was not given back");
    close(file);
    return 0;
}
