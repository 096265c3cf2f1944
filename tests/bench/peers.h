/* SPDX-License-Identifier: MIT */
/* Others that solve the same problems, where they are installed. Each restarts at random postures
   until a budget of time is used up. */
#ifndef POISE_BENCH_PEERS_H
#define POISE_BENCH_PEERS_H

#include "arm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What every peer is given for a target, s. */
#define PEER_BUDGET 5e-3
/* A target counts as met below this, m and rad. */
#define PEER_TOLERANCE 1e-5

/* What this thread has worked, s. */
double peer_clock(void);

typedef struct Peer Peer;

/* Orocos KDL: Levenberg-Marquardt without ranges, and Newton-Raphson with them. NULL where it is
   not built in. */
Peer* peer_kdl_lma(const Arm* arm);
Peer* peer_kdl_nr_jl(const Arm* arm);
/* MuJoCo's frames and Jacobian in a plain Levenberg-Marquardt loop of ours. */
Peer* peer_mujoco(const Arm* arm);

/* Whether the target was met inside the ranges; `q` holds the start and gets the answer. */
bool peer_solve(Peer* peer, PoisePose target, double* q);
/* One differential step toward the target. */
void peer_step(Peer* peer, PoisePose target, double* q);
void peer_destroy(Peer* peer);

#ifdef __cplusplus
}
#endif

#endif
