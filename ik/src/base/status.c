// SPDX-License-Identifier: MIT
// Statuses by name, and the version.
#include "poise/base.h"
#include "version.h"

const char* poise_status_name(PoiseStatus status) {
    switch (status) {
    case POISE_OK:
        return "ok";
    case POISE_NOT_CONVERGED:
        return "not converged";
    case POISE_DEGRADED:
        return "degraded";
    case POISE_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    case POISE_ERROR_INVALID_ARGUMENT:
        return "invalid argument";
    case POISE_ERROR_INVALID_HANDLE:
        return "invalid handle";
    case POISE_ERROR_STALE:
        return "stale frames";
    case POISE_ERROR_CANNOT_MOVE:
        return "node cannot move the point";
    case POISE_ERROR_WRONG_KIND:
        return "wrong kind";
    case POISE_ERROR_ALREADY_BOUND:
        return "already bound";
    case POISE_ERROR_FOREIGN_WORLD:
        return "of another world";
    case POISE_ERROR_GONE:
        return "gone";
    }
    return "unknown status";
}

PoiseVersion poise_version(void) {
    return (PoiseVersion){POISE_VERSION_MAJOR, POISE_VERSION_MINOR, POISE_VERSION_PATCH};
}
