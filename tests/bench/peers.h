/* SPDX-License-Identifier: MIT */
/* Other libraries that solve the same problems, if they are installed. Each restarts at random
   postures until its time budget is used up. */
#ifndef POISE_BENCH_PEERS_H
#define POISE_BENCH_PEERS_H

#include "arm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Time budget of a target, s. */
#define PEER_BUDGET 5e-3
/* A target counts as met if its errors are below this, m and rad. */
#define PEER_TOLERANCE 1e-5

/* Returns the processor time of this thread, s. */
double peer_clock(void);

typedef struct Peer Peer;

/* Orocos KDL: Levenberg-Marquardt without ranges, and Newton-Raphson with ranges. NULL in builds
   without KDL. */
Peer* peer_kdl_lma(const Arm* arm);
Peer* peer_kdl_nr_jl(const Arm* arm);
/* KDL's and MuJoCo's frames and Jacobian, each in the Levenberg-Marquardt loop of peer_loop.c. */
Peer* peer_kdl_loop(const Arm* arm);
Peer* peer_mujoco(const Arm* arm);

/* Solves for the target from the start in `q`, which gets the answer. True if the target is met
   inside the ranges. */
bool peer_solve(Peer* peer, PoisePose target, double* q);
/* Makes one differential step toward the target. */
void peer_step(Peer* peer, PoisePose target, double* q);
void peer_destroy(Peer* peer);

#ifdef __cplusplus
}
#endif

#endif
