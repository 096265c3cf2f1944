// SPDX-License-Identifier: MIT
// Extreme gains, steps and mass ratios: 1e-6..1e12 N m/rad, 1e-5..0.1 s, 1..1e4 in either
// direction. No NaN, no end of the process, no more energy than springs and weight bring in, joints
// that hold. The cells that ODE does not hold without springs are listed, in engine/README.md too.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "mechanism.h"
#include "sample.h"

// A joint holds if its gap is at most this, m; links are 1 m long.
static const double APART = 0.2;

enum { LINKS = 3, LONG = 200 };

typedef struct Cell {
    double p;
    double d;
    double h;
    double ratio; ///< mass of the last link divided by that of each other link
    PoiseReference reference;
    double length; ///< length of a link, m
    double mass;   ///< mass of the lightest link, kg
    int links;
} Cell;

typedef struct Worst {
    double energy;  ///< largest energy above that at the start, J
    double stretch; ///< largest gap of a joint, m
    double spring;  ///< largest energy of the springs, J
    bool finite;
    bool told; ///< True if a warning said that the step is too long for the weight
} Worst;

static double energy_of(const Mechanism* m) {
    double sum = mechanism_kinetic_energy(m);
    for (int i = 0; i < m->body_count; i++) {
        dMass mass;
        dBodyGetMass(m->bodies[i], &mass);
        sum += 9.81 * mass.mass * dBodyGetPosition(m->bodies[i])[1];
    }
    return sum;
}

static double stretch_of(const Mechanism* m) {
    double worst = 0.0;
    for (int i = 0; i < m->joint_count; i++) {
        dVector3 a, b;
        dJointGetBallAnchor(m->joints[i], a);
        dJointGetBallAnchor2(m->joints[i], b);
        worst = fmax(worst, sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                 (a[2] - b[2]) * (a[2] - b[2])));
    }
    return worst;
}

// True if ODE itself cannot hold the cell: the chain falls and swings (soft springs), one link is
// far heavier than the others, and the step is too long.
static bool is_beyond_ode(const Cell* cell) {
    const bool heavier = cell->ratio > 1.0;
    if (cell->h > 0.05) {
        return cell->ratio != 1.0 && cell->p <= 1e3;
    }
    return cell->h > 0.005 && heavier && cell->p <= (cell->ratio >= 1e3 ? 1e3 : 1.0);
}

// True if a step is too long for the weight of a link.
static bool is_told(const Mechanism* m, double h) {
    bool told = false;
    for (int i = 0; i < m->body_count; i++) {
        PoiseSpringAdvice advice;
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, m->bodies[i]);
        cr_assert_eq(poise_rig_advise(m->rig, node, h, &advice), POISE_OK);
        told = told || h > advice.longest_step;
    }
    return told;
}

// Runs the chain of a cell, driven or without motors.
static Worst run_cell(const Cell* cell, bool driven) {
    Mechanism m;
    ChainDef def = chain_def(POISE_NODE_BALL, cell->links, cell->p, cell->d);
    def.gravity = poise_vec3(0.0, -9.81, 0.0);
    def.reference = cell->reference;
    const double length = cell->length;
    def.scale = length;
    chain_open(&m, &def);
    for (int i = 0; i < cell->links; i++) {
        const bool last = i == cell->links - 1;
        const double times =
            cell->ratio < 1.0 ? (last ? 1.0 : 1.0 / cell->ratio) : (last ? cell->ratio : 1.0);
        const double mass = times * cell->mass;
        dMass box;
        dMassSetBoxTotal(&box, mass, 0.2 * length, length, 0.2 * length);
        dBodySetMass(m.bodies[i], &box);
        // the rig has read the mass that the link had before
        const PoiseNodeId node = poise_rig_node_of_body(m.rig, m.bodies[i]);
        PoiseVec3 centre;
        cr_assert_gt(poise_node_mass(m.tree, node, &centre), 0.0);
        cr_assert_eq(poise_node_set_mass(m.tree, node, mass, centre), POISE_OK);
    }
    mechanism_goal(&m, poise_scale(length, poise_vec3(1.0, 2.0, 0.5)));
    if (!driven) {
        // a straight chain would not fall
        dWorldSetGravity(m.world, 1.0, -9.81, 0.5);
    }
    const double before = energy_of(&m);
    Worst worst = {.finite = true};
    // the energy if every ball were half a turn from its reference
    worst.spring = 0.5 * cell->p * cell->links * 9.87;
    for (int i = 0; i < LONG; i++) {
        if (driven) {
            if (i == 0) {
                worst.told = is_told(&m, cell->h);
            }
            mechanism_step(&m, cell->h);
        } else {
            dWorldStep(m.world, cell->h);
        }
        const double e = energy_of(&m);
        worst.finite = worst.finite && isfinite(e);
        worst.energy = fmax(worst.energy, e - before);
        worst.stretch = fmax(worst.stretch, stretch_of(&m));
    }
    mechanism_close(&m);
    return worst;
}

// Mass of the last link divided by that of the others; a sanitizer's run has only the first three.
static const double ratios[] = {1.0, 1e2, 1e4, 1e-2, 1e-4, 10.0, 1e3, 0.1, 1e-3, 30.0};

// Damper over spring, s; each run tries the first four, under a sanitizer the first.
static const double dampings[] = {0.0, 0.1, 1e-3, 0.01, 1.0, 10.0};

