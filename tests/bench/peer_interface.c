// SPDX-License-Identifier: MIT
// The common interface of other libraries (peers.h), and stubs for those that are not installed.
// chains_and_peers.c measures them beside Poise.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "peers_internal.h"

struct Peer {
    void* user;
    bool (*solve)(void* user, PoisePose target, double* q);
    void (*step)(void* user, PoisePose target, double* q);
    void (*destroy)(void* user);
};

double peer_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

Peer* peer_create(void* user, bool (*solve)(void* user, PoisePose target, double* q),
                  void (*step)(void* user, PoisePose target, double* q),
                  void (*destroy)(void* user)) {
    Peer* peer = malloc(sizeof *peer);
    if (!peer) {
        abort();
    }
    *peer = (Peer){user, solve, step, destroy};
    return peer;
}

bool peer_is_met(const Arm* arm, const double* q, PoisePose target) {
    double distance;
    double angle;
    for (int i = 0; i < arm->count; i++) {
        if (!(q[i] >= arm->joints[i].lower - 1e-9) || !(q[i] <= arm->joints[i].upper + 1e-9)) {
            return false;
        }
    }
    arm_miss(arm, q, target, &distance, &angle);
    return distance < PEER_TOLERANCE && angle < PEER_TOLERANCE;
}

bool peer_solve(Peer* peer, PoisePose target, double* q) {
    return peer->solve(peer->user, target, q);
}

void peer_step(Peer* peer, PoisePose target, double* q) {
    peer->step(peer->user, target, q);
}

void peer_destroy(Peer* peer) {
    if (peer) {
        peer->destroy(peer->user);
        free(peer);
    }
}

#if !defined(BENCH_HAS_KDL)
Peer* peer_kdl_loop(const Arm* arm) {
    (void)arm;
    return NULL;
}

Peer* peer_kdl_lma(const Arm* arm) {
    (void)arm;
    return NULL;
}

Peer* peer_kdl_nr_jl(const Arm* arm) {
    (void)arm;
    return NULL;
}
#endif

#if !defined(BENCH_HAS_MUJOCO)
Peer* peer_mujoco(const Arm* arm) {
    (void)arm;
    return NULL;
}
#endif
