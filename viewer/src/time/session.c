// SPDX-License-Identifier: MIT
#include "session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// Of ODE's random numbers, which its quick step takes: the same for every run.
static const unsigned long SEED = 0;
enum { EXIT_BLEW_UP = 4 };

bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* talk) {
    *session = (PoiseSession){.scene = NULL};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!diagnostics) {
        fputs("poise-view: out of memory\n", talk);
        return false;
    }
    dRandSetSeed(SEED);
    session->scene = poise_scene_load_source(source, diagnostics);
    if (session->scene) {
        session->simulation = poise_simulation_create(session->scene, diagnostics);
    }
    poise_diagnostics_print(diagnostics, POISE_WARNING, talk);
    poise_diagnostics_destroy(diagnostics);
    if (!session->simulation) {
        poise__session_close(session);
        return false;
    }
    return true;
}

bool poise__session_restart(PoiseSession* session, PoiseNote* note) {
    PoiseSimulation* fresh = poise_simulation_create(session->scene, NULL);
    if (!fresh) {
        return poise__note_fail(note, "the scene cannot be started again: memory is short");
    }
    dRandSetSeed(SEED);
    poise_simulation_destroy(session->simulation);
    session->simulation = fresh;
    return true;
}

void poise__session_close(PoiseSession* session) {
    poise_simulation_destroy(session->simulation);
    poise_scene_destroy(session->scene);
    *session = (PoiseSession){.scene = NULL};
}

// ------------------------------------------------------------------------------------- last resort

// What ODE's handlers are told: they get no pointer of ours. Set while a step is made; ODE ends the
// process when its handler returns, so this one says what happened and ends it in order.
static struct { PoiseSimulation* simulation; } in_step;

static void end_in_order(int number, const char* text, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void end_in_order(int number, const char* text, va_list arguments) {
    (void)number;
    char reason[256];
    vsnprintf(reason, sizeof reason, text, arguments);
    poise_simulation_give_up(in_step.simulation);
    fprintf(stderr,
            "poise-view: %s; shorten world.step or soften what pulls there (ODE says: %s)\n",
            poise_simulation_trouble(in_step.simulation), reason);
    in_step.simulation = NULL;
    exit(EXIT_BLEW_UP);
}

PoiseStatus poise__session_step(PoiseSession* session) {
    in_step.simulation = session->simulation;
    dSetDebugHandler(end_in_order);
    dSetErrorHandler(end_in_order);
    PoiseStatus status = poise_simulation_step(session->simulation);
    dSetDebugHandler(NULL);
    dSetErrorHandler(NULL);
    in_step.simulation = NULL;
    return status;
}
