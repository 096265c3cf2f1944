// SPDX-License-Identifier: MIT
// Step 4 of the tutorial: two springs on one joint, and the error of their sum (eqs. 24 to 26).
#include <math.h>
#include <stdio.h>

#include "poise/spring.h"

int main(void) {
    int wrong = 0;
    // the natural angle of the joint, and the angle that inverse kinematics asks for, rad
    double natural = 0.0, target = 1.0;
    printf("p_ik / p_orig   theta_new   misses by\n");
    for (double ratio = 1; ratio <= 1000; ratio *= 10) {
        PoiseHingeDrive original = {.target = natural, .spring = {100, 10}};
        PoiseHingeDrive ik = {.target = target, .spring = {100 * ratio, 10}};
        PoiseHingeDrive blend = poise_blend_hinge(original, ik);
        printf("%13.0f %11.6f %11.6f\n", ratio, blend.target, target - blend.target);
        // eq. 24: the error is the part p_orig / (p_orig + p_ik)
        wrong += fabs(target - blend.target - 1 / (1 + ratio)) > 1e-12;
        wrong += blend.spring.stiffness != 100 + 100 * ratio;
    }
    return wrong;
}