static void expect_bounded(const Cell* cell) {
    const Worst worst = run_cell(cell, true);
    cr_expect(worst.finite, "p %g, d %g, h %g, ratio %g", cell->p, cell->d, cell->h, cell->ratio);
    if (!is_beyond_ode(cell)) {
        cr_expect(worst.energy <= worst.spring && worst.stretch <= APART,
                  "p %g, d %g, h %g, ratio %g, reference %d: %g J of %g, %g m apart", cell->p,
                  cell->d, cell->h, cell->ratio, (int)cell->reference, worst.energy, worst.spring,
                  worst.stretch);
    }
}

// Returns how many cells it tried.
static int sweep_springs(PoiseReference reference, double ratio, double h) {
    static const double gains[] = {1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12};
    const int damping_count = sample_of(4, 6);
    for (int p = 0; p < 7; p++) {
        for (int d = 0; d < damping_count; d++) {
            const Cell cell = {gains[p], dampings[d] * gains[p], h, ratio, reference, 1.0, 1.0,
                               LINKS};
            expect_bounded(&cell);
        }
    }
    return 7 * damping_count;
}

Test(gains, energy_is_bounded_and_joints_hold_for_every_gain_and_step) {
    static const double steps[] = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    int cells = 0;
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 10; k += 10 / sample_of(5, 10)) {
            for (int h = 0; h < 5; h++) {
                cells += sweep_springs(r == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED,
                                       ratios[k], steps[h]);
            }
        }
    }
    cr_log_info("%d cells", cells);
}

// The cells of is_beyond_ode, which the sweep skips, fail with ODE's joints alone.
Test(gains, cells_left_out_fail_in_ode_without_springs) {
    for (int k = 1; k < 5; k++) {
        const Cell slow = {0.0, 0.0, 1e-1, ratios[k], POISE_REFERENCE_OWN, 1.0, 1.0, LINKS};
        const Worst worst = run_cell(&slow, false);
        cr_expect_gt(worst.stretch, APART, "h 0.1, ratio %g", ratios[k]);
    }
    static const double heavy_ratios[] = {1e2, 1e3, 1e4};
    for (int k = 0; k < 3; k++) {
        const Cell heavy = {0.0, 0.0, 1e-2, heavy_ratios[k], POISE_REFERENCE_OWN, 1.0, 1.0, LINKS};
        const Worst worst = run_cell(&heavy, false);
        cr_expect_gt(worst.stretch, APART, "h 0.01, ratio %g", heavy_ratios[k]);
    }
}

// ------------------------------------------------------------------------------ lengths and masses

// Largest g h^2 / L times the square root of the tip's mass over that of the others at which a
// chain gains no energy. Above it the weight opens joints within single steps, and the energy grows
// even without springs. In 20,000 cells none below 0.49 gained energy.
static const double MOST_FALL = 0.3;
// A joint has snapped if stiff springs open it within a step by this fraction of its link.
static const double SNAPPED = 0.5;

// Returns 10 to the power of a random number.
static double draw(uint64_t* state, double least, double most) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return pow(10.0, least + (most - least) * (double)(*state >> 11) / 9007199254740992.0);
}

// Returns a chain with links of 1 mm to 100 m and 1 g to 1 t, springs of any stiffness for these,
// and a step of 1e-5 to 0.1 s.
static Cell draw_cell(uint64_t* state, int number) {
    Cell cell = {.links = 2 + number % 5, .length = draw(state, -3.0, 2.0)};
    cell.mass = draw(state, -3.0, 3.0);
    cell.ratio = draw(state, -5.0, 5.0);
    const double times = cell.ratio < 1.0 ? 1.0 / cell.ratio : cell.ratio;
    cell.mass = cell.mass * times > 1e3 ? fmax(1e-3, 1e3 / times) : cell.mass;
    cell.h = draw(state, -5.0, -1.0);
    cell.p = cell.mass * cell.length * cell.length * draw(state, -3.0, 8.0);
    cell.d = cell.p * draw(state, -4.0, 0.0);
    cell.reference = number % 2 == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
    return cell;
}

Test(gains, energy_is_bounded_for_links_of_any_length_and_mass) {
    uint64_t state = 1;
    const int count = getenv("POISE_WHOLE") ? 20000 : 300;
    int tried = 0, gained = 0;
    for (int i = 0; i < count; i++) {
        const Cell cell = draw_cell(&state, i);
        const double fall = 9.81 * cell.h * cell.h / cell.length * sqrt(fmax(1.0, cell.ratio));
        const Worst worst = run_cell(&cell, true);
        const bool bounded =
            worst.finite && worst.energy <= worst.spring && worst.stretch <= SNAPPED * cell.length;
        tried += fall <= MOST_FALL;
        gained += !bounded;
        // a box has the inertia of a rod that is 2 % longer
        cr_expect(fall > 1.03 * MOST_FALL ? worst.told : fall > MOST_FALL || !worst.told,
                  "fall %g: told %d, h %g, L %g, ratio %g, links %d", fall, worst.told, cell.h,
                  cell.length, cell.ratio, cell.links);
        cr_expect(bounded || worst.told,
                  "%d links of %g m, %g kg, ratio %g, h %g, p %g, d %g: %g J of %g, %g m apart",
                  cell.links, cell.length, cell.mass, cell.ratio, cell.h, cell.p, cell.d,
                  worst.energy, worst.spring, worst.stretch);
    }
    cr_log_info("%d of %d chains within the bound, %d gained energy and were told", tried, count,
                gained);
    cr_assert_gt(tried, count / 2);
}
