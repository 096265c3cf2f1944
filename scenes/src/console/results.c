// SPDX-License-Identifier: MIT
// What a command writes: stdout, and files that take no other's place.
#include <errno.h>
#include <string.h>

#include "console.h"
#include "poise/ode_memory.h"

int poise__finish_output(int code) {
    if (code == EXIT_DONE && poise_ode_memory_was_short()) {
        fputs("poise: memory is short\n", stderr);
        code = EXIT_INPUT;
    }
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "poise: cannot write the result: %s\n", strerror(errno ? errno : EIO));
    return code == EXIT_DONE ? EXIT_INPUT : code;
}

void poise__print_left_out(const PoiseDiagnostics* diagnostics) {
    char text[400];
    if (poise_diagnostics_left_out(diagnostics, text, sizeof text)[0]) {
        fprintf(stderr, "poise: %s\n", text);
    }
}

// the file that the output would replace and must not, NULL for none
static const char* find_replaced(const PoiseOutput* output, const PoiseDiagnostics* inputs,
                                 const char* const* others) {
    const char* path = NULL;
    for (int i = 0; (path = poise_diagnostics_file(inputs, i)) != NULL; i++) {
        if (poise_output_replaces(output, path)) {
            return path;
        }
    }
    for (; *others && !poise_output_replaces(output, *others); others++) {
    }
    return *others;
}

bool poise__open_output(PoiseOutput* output, const char* path, const PoiseDiagnostics* inputs,
                        const char* const* others) {
    char text[400];
    const char* trouble = poise_output_open(output, path);
    const char* replaced = trouble ? NULL : find_replaced(output, inputs, others);
    if (replaced) {
        snprintf(text, sizeof text, "it would replace '%.300s'", replaced);
        trouble = text;
    }
    return !trouble || poise__close_output(output, path, trouble);
}

bool poise__close_output(PoiseOutput* output, const char* path, const char* trouble) {
    if (trouble) {
        poise_output_drop(output);
    } else {
        trouble = poise_output_close(output);
    }
    if (trouble) {
        fprintf(stderr, "poise: %s: cannot be written: %s\n", path, trouble);
    }
    return !trouble;
}
