// SPDX-License-Identifier: MIT
// Writes a command's results: stdout, and files that replace no other file.
#include <errno.h>
#include <string.h>

#include "console.h"
#include "poise/ode_memory.h"

int poise__finish_output(int code) {
    // a missed goal is a result too
    const bool is_result = code == EXIT_DONE || code == EXIT_MISSED;
    if (is_result && poise_ode_memory_was_short()) {
        fputs("poise: memory is short\n", stderr);
        code = EXIT_INPUT;
    }
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "poise: cannot write the result: %s\n", strerror(errno ? errno : EIO));
    return is_result ? EXIT_INPUT : code;
}

void poise__print_left_out(const PoiseDiagnostics* diagnostics) {
    char text[400];
    if (poise_diagnostics_left_out(diagnostics, text, sizeof text)[0]) {
        fprintf(stderr, "poise: %s\n", text);
    }
}

bool poise__open_output(PoiseOutput* output, const char* path, const PoiseDiagnostics* inputs,
                        const char* const* others) {
    char text[400];
    const char* trouble = poise_output_open(output, path);
    const char* replaced = trouble ? NULL : poise_output_replaced(path, inputs);
    for (; !trouble && !replaced && *others; others++) {
        replaced = poise_output_replaces(output, *others) ? *others : NULL;
    }
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
