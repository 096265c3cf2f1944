// SPDX-License-Identifier: MIT
// Frames of ODE bodies as ours.
#include "convert.h"

bool poise__body_is_dynamic(dBodyID body) {
    return body && !dBodyIsKinematic(body);
}
