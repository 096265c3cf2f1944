// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>

#include "mechanism.h"
#include "near.h"

Test(statics, x) {
    for (int r = 0; r < 2; r++)
    for (int k = 1; k <= 3; k++)
    for (double p = 1e3; p <= 1e6; p *= 10)
    for (int s = 0; s < 2; s++) {
        ChainDef def = chain_def((PoiseNodeKind)k, 1, p, p / 10);
        def.reference = (PoiseReference)r;
        Mechanism m;
        chain_open(&m, &def);
        PoiseSolveDef solve = poise_default_rig_def().solve;
        solve.solver = s ? POISE_SOLVER_GAUSS_SEIDEL : POISE_SOLVER_DUAL;
        (void)poise_rig_set_solve(m.rig, &solve);
        PoiseVec3 was = body_place(m.bodies[0]);
        for (int i = 0; i < 3000; i++) {
            if (k == 2) dBodyAddForce(m.bodies[0], 0, 0, 100.0);
            else dBodyAddTorque(m.bodies[0], 0, 0, 100.0);
            mechanism_step(&m, 0.01);
        }
        double moved = k == 2 ? body_place(m.bodies[0]).z - was.z : poise_quat_log(body_turn(m.bodies[0])).z;
        cr_log_warn("ref %d kind %d p %g solver %d: %.9g relative %g", r, k, p, s, moved, moved / (100 / p) - 1);
        mechanism_close(&m);
    }
}
