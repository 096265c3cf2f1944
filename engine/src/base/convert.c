// SPDX-License-Identifier: MIT
// Predicates of ODE bodies.
#include "convert.h"

bool poise__body_is_dynamic(dBodyID body) {
    return body && !dBodyIsKinematic(body);
}
