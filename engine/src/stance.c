// SPDX-License-Identifier: MIT
#include "rig_internal.h"

bool poise__has_stance(const PoiseRig* rig) {
    (void)rig;
    return false;
}
