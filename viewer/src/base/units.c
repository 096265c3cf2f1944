// SPDX-License-Identifier: MIT
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// A smaller force, torque or speed is shown as 0 in its unit, since rounding errors reach this
/// value and instruments do not measure it.
static const double NEGLIGIBLE = 1e-6;

const char* poise__length_text(double length, char text[POISE_UNIT_TEXT]) {
    const double size = fabs(length);
    if (size < 999.5e-6) {
        // a length that rounds to 0 is written without a sign
        snprintf(text, POISE_UNIT_TEXT, "%.0f um", size < 0.5e-6 ? 0.0 : 1e6 * length);
    } else if (size < 99.95e-3) {
        snprintf(text, POISE_UNIT_TEXT, "%.3g mm", 1e3 * length);
    } else if (size < 0.9995) {
        snprintf(text, POISE_UNIT_TEXT, "%.1f cm", 1e2 * length);
    } else {
        snprintf(text, POISE_UNIT_TEXT, size < 99.95 ? "%.2f m" : "%.0f m", length);
    }
    return text;
}

const char* poise__angle_text(double angle, char text[POISE_UNIT_TEXT]) {
    const double degrees = angle * 57.29577951308232;
    snprintf(text, POISE_UNIT_TEXT, "%.1f deg", fabs(degrees) < 0.05 ? 0.0 : degrees);
    return text;
}

const char* poise__value_text(double value, const char* unit, char text[POISE_UNIT_TEXT]) {
    const double size = fabs(value);
    const char* gap = unit[0] != '\0' ? " " : "";
    if (!isfinite(value)) {
        snprintf(text, POISE_UNIT_TEXT, "-");
    } else if (strcmp(unit, "m") == 0) {
        poise__length_text(value, text);
    } else if (size < NEGLIGIBLE && unit[0] != '\0') {
        snprintf(text, POISE_UNIT_TEXT, "0%s%s", gap, unit);
    } else if (size >= 999.5 && size < 1e7) {
        snprintf(text, POISE_UNIT_TEXT, "%.0f%s%s", value, gap, unit);
    } else if (size < 1e-3 && size >= 1e-5) {
        snprintf(text, POISE_UNIT_TEXT, "%.6f%s%s", value, gap, unit);
    } else {
        snprintf(text, POISE_UNIT_TEXT, "%.3g%s%s", value, gap, unit);
    }
    return text;
}
