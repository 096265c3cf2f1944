// SPDX-License-Identifier: MIT
#include "session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// Seed of ODE's random numbers, which its quick step uses; the same for every run.
static const unsigned long SEED = 0;
enum { EXIT_BLEW_UP = 4 };

bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* messages) {
    *session = (PoiseSession){.trust = source->trust};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!diagnostics) {
        fputs("poise-view: out of memory\n", messages);
        return false;
    }
    for (int i = 0; i < source->override_count; i++) {
        if (i == POISE_OVERRIDES_CAPACITY ||
            strlen(source->overrides[i]) >= POISE_OVERRIDE_LENGTH) {
            fprintf(messages,
                    "poise-view: too many values to set, or a value that is too long: %s\n",
                    source->overrides[i]);
            poise_diagnostics_destroy(diagnostics);
            return false;
        }
        snprintf(session->overrides[i], POISE_OVERRIDE_LENGTH, "%s", source->overrides[i]);
        session->override_count++;
    }
    dRandSetSeed(SEED);
    session->read = diagnostics;
    session->scene = poise_scene_load_source(source, diagnostics);
    if (session->scene) {
        session->simulation = poise_simulation_create(session->scene, diagnostics);
    }
    session->scene_hash = poise_diagnostics_hash(diagnostics);
    poise__watched_files_take(&session->watched_files, diagnostics);
    poise_diagnostics_print(diagnostics, POISE_WARNING, messages);
    if (!session->simulation) {
        poise__session_close(session);
        return false;
    }
    return true;
}

bool poise__session_try(PoiseSession* session, const PoiseSceneSource* source,
                        PoiseFindings* findings) {
    char* text = NULL;
    size_t size = 0;
    FILE* messages = open_memstream(&text, &size);
    if (!messages) {
        snprintf(findings->text, sizeof findings->text, "memory is short");
        return false;
    }
    bool good = poise__session_open(session, source, messages);
    fclose(messages);
    snprintf(findings->text, sizeof findings->text, "%s", text ? text : "");
    free(text);
    return good;
}

bool poise__session_open_again(PoiseSession* fresh, const PoiseSession* session,
                               const char* override, PoiseFindings* findings) {
    const char* list[POISE_OVERRIDES_CAPACITY + 1];
    // a new value replaces an earlier value of the same key
    const size_t key = override ? strcspn(override, "=") + 1 : 0;
    int count = 0;
    for (int i = 0; i < session->override_count; i++) {
        if (!override || strncmp(session->overrides[i], override, key) != 0) {
            list[count++] = session->overrides[i];
        }
    }
    if (override) {
        list[count++] = override;
        if (!strchr(override, '=') || strlen(override) >= POISE_OVERRIDE_LENGTH ||
            count > POISE_OVERRIDES_CAPACITY) {
            snprintf(findings->text, sizeof findings->text,
                     "'%.100s' cannot be set: KEY=VALUE, as world.step=0.002, and %d of them at "
                     "most",
                     override, (int)POISE_OVERRIDES_CAPACITY);
            return false;
        }
    }
    const PoiseSceneSource source = {.path = session->scene->file,
                                     .overrides = list,
                                     .override_count = count,
                                     .trust = session->trust};
    return poise__session_try(fresh, &source, findings);
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
    poise_diagnostics_destroy(session->read);
    *session = (PoiseSession){.scene = NULL};
}

// ------------------------------------------------------------------------------------- last resort

// The simulation that is making a step, for the handler of ODE's errors, to which the caller cannot
// pass a pointer. ODE ends the process when the handler returns. Therefore the handler prints what
// happened, and exits by itself.
static struct { PoiseSimulation* simulation; } in_step;

static void exit_after_error(int number, const char* text, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void exit_after_error(int number, const char* text, va_list arguments) {
    (void)number;
    char reason[256];
    vsnprintf(reason, sizeof reason, text, arguments);
    poise_simulation_give_up(in_step.simulation);
    fprintf(stderr, "poise-view: %s; try a shorter world.step or softer springs (ODE says: %s)\n",
            poise_simulation_trouble(in_step.simulation), reason);
    in_step.simulation = NULL;
    exit(EXIT_BLEW_UP);
}

PoiseStatus poise__session_step(PoiseSession* session) {
    in_step.simulation = session->simulation;
    dSetDebugHandler(exit_after_error);
    dSetErrorHandler(exit_after_error);
    PoiseStatus status = poise_simulation_step(session->simulation);
    dSetDebugHandler(NULL);
    dSetErrorHandler(NULL);
    in_step.simulation = NULL;
    return status;
}
