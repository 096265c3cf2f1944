// SPDX-License-Identifier: MIT
// Springs on joints, closures and what holds a point, called with what is no good.
#include <criterion/criterion.h>
#include <math.h>
#include <ode/ode.h>
#include <string.h>

#include "poise/closure.h"
#include "poise/forecast.h"
#include "poise/joint_spring.h"

static char said[300];

static void listen(PoiseSeverity severity, const char* message, void* user) {
    (void)severity, (void)user;
    snprintf(said, sizeof said, "%s", message);
}

Test(spring_refuses, what_it_cannot_be_put_on_is_said) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dBodyID body = dBodyCreate(world);
    dJointID joint = dJointCreateHinge(world, NULL);
    dJointAttach(joint, body, NULL);
    PoiseJointSpringDef def = poise_default_joint_spring_def();
    def.host.log = listen;
    cr_expect_null(poise_spring_on_joint(NULL, &def));
    cr_expect_not_null(strstr(said, "the joint is NULL"), "%s", said);
    dJointID fixed = dJointCreateFixed(world, NULL);
    dJointAttach(fixed, body, NULL);
    cr_expect_null(poise_spring_on_joint(fixed, &def));
    dJointID piston = dJointCreatePiston(world, NULL);
    dJointAttach(piston, body, NULL);
    dJointSetPistonAxis(piston, 0, 0, 1);
    cr_expect_null(poise_spring_on_joint(piston, &def));
    cr_expect_not_null(strstr(said, "both turns and slides"), "%s", said);
    dJointID loose = dJointCreateHinge(world, NULL);
    cr_expect_null(poise_spring_on_joint(loose, &def));
    cr_expect_not_null(strstr(said, "attach it first"), "%s", said);
    def.max_torque = 0.0;
    cr_expect_null(poise_spring_on_joint(joint, &def));
    memset(&def, 0, sizeof def);
    cr_expect_null(poise_spring_on_joint(joint, &def));
    cr_expect_eq(poise_joint_spring_axes(NULL), 0);
    cr_expect_eq(poise_joint_spring_update(NULL, 0.01), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_joint_spring_read(NULL, NULL), 0);
    cr_expect_eq(poise_joint_spring_given(NULL, NULL), 0);
    PoiseJointSpring* spring = poise_spring_on_joint(joint, NULL);
    cr_expect_eq(poise_joint_spring_update(spring, 0.0), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_joint_spring_set(spring, 1, (PoiseHingeDrive){{1, 1}, 0, 0}),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_joint_spring_set(spring, 0, (PoiseHingeDrive){{-1, 1}, 0, 0}),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_joint_spring_set_ball(
                     spring, (PoiseBallDrive){{1, 1}, poise_quat_identity(), {0, 0, 0}}),
                 POISE_ERROR_WRONG_KIND);
    static const PoiseHingeDrive bad_drives[] = {
        {{(double)INFINITY, 1}, 0, 0}, {{1, (double)INFINITY}, 0, 0}, {{1, -1}, 0, 0},
        {{1, 1}, (double)NAN, 0},      {{1, 1}, 0, (double)NAN},
    };
    for (size_t i = 0; i < sizeof bad_drives / sizeof *bad_drives; i++) {
        cr_expect_eq(poise_joint_spring_set(spring, 0, bad_drives[i]), POISE_ERROR_INVALID_ARGUMENT,
                     "drive %zu", i);
    }
    cr_expect_eq(poise_joint_spring_set(NULL, 0, (PoiseHingeDrive){{1, 1}, 0, 0}),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_joint_spring_update(spring, (double)INFINITY), POISE_ERROR_INVALID_ARGUMENT);
    // the joint goes first
    dJointDestroy(joint);
    cr_expect_eq(poise_joint_spring_update(spring, 0.01), POISE_ERROR_GONE);
    poise_joint_spring_destroy(spring);
    poise_joint_spring_destroy(NULL);
    dWorldDestroy(world);
    dCloseODE();
}

Test(spring_refuses, balls_that_are_to_go_nowhere) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dBodyID body = dBodyCreate(world);
    dJointID joint = dJointCreateBall(world, NULL);
    dJointAttach(joint, NULL, body);
    PoiseJointSpring* spring = poise_spring_on_joint(joint, NULL);
    cr_assert_not_null(spring);
    const double nan = (double)NAN, most = (double)INFINITY;
    const PoiseBallDrive bad[] = {
        {{-1, 1}, {1, 0, 0, 0}, {0, 0, 0}},   {{1, 1}, {0, 0, 0, 0}, {0, 0, 0}},
        {{1, 1}, {most, 0, 0, 0}, {0, 0, 0}}, {{1, 1}, {1, 0, 0, 0}, {nan, 0, 0}},
        {{1, 1}, {1, 0, 0, 0}, {0, most, 0}}, {{1, 1}, {1, 0, 0, 0}, {0, 0, nan}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(poise_joint_spring_set_ball(spring, bad[i]), POISE_ERROR_INVALID_ARGUMENT,
                     "drive %zu", i);
    }
    cr_expect_eq(poise_joint_spring_set_ball(NULL, bad[0]), POISE_ERROR_INVALID_ARGUMENT);
    // a body that rests is woken by a drive that changes, and by that alone
    const PoiseBallDrive good = {{1, 1}, {1, 0, 0, 0}, {0, 0, 0}};
    cr_expect_eq(poise_joint_spring_set_ball(spring, good), POISE_OK);
    cr_expect_eq(poise_joint_spring_update(spring, 0.01), POISE_OK);
    dBodyDisable(body);
    cr_expect_eq(poise_joint_spring_set_ball(spring, good), POISE_OK);
    cr_expect_eq(poise_joint_spring_update(spring, 0.01), POISE_OK);
    cr_expect_not(dBodyIsEnabled(body));
    const PoiseBallDrive other = {{2, 1}, {1, 0, 0, 0}, {0, 0, 0}};
    cr_expect_eq(poise_joint_spring_set_ball(spring, other), POISE_OK);
    cr_expect_eq(poise_joint_spring_update(spring, 0.01), POISE_OK);
    cr_expect(dBodyIsEnabled(body));
    // a joint that is switched off gives nothing
    dJointDisable(joint);
    cr_expect_eq(poise_joint_spring_update(spring, 0.01), POISE_DEGRADED);
    dBodyDestroy(body);
    double given[3] = {7, 7, 7};
    cr_expect_eq(poise_joint_spring_given(spring, given), 3);
    cr_expect(given[0] == 0.0 && given[1] == 0.0 && given[2] == 0.0);
    poise_joint_spring_destroy(spring);
    dWorldDestroy(world);
    dCloseODE();
}

Test(spring_refuses, closures_and_holds_of_nothing) {
    const PoiseVec3 none = poise_vec3(0, 0, 0);
    cr_expect_eq(poise_rig_add_closure(NULL, NULL), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_rig_remove_closure(NULL, NULL), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_rig_closure_count(NULL), 0);
    cr_expect_null(poise_rig_closure_joint(NULL, 0));
    cr_expect_eq(poise_forecast_friction_band(NULL, none, 0.5), 0.0);
    cr_expect(!(poise_length(poise_rig_place_in_link(NULL, poise_null_node(), none)) > 0.0));
}
