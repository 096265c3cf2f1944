// SPDX-License-Identifier: MIT
// Prints lengths and angles for a person, with a unit that replaces the power of ten.
#ifndef POISE_UNITS_H
#define POISE_UNITS_H

enum { POISE_UNIT_TEXT = 32 };

/// Writes a length in m as "812 um", "12.3 mm", "45.6 cm" or "1.55 m" into `text`; returns `text`.
const char* poise__length_text(double length, char text[POISE_UNIT_TEXT]);
/// Writes an angle in rad as "12.3 deg".
const char* poise__angle_text(double angle, char text[POISE_UNIT_TEXT]);
/// Writes three digits and a unit, for example "1550 N m" or "0.00012 J"; a value in m like
/// poise__length_text.
const char* poise__value_text(double value, const char* unit, char text[POISE_UNIT_TEXT]);

#endif
