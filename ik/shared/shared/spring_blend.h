// SPDX-License-Identifier: MIT
// Combines two springs of a hinge or slider into one (eqs. 24-26), inline. ik and the engine use
// this header; it is not installed.
#ifndef POISE_SPRING_BLEND_H
#define POISE_SPRING_BLEND_H

#include "poise/spring.h"

/// Returns second / (first + second) for numbers >= 0; 1 if both are 0.
static inline double poise_second_part(double first, double second) {
    const double sum = first + second;
    return sum > 0.0 ? second / sum : 1.0;
}

/// Returns the stiffness and the damping of two springs on one joint.
static inline PoiseSpring poise_spring_sum(PoiseSpring a, PoiseSpring b) {
    PoiseSpring sum;
    sum.stiffness = a.stiffness + b.stiffness; // eq. 25
    sum.damping = a.damping + b.damping;       // eq. 26
    return sum;
}

/// The inline form of poise_blend_hinge.
static inline PoiseHingeDrive poise_hinge_blended(PoiseHingeDrive original, PoiseHingeDrive ik) {
    PoiseHingeDrive blended;
    blended.spring = poise_spring_sum(original.spring, ik.spring);
    // eq. 24 as a convex sum, exact when either stiffness is zero
    const double w = poise_second_part(original.spring.stiffness, ik.spring.stiffness);
    blended.target = (1.0 - w) * original.target + w * ik.target;
    // not in eq. 26: the mean of the velocities to which the two dampers pull
    const double u = poise_second_part(original.spring.damping, ik.spring.damping);
    blended.velocity =
        blended.spring.damping > 0.0 ? (1.0 - u) * original.velocity + u * ik.velocity : 0.0;
    return blended;
}

#endif
