// SPDX-License-Identifier: MIT
// The settings of a rig and of a joint's springs, unless a caller says otherwise.
#include <math.h>
#include <string.h>

#include "rig.h"

PoiseRigDef poise_default_rig_def(void) {
    PoiseRigDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_RIG;
    def.settings.gravity = true;
    def.settings.solve = poise_default_solve_def();
    def.settings.integral_most = 0.2;
    return def;
}

PoiseBindDef poise_default_bind_def(void) {
    PoiseBindDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_BIND;
    def.link_in_body = poise_pose_identity();
    def.zero = (double)NAN;
    def.ik.stiffness = 100.0;
    def.ik.damping = 10.0;
    def.torque_limit = HUGE_VAL;
    def.force_limit = HUGE_VAL;
    def.speed_limit = HUGE_VAL;
    return def;
}
