// SPDX-License-Identifier: MIT
#include "session.h"

bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* talk) {
    *session = (PoiseSession){.scene = NULL};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!diagnostics) {
        fputs("poise-view: out of memory\n", talk);
        return false;
    }
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
    poise_simulation_destroy(session->simulation);
    session->simulation = fresh;
    return true;
}

void poise__session_close(PoiseSession* session) {
    poise_simulation_destroy(session->simulation);
    poise_scene_destroy(session->scene);
    *session = (PoiseSession){.scene = NULL};
}
