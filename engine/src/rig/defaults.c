// SPDX-License-Identifier: MIT
// The default settings of a rig and of a joint's springs.
#include <math.h>

#include "rig.h"

PoiseRigDef poise_default_rig_def(void) {
    return (PoiseRigDef){.cookie = COOKIE_RIG,
                         .settings.gravity = true,
                         .settings.solve = poise_default_solve_def(),
                         .settings.integral_most = 0.2,
                         .settings.reconfigure_speed = 2.0,
                         .settings.approach_speed = 0.1};
}

PoiseBindDef poise_default_bind_def(void) {
    return (PoiseBindDef){.cookie = COOKIE_BIND,
                          .link_in_body = poise_pose_identity(),
                          .zero = (double)NAN,
                          .ik.stiffness = 100.0,
                          .ik.damping = 10.0,
                          .torque_limit = HUGE_VAL,
                          .force_limit = HUGE_VAL,
                          .speed_limit = HUGE_VAL};
}
