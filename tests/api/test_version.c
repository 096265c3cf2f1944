// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <string.h>

#include "poise/base.h"

Test(version, is_the_projects) {
    PoiseVersion version = poise_version();
    cr_expect_eq(version.major, PROJECT_VERSION_MAJOR);
    cr_expect_eq(version.minor, PROJECT_VERSION_MINOR);
    cr_expect_eq(version.patch, PROJECT_VERSION_PATCH);
}

Test(version, of_the_headers_is_the_librarys) {
    const PoiseVersion version = poise_version();
    cr_expect_eq(POISE_VERSION_MAJOR, version.major);
    cr_expect_eq(POISE_VERSION_MINOR, version.minor);
    cr_expect_eq(POISE_VERSION_PATCH, version.patch);
#if POISE_VERSION >= 100 && POISE_VERSION < 1000000
    cr_expect_eq(POISE_VERSION, 10000 * version.major + 100 * version.minor + version.patch);
#else
    cr_expect(false, "the preprocessor cannot compare POISE_VERSION");
#endif
}

Test(version, every_status_has_a_word) {
    for (int status = -100; status <= 100; status++) {
        const char* name = poise_status_name((PoiseStatus)status);
        cr_assert_not_null(name, "status %d", status);
        cr_expect_gt(strlen(name), 0u, "status %d", status);
    }
    cr_expect_str_eq(poise_status_name(POISE_OK), "ok");
    cr_expect_str_neq(poise_status_name(POISE_ERROR_STALE), poise_status_name(POISE_OK));
}
