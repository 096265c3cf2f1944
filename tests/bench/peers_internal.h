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

enum { PEER_ROWS = 6 };

/* The state of a Levenberg-Marquardt loop; the first member of what `forward` and `differentiate`
   take. */
typedef struct PeerLoop PeerLoop;
struct PeerLoop {
    Arm arm;
    Random random;
    PoisePose (*forward)(PeerLoop* loop, const double* q); /* the tip at q */
    void (*differentiate)(PeerLoop* loop);                 /* writes J at the last q of `forward` */
    double jacobian[PEER_ROWS * ARM_MOST];                 /* PEER_ROWS x joints */
    double v[PEER_ROWS];                                   /* the pose error that J belongs to */
};

/* `solve` and `step` of peer_create for a peer whose first member is a PeerLoop, their `user`. */
bool peer_loop_solve(void* user, PoisePose target, double* q);
void peer_loop_track(void* user, PoisePose target, double* q);

/* True if the matrices of the arm meet the target at q, inside the ranges. */
bool peer_is_met(const Arm* arm, const double* q, PoisePose target);

#ifdef __cplusplus
}
#endif

#endif
