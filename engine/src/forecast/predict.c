// SPDX-License-Identifier: MIT
// Foresees, on a likeness of the rig, where the springs come to rest ("if p_orig is too large the
// goal is missed", sec. 5.1), and how far a point gives way under a load there (compliance.c).
#include <string.h>

#include "compliance.h"

static PoiseStatus check_point(PoiseRig* rig, PoisePointId point, const char* call) {
    if (poise_point_is_valid(rig->tree, point)) {
        return POISE_OK;
    }
    return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                           "%s: point %u is null, destroyed, or of another tree", call,
                           (unsigned)point.index1);
}

static bool yields(const PoiseTree* tree, PoisePointId point) {
    double rows[36];
    return poise_point_enabled(tree, point) && poise_point_yield_rows(tree, point, rows) > 0;
}

PoiseStatus poise_rig_forecast(PoiseRig* rig, PoisePointId point, PoiseForecast* forecast) {
    const char* call = "poise_rig_forecast";
    if (!rig || !forecast) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus status = check_point(rig, point, call);
    if (status < 0) {
        return status;
    }
    memset(forecast, 0, sizeof *forecast);
    Ghost ghost;
    status = poise__ghost_open(&ghost, rig);
    if (status >= 0) {
        forecast->rests = poise__ghost_rest(&ghost);
        forecast->yields = yields(rig->tree, point);
        forecast->miss = poise_point_error(ghost.rig.tree, point);
        forecast->angle_miss = poise_point_angle_error(ghost.rig.tree, point);
        status = forecast->rests ? poise__compliance(&ghost, point, forecast) : POISE_NOT_CONVERGED;
    }
    poise__ghost_finish(&ghost);
    return status < 0 ? poise__rig_fail(rig, status, "%s: %s", call, poise_status_name(status))
                      : status;
}

PoiseStatus poise_rig_predicted_miss(PoiseRig* rig, PoisePointId point, double* miss,
                                     double* angle_miss) {
    const char* call = "poise_rig_predicted_miss";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus status = check_point(rig, point, call);
    if (status < 0) {
        return status;
    }
    Ghost ghost;
    status = poise__ghost_open(&ghost, rig);
    if (status >= 0) {
        status = poise__ghost_rest(&ghost) ? POISE_OK : POISE_NOT_CONVERGED;
        if (miss) {
            *miss = poise_point_error(ghost.rig.tree, point);
        }
        if (angle_miss) {
            *angle_miss = poise_point_angle_error(ghost.rig.tree, point);
        }
    }
    poise__ghost_finish(&ghost);
    return status < 0 ? poise__rig_fail(rig, status, "%s: %s", call, poise_status_name(status))
                      : status;
}
