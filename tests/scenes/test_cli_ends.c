// SPDX-License-Identifier: MIT
// How a run ends that cannot go on: short of memory.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "pace.h"

// a hanging chain of so many hinges as URDF
static void write_chain(const CliFolder* folder, const char* name, int joints) {
    size_t capacity = 400 * (size_t)(joints + 1) + 100;
    char* text = malloc(capacity);
    cr_assert_not_null(text);
    size_t used = (size_t)snprintf(text, capacity, "<robot name=\"chain\"><link name=\"l0\"/>\n");
    for (int i = 0; i < joints; i++) {
        used += (size_t)snprintf(
            text + used, capacity - used,
            "<link name=\"l%d\"><inertial><mass value=\"0.1\"/><inertia ixx=\"0.01\" iyy=\"0.01\" "
            "izz=\"0.01\"/></inertial></link>\n<joint name=\"j%d\" type=\"continuous\"><parent "
            "link=\"l%d\"/><child link=\"l%d\"/><origin xyz=\"0.1 0 0\"/><axis xyz=\"0 1 0\"/>"
            "</joint>\n",
            i + 1, i, i, i + 1);
    }
    used += (size_t)snprintf(text + used, capacity - used, "</robot>\n");
    cli_write(folder, name, text, used);
    free(text);
}

// the matrix of one step takes 100 MB. Such a run ended with 0, and nothing had moved
Test(cli_ends, a_step_without_memory_ends_the_run) {
#ifdef POISE_TEST_SLOW
    cr_skip("a sanitizer takes address space of its own");
#endif
    CliFolder folder = cli_folder_create();
    static CliEnd end;
    write_chain(&folder, "chain.urdf", 600);
    CliCall call = {.folder = &folder,
                    .arguments = (const char* const[]){"run", "chain.urdf", "--seconds", "0.02",
                                                       "--json", NULL},
                    .memory = 60L << 20};
    cli_call(&call, &end);
    cli_expect_calm(&end, "short");
    cr_expect_eq(end.code, 3, "%d", end.code);
    cr_expect(strstr(end.err, "memory is short: no step was made after 0 s"), "%s", end.err);
    cr_expect(strstr(end.out, "\"steps\": 0") && strstr(end.out, "\"status\": \"out_of_memory\""),
              "%.300s", end.out);
    call.memory = 0;
    cli_call(&call, &end);
    cr_expect_eq(end.code, 0, "%s", end.err);
    cli_folder_destroy(&folder);
}
