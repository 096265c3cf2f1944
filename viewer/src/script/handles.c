// SPDX-License-Identifier: MIT
#include "handles.h"

#include <string.h>

static bool is_free(const PoiseApp* app, double x, double y) {
    bool inside = x >= 0.0 && y >= 0.0 && x < app->camera.width && y < app->camera.height;
    return inside && !(app->ui && poise__ui_covers(app->ui, x, y));
}

/// Returns the index of the thing with this name; -1, with the reason in the note, if no thing has
/// it.
static int find_named(const PoiseApp* app, PoiseOwner owner, const char* name, PoiseNote* note) {
    const PoiseSimulation* simulation = app->session.simulation;
    char guess[POISE_SUGGESTION_LENGTH];
    const int index = poise__find(simulation, owner, name);
    if (index < 0) {
        poise__note_fail(note, "there is no %s '%s'%s",
                         owner == POISE_OWNER_LINK ? "link" : "target", name,
                         poise__suggest_name_of(simulation, owner, name, guess));
    }
    return index;
}

static bool find_target(PoiseApp* app, const char* name, const char* part, PoiseHandle* handle,
                        PoiseNote* note) {
    handle->point = find_named(app, POISE_OWNER_TARGET, name, note);
    handle->part = part[0] != '\0' ? poise__gizmo_named(part) : POISE_GIZMO_MIDDLE;
    if (handle->point < 0) {
        return false;
    }
    if (handle->part == POISE_GIZMO_NONE) {
        return poise__note_fail(note, "'%s' is no part of a target: axis:x, ring:z and so on",
                                part);
    }
    PoisePointView point = poise_simulation_point(app->session.simulation, handle->point);
    if (poise__gizmo_is_ring(handle->part) && !point.turns) {
        return poise__note_fail(note, "target:%s has no orientation, so no rings", name);
    }
    handle->place = poise__gizmo_grip(
        &app->camera, poise__gizmo_frame(&point, app->highlight.own_axes), handle->part);
    if (handle->part != POISE_GIZMO_MIDDLE) {
        app->highlight.selected = handle->point;
    }
    if (!poise__camera_project(&app->camera, handle->place, &handle->x, &handle->y) ||
        !is_free(app, handle->x, handle->y)) {
        return poise__note_fail(note, "target:%s %s is out of the picture or under a panel", name,
                                part);
    }
    return true;
}

static bool picks_body(const PoiseApp* app, int body, double x, double y, PoiseVec3* place) {
    PoisePick pick = poise__pick(app->session.simulation, &app->camera, x, y);
    bool there = pick.kind == POISE_PICK_SHAPE && poise__app_picked_body(app, &pick) == body &&
                 is_free(app, x, y) && poise__app_gizmo_part(app, x, y) == POISE_GIZMO_NONE;
    *place = pick.place;
    return there;
}

/// Finds a pixel of the body: the one at its centre of mass, if the body is visible there,
/// otherwise the nearest visible one.
static bool find_link(PoiseApp* app, const char* name, PoiseHandle* handle, PoiseNote* note) {
    handle->body = find_named(app, POISE_OWNER_LINK, name, note);
    if (handle->body < 0) {
        return false;
    }
    PoiseVec3 middle = poise_simulation_body(app->session.simulation, handle->body).com_world;
    double x = 0.0, y = 0.0;
    if (!poise__camera_project(&app->camera, middle, &x, &y)) {
        return poise__note_fail(note, "link:%s lies behind the eye", name);
    }
    const double step = 4.0;
    for (int ring = 0; ring < 40; ring++) {
        int places = ring == 0 ? 1 : 6 * ring;
        for (int i = 0; i < places; i++) {
            double angle = 6.28318530717958647693 * i / places;
            handle->x = x + step * ring * cos(angle);
            handle->y = y + step * ring * sin(angle);
            if (picks_body(app, handle->body, handle->x, handle->y, &handle->place)) {
                return true;
            }
        }
    }
    return poise__note_fail(note, "link:%s is hidden, or out of the picture", name);
}

/// Finds an end of an axis of the ellipsoid that is inside the picture and not under a panel.
static bool find_axis(PoiseApp* app, const char* name, const char* part, PoiseHandle* handle,
                      PoiseNote* note) {
    const PoiseYielding* yielding = &app->highlight.yielding;
    const char number = strncmp(part, "axis:", 5) == 0 && strlen(part) == 6 ? part[5] : '0';
    handle->point = find_named(app, POISE_OWNER_TARGET, name, note);
    if (handle->point < 0) {
        return false;
    }
    if (number < '1' || number > '3') {
        return poise__note_fail(note,
                                "'%s' is no axis of an ellipsoid: axis:1 (the longest) to "
                                "axis:3",
                                part);
    }
    app->highlight.parts |= POISE_SHOW_YIELDING;
    app->highlight.selected = handle->point;
    poise__app_refresh_yielding(app);
    if (yielding->point != handle->point) {
        return poise__note_fail(note, "compliance:%s is not known: %s", name, yielding->why);
    }
    for (int k = 0; k < 2; k++) {
        handle->end = 2 * (number - '1') + k;
        handle->place = poise__yielding_grip(&app->camera, yielding, handle->end);
        if (poise__camera_project(&app->camera, handle->place, &handle->x, &handle->y) &&
            is_free(app, handle->x, handle->y) &&
            poise__app_yielding_end(app, handle->x, handle->y) == handle->end) {
            return true;
        }
    }
    return poise__note_fail(note,
                            "compliance:%s %s is out of the picture, under a panel, or behind "
                            "another handle",
                            name, part);
}

bool poise__handle_find(PoiseApp* app, const char* name, const char* part, PoiseHandle* handle,
                        PoiseNote* note) {
    *handle = (PoiseHandle){.point = -1, .body = -1, .end = -1};
    if (strncmp(name, "target:", 7) == 0) {
        return find_target(app, name + 7, part, handle, note);
    }
    if (strncmp(name, "link:", 5) == 0) {
        return find_link(app, name + 5, handle, note);
    }
    if (strncmp(name, "compliance:", 11) == 0) {
        return find_axis(app, name + 11, part, handle, note);
    }
    return poise__note_fail(note, "'%s' is no handle: target:NAME, link:NAME or compliance:NAME",
                            name);
}
