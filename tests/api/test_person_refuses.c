// SPDX-License-Identifier: MIT
// Bad arguments of poise/person.h: each call refuses them and writes nothing.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "poise/person.h"

static void refuse_all(const PoisePersonDef* def, const PoisePersonPosture* posture,
                       const PoisePersonEnds* ends, const char* what) {
    PoisePersonEnds got;
    PoisePersonReport report;
    PoisePersonPosture changed;
    memset(&got, 7, sizeof got);
    const PoisePersonEnds before = got;
    cr_expect(poise_person_forward(def, posture, &got) == POISE_ERROR_INVALID_ARGUMENT, "%s", what);
    cr_expect(memcmp(&got, &before, sizeof got) == 0, "%s", what);
    changed = *posture;
    cr_expect(poise_person_solve(def, ends, &changed, &report) == POISE_ERROR_INVALID_ARGUMENT,
              "%s", what);
    cr_expect(poise_person_balance(def, ends, 1e-5, &changed, &report) ==
                  POISE_ERROR_INVALID_ARGUMENT,
              "%s", what);
    cr_expect(memcmp(&changed, posture, sizeof changed) == 0, "%s", what);
}

Test(person_refuses, whatever_is_no_good) {
    const PoisePersonDef good = poise_default_person_def();
    PoisePersonPosture posture = {.trunk = poise_pose_identity()};
    PoisePersonEnds ends;
    cr_assert(poise_person_forward(&good, &posture, &ends) == POISE_OK);
    cr_expect_null(poise_person_def_problem(&good));
    refuse_all(NULL, &posture, &ends, "no def");
    PoisePersonDef def = good;
    def.cookie = 0;
    refuse_all(&def, &posture, &ends, "a def of one's own");
    cr_expect_not_null(poise_person_def_problem(&def));
    def = good;
    def.trunk_mass = 0.0;
    refuse_all(&def, &posture, &ends, "no mass");
    def = good;
    def.leg_mass[3] = -1.0;
    refuse_all(&def, &posture, &ends, "a negative mass");
    def = good;
    def.hips[1].y = (double)NAN;
    refuse_all(&def, &posture, &ends, "a hip that is nowhere");
    def = good;
    def.arms[0].forearm = 0.0;
    refuse_all(&def, &posture, &ends, "a forearm of no length");
    PoisePersonPosture bad = posture;
    bad.arms[1][6] = (double)INFINITY;
    refuse_all(&good, &bad, &ends, "an endless angle");
    bad = posture;
    bad.trunk.q = poise_quat(0.0, 0.0, 0.0, 0.0);
    refuse_all(&good, &bad, &ends, "a trunk without a rotation");
    PoisePersonEnds nowhere = ends;
    nowhere.feet[0].p.z = (double)NAN;
    cr_expect(poise_person_solve(&good, &nowhere, &posture, NULL) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_person_solve(&good, NULL, &posture, NULL) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_person_balance(&good, &ends, 0.0, &posture, NULL) ==
              POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_person_forward(&good, NULL, &ends) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_person_forward(&good, &posture, NULL) == POISE_ERROR_INVALID_ARGUMENT);
}
