// SPDX-License-Identifier: MIT
// Counts the owners of worlds as ODE's users. dWorldDestroy crashes after the last dCloseODE, so
// each owner is counted before its dWorldCreate and uncounted after its dWorldDestroy.
#include "ode_init.h"

#include <ode/ode.h>
#include <stdatomic.h>

// ODE counts its users without a lock, and two threads that create worlds at once would corrupt its
// count.
static atomic_flag ode_count_lock = ATOMIC_FLAG_INIT;

bool poise__count_ode_user(void) {
    // one way: a thread waits only while another one holds the lock (engine.threads)
    while (atomic_flag_test_and_set(&ode_count_lock)) {
    }
    bool ready = dInitODE2(0) != 0;
    // one way: ODE fails here only if the system has no more thread-local keys
    if (ready && !dAllocateODEDataForThread((unsigned)dAllocateMaskAll)) {
        dCloseODE();   // unreachable: as said above
        ready = false; // unreachable: as said above
    }
    atomic_flag_clear(&ode_count_lock);
    return ready;
}

void poise__uncount_ode_user(void) {
    // one way: a thread waits only while another one holds the lock (engine.threads)
    while (atomic_flag_test_and_set(&ode_count_lock)) {
    }
    dCloseODE();
    atomic_flag_clear(&ode_count_lock);
}
