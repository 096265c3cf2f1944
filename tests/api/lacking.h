// SPDX-License-Identifier: MIT
// What documented.awk has to find: seven functions that lack something each, and one that lacks
// nothing.
POISE_API void poise_no_comment(void);

/// Sets the speed, m/s, >= 0.
POISE_API PoiseStatus poise_no_errors(PoiseThing* thing, double speed);

/// The coordinates of the thing, rad.
POISE_API void poise_no_shape(const PoiseThing* thing, double* q);

/// The mass of the thing; 0 for NULL.
POISE_API double poise_no_unit(const PoiseThing* thing);

/// Where the thing is, m.
POISE_API PoiseVec3 poise_no_frame(const PoiseThing* thing);

/// The torque of a spring, N m, that is drawn by an angle, rad.
POISE_API double poise_no_range(PoiseSpring spring, double angle);

/// Whether the thing is at rest; false for NULL.
bool poise_not_exported(const PoiseThing* thing);

/// Where the thing is, world, m. The origin for NULL.
POISE_API PoiseVec3 poise_nothing_lacking(const PoiseThing* thing);
