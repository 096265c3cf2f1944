/* SPDX-License-Identifier: MIT */
/* Code that the peers share. */
#ifndef POISE_BENCH_PEERS_INTERNAL_H
#define POISE_BENCH_PEERS_INTERNAL_H

#include "peers.h"
#include "random.h"

#ifdef __cplusplus
extern "C" {
#endif

Peer* peer_create(void* user, bool (*solve)(void* user, PoisePose target, double* q),
                  void (*step)(void* user, PoisePose target, double* q),
                  void (*destroy)(void* user));

/* True if the matrices of the arm meet the target at q, inside the ranges. */
bool peer_is_met(const Arm* arm, const double* q, PoisePose target);

#ifdef __cplusplus
}
#endif

#endif
