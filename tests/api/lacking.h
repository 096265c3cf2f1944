// SPDX-License-Identifier: MIT
// Declarations for the test of documented.awk. Seven have a comment that lacks one thing each, and
// the last has a complete comment.
POISE_API void poise_no_comment(void);

/// Sets the speed, m/s, >= 0.
POISE_API PoiseStatus poise_no_errors(PoiseThing* thing, double speed);

/// The coordinates of the thing, rad.
POISE_API void poise_no_shape(const PoiseThing* thing, double* q);

/// The mass of the thing; 0 for NULL.
POISE_API double poise_no_unit(const PoiseThing* thing);

/// The position of the thing, m.
POISE_API PoiseVec3 poise_no_frame(const PoiseThing* thing);

/// The torque of a spring, N m, at an angle, rad.
POISE_API double poise_no_range(PoiseSpring spring, double angle);

/// True if the thing is at rest; false for NULL.
bool poise_not_exported(const PoiseThing* thing);

/// The position of the thing, world, m. The origin for NULL.
POISE_API PoiseVec3 poise_nothing_lacking(const PoiseThing* thing);
