// SPDX-License-Identifier: MIT
// Lengths and angles as a person reads them: never a power of ten where a word will do.
#ifndef POISE_UNITS_H
#define POISE_UNITS_H

enum { POISE_UNIT_TEXT = 32 };

/// m as "812 um", "12.3 mm", "45.6 cm" or "1.55 m"; into `text`, which it returns.
const char* poise__length_text(double length, char text[POISE_UNIT_TEXT]);
/// rad as "12.3 deg".
const char* poise__angle_text(double angle, char text[POISE_UNIT_TEXT]);
/// Three digits and a unit, "1550 N m", "0.00012 J".
const char* poise__value_text(double value, const char* unit, char text[POISE_UNIT_TEXT]);

#endif
