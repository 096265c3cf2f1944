// SPDX-License-Identifier: MIT
// Checks of a rig's features with one kind of joint.
#ifndef POISE_TEST_FEATURE_CHECKS_H
#define POISE_TEST_FEATURE_CHECKS_H

#include "kinds.h"

void check_clamp(const KindCase* kind);
void check_null_space(const KindCase* kind);
void check_stop(const KindCase* kind);
void check_stop_force(const KindCase* kind);
void check_winding(const KindCase* kind);
void check_integral(const KindCase* kind);
void check_limit(const KindCase* kind);
void check_gravity(const KindCase* kind);
void check_import(const KindCase* kind);
void check_snapshot(const KindCase* kind);
void check_base(const KindCase* kind);
void check_natural(const KindCase* kind);

#endif
