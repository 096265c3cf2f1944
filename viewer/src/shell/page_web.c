// SPDX-License-Identifier: MIT
// Functions that the script of the web page (viewer/web/page.js) and its tests call.
#include <emscripten.h>
#include <inttypes.h>

#include "recording.h"
#include "shell.h"

// The one program of the page, since the page's script cannot pass a pointer to the functions
// below.
static struct {
    PoiseApp* app;
    char text[POISE_FINDINGS_CAPACITY];
} page;

void poise__page_begin(PoiseApp* app) {
    page.app = app;
    EM_ASM({ Module.begun(); });
}

int poise_web_open(const char* path);
const char* poise_web_findings(void);
const char* poise_web_scene(void);
int poise_web_save(const char* path);
double poise_web_time(void);
const char* poise_web_hash(void);
int poise_web_go(double time);
double poise_web_point(int point, int member);
double poise_web_seen(int point, int axis);
void poise_web_pause(int paused);
double poise_web_parameter(const char* key);

/// Opens a scene, a robot or a replay. Returns 1 if it is shown; otherwise 0, and the present run
/// stays.
EMSCRIPTEN_KEEPALIVE int poise_web_open(const char* path) {
    return page.app && poise__app_open(page.app, path);
}

/// Returns the errors and warnings of the last file that was opened.
EMSCRIPTEN_KEEPALIVE const char* poise_web_findings(void) {
    return page.app ? page.app->open_error.text : "";
}

/// Returns the path of the scene that is shown.
EMSCRIPTEN_KEEPALIVE const char* poise_web_scene(void) {
    return page.app ? page.app->session.scene->file : "";
}

/// Saves the run as a replay. Returns 1 if that succeeds.
EMSCRIPTEN_KEEPALIVE int poise_web_save(const char* path) {
    PoiseNote note = {""};
    return page.app && poise__recording_save(&page.app->timeline, path, &note);
}

EMSCRIPTEN_KEEPALIVE double poise_web_time(void) {
    return page.app ? poise_simulation_time(page.app->session.simulation) : -1.0;
}

EMSCRIPTEN_KEEPALIVE const char* poise_web_hash(void) {
    const uint64_t hash = page.app ? poise_simulation_state_hash(page.app->session.simulation) : 0;
    snprintf(page.text, sizeof page.text, "%016" PRIx64, hash);
    return page.text;
}

/// Goes to a time of the run, s. Returns 1 if the run reaches it.
EMSCRIPTEN_KEEPALIVE int poise_web_go(double time) {
    return page.app && poise__app_go(page.app, time);
}

/// Returns a coordinate of a control point (`member` 0 to 2) or of its goal (3 to 5), m.
EMSCRIPTEN_KEEPALIVE double poise_web_point(int point, int member) {
    if (!page.app || member < 0 || member > 5) {
        return -1.0;
    }
    const PoisePointView view = poise_simulation_point(page.app->session.simulation, point);
    const PoiseVec3 p = member < 3 ? view.pose_world.p : view.goal_world.p;
    return member % 3 == 0 ? p.x : member % 3 == 1 ? p.y : p.z;
}

/// Returns the position of a point's goal in the picture, pixels of the page: x (`axis` 0) or y
/// (1); -1 behind the eye.
EMSCRIPTEN_KEEPALIVE double poise_web_seen(int point, int axis) {
    double x = -1.0;
    double y = -1.0;
    if (!page.app ||
        !poise__camera_project(
            &page.app->camera,
            poise_simulation_point(page.app->session.simulation, point).goal_world.p, &x, &y)) {
        return -1.0;
    }
    return axis == 0 ? x : y;
}

EMSCRIPTEN_KEEPALIVE void poise_web_pause(int paused) {
    if (page.app) {
        page.app->pacing.paused = paused != 0;
    }
}

/// Returns the value of a parameter; NaN if the scene has no such parameter.
EMSCRIPTEN_KEEPALIVE double poise_web_parameter(const char* key) {
    PoiseParameter parameter;
    const int index =
        page.app ? poise_simulation_find_parameter(page.app->session.simulation, key) : -1;
    return index >= 0 && poise_simulation_parameter(page.app->session.simulation, index, &parameter)
               ? parameter.value
               : (double)NAN;
}
