// SPDX-License-Identifier: MIT
#include "screen.h"

#include <math.h>

#include "drag_words.h"
#include "panels.h"

static const double SIDE_WIDTH = 344.0;
/// Largest width of the side panel, as a fraction of the window's width.
static const double SIDE_PART = 0.32;
static const double BAR_HEIGHT = 36.0;
static const double PLOT_GAP = 8.0;
/// Distance of the error panel from the edges of the window, window units.
static const double MARGIN = 8.0;
static const double HINT_HEIGHT = 24.0;
/// A label is shown if its distance from the pointer is below this, window units.
static const double NEAR_POINTER = 110.0;
/// Number of labels that are kept from overlapping; any further labels may overlap.
enum { POISE_LABELS_CAPACITY = 96 };

/// Extents of the labels that are already in the picture.
typedef struct LabelRoom {
    float left[POISE_LABELS_CAPACITY];
    float right[POISE_LABELS_CAPACITY];
    float y[POISE_LABELS_CAPACITY];
    int count;
} LabelRoom;

static bool is_taken(const LabelRoom* room, double left, double right, double y, double height) {
    for (int i = 0; i < room->count; i++) {
        if (left < (double)room->right[i] && right > (double)room->left[i] &&
            fabs(y - (double)room->y[i]) < height) {
            return true;
        }
    }
    return false;
}

/// Returns the y nearest to `y` at which a label overlaps no other label, and reserves it.
static double free_line(LabelRoom* room, double left, double right, double y, double height) {
    double free = y;
    for (int tries = 1; tries < 16 && is_taken(room, left, right, free, height); tries++) {
        // tries a line below, one above, two below ...
        free = y + height * (tries % 2 == 1 ? tries / 2 + 1 : -tries / 2);
    }
    if (room->count < POISE_LABELS_CAPACITY) {
        room->left[room->count] = (float)left;
        room->right[room->count] = (float)right;
        room->y[room->count++] = (float)free;
    }
    return free;
}

/// Distance of a label from the position beside which it is shown, window units.
static const double ASIDE = 30.0;

/// Draws a label. If it is beside its position, or was moved to a free line, draws a line to the
/// position.
static void draw_label(PoiseApp* app, const PoiseLabel* label, LabelRoom* room, double x,
                       double y) {
    double height = poise__ui_line_height(app->ui) - 1.0;
    double half = 0.5 * poise__ui_text_width(app->ui, label->text) + 6.0;
    // keeps labels above the time bar
    const double lowest = app->camera.height - app->camera.inset_below - height;
    double wanted = fmin(y + (double)label->down, lowest);
    // outwards from the middle of the picture
    const double side = x < 0.5 * (app->camera.width - app->camera.inset) ? -1.0 : 1.0;
    const double middle = label->aside ? x + side * (half + ASIDE) : x;
    double line = free_line(room, middle - half, middle + half, wanted, height);
    PoiseUiLabel shown = {middle, line, 0.5, label->colour, label->text};
    poise__ui_label(app->ui, &shown);
    if (label->aside || fabs(line - wanted) > 0.5 * height) {
        shown.x = label->aside ? middle - side * (half - 2.0) : x;
        shown.y += label->aside ? 0.0 : (line < y ? 0.5 : -0.5) * height;
        poise__ui_leader(app->ui, x, y, &shown);
    }
}

/// True if a label is shown: near the pointer, or everywhere in pictures, which have no pointer.
static bool is_shown(const PoiseApp* app, const PoiseLabel* label, double x, double y) {
    return label->always || !app->has_pointer ||
           hypot(x - app->pointer_x, y - app->pointer_y) < NEAR_POINTER;
}

/// Draws a text beside the pointer that describes the drag, or the drag that a press would begin.
static void draw_words(PoiseApp* app, LabelRoom* room) {
    char words[POISE_WORDS_CAPACITY];
    const bool covered = app->gesture == POISE_GESTURE_NONE &&
                         poise__ui_covers(app->ui, app->pointer_x, app->pointer_y);
    if (app->has_pointer && !covered && poise__words_of_hand(app, words)) {
        const double end = app->pointer_x + 18.0 + poise__ui_text_width(app->ui, words);
        const bool fits = end < app->camera.width - app->camera.inset;
        const double x = app->pointer_x + (fits ? 18.0 : -8.0);
        const double wide = poise__ui_text_width(app->ui, words) + 12.0;
        const double left = fmax(8.0, fits ? x : x - wide);
        const double line = free_line(room, left, left + wide, app->pointer_y + 22.0,
                                      poise__ui_line_height(app->ui) - 1.0);
        const PoiseUiLabel label = {left, line, 0.0, 0xffe28affu, words};
        poise__ui_label(app->ui, &label);
    }
}

static void draw_labels(PoiseApp* app, LabelRoom* room) {
    for (int i = 0; i < app->list.label_count; i++) {
        const PoiseLabel* label = &app->list.labels[i];
        PoiseVec3 place =
            poise_vec3((double)label->place.x, (double)label->place.y, (double)label->place.z);
        double x = 0.0, y = 0.0;
        if (poise__camera_project(&app->camera, place, &x, &y) && is_shown(app, label, x, y)) {
            draw_label(app, label, room, x, y);
        }
    }
}

/// Draws one line at the bottom: a message, or a hint on what the person can do.
static void draw_hint(PoiseApp* app, double right, double bottom) {
    const char* text = NULL;
    uint32_t colour = 0xd7dee6ffu;
    char line[POISE_NOTE_CAPACITY];
    char cut[256];
    if (app->trouble.text[0] != '\0') {
        snprintf(line, sizeof line, "%.200s; Backspace starts it again", app->trouble.text);
        text = line;
        colour = POISE_WARM_INK;
    } else if (app->filmed) {
        return;
    } else if (app->wall < app->message_until) {
        text = app->message.text;
        colour = 0xffe28affu;
    } else if (app->adding) {
        text = "press on a link to add a control point there (Esc cancels)";
        colour = 0xffe28affu;
    } else if (!(app->highlight.parts & POISE_SHOW_PANELS)) {
        return; // a picture without panels has no hints
    } else if (app->highlight.hover.kind == POISE_PICK_GOAL) {
        text = "Ctrl: steps of 5 cm, Esc: cancel, X: the target's own axes";
    } else if (app->highlight.hover.kind == POISE_PICK_SHAPE &&
               poise__app_picked_body(app, &app->highlight.hover) >= 0) {
        text = "Shift keeps the control point, Ctrl pulls by a spring without IK";
    } else {
        text = "drag a red target or a link; F1 help, Ctrl+K commands, Tab hides the panels";
    }
    if (text && poise__ui_text_width(app->ui, text) > right - 24.0) {
        // cuts the end of a text that is too long for the window
        snprintf(cut, sizeof cut, "%.*s ...", (int)fmin(240.0, fmax(8.0, (right - 60.0) / 8.5)),
                 text);
        text = cut;
    }
    if (text) {
        const PoiseUiLabel hint = {0.5 * right, bottom - 14.0, 0.5, colour, text};
        poise__ui_label(app->ui, &hint);
    }
}

/// Draws a legend of the colours.
static void draw_legend(PoiseApp* app, double top) {
    static const struct {
        unsigned parts;
        double x;
        double down; // offset from the first line, window units
        uint32_t colour;
        const char* text;
    } legend[] = {
        {POISE_SHOW_SPRINGS, 14.0, 0.0, 0x7fb0ffff, "original spring"},
        {POISE_SHOW_SPRINGS, 128.0, 0.0, 0xffb866ff, "IK spring"},
        {POISE_SHOW_SPRINGS, 206.0, 0.0, 0xb9c6d3ff, "green to red: torque to its limit"},
        {POISE_SHOW_FORCES, 14.0, 20.0, 0xf3c6faff, "hollow: force asked, solid: force measured"},
    };
    bool asks = false;
    for (int i = 0; i < poise_simulation_point_count(app->session.simulation); i++) {
        asks = asks || poise_simulation_point(app->session.simulation, i).presses;
    }
    const unsigned parts = app->highlight.parts & ~(asks ? 0u : (unsigned)POISE_SHOW_FORCES);
    const double lifted = (parts & POISE_SHOW_SPRINGS) ? 0.0 : 20.0;
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++) {
        if ((parts & POISE_SHOW_LABELS) && (parts & legend[i].parts)) {
            const double y = top + 14.0 + fmax(0.0, legend[i].down - lifted);
            const PoiseUiLabel label = {legend[i].x, y, 0.0, legend[i].colour, legend[i].text};
            poise__ui_label(app->ui, &label);
        }
    }
}

/// Draws the caption below the picture, centred.
static void draw_caption(PoiseApp* app, double right, double bottom) {
    char text[POISE_WORDS_CAPACITY];
    if (app->caption[0] != '\0') {
        poise__words_of_caption(app, text);
        const PoiseUiLabel label = {0.5 * right, bottom - 22.0, 0.5, 0xffffffff, text};
        poise__ui_label(app->ui, &label);
    }
}

static double side_width(const PoiseApp* app) {
    bool shown = (app->highlight.parts & (POISE_SHOW_PANELS | POISE_SHOW_SOLVER)) != 0;
    return shown ? floor(fmin(SIDE_WIDTH, SIDE_PART * app->camera.width)) : 0.0;
}

/// Returns the height of the time bar and of the plot below it, window units.
static double bar_height(const PoiseApp* app) {
    const double plot = poise__panel_plot_height(app);
    return floor(BAR_HEIGHT + (plot > 0.0 ? plot + PLOT_GAP : 0.0));
}

void poise__screen_inset(PoiseApp* app) {
    bool shown = (app->highlight.parts & POISE_SHOW_PANELS) != 0;
    app->camera.inset = side_width(app);
    app->camera.covered_below = shown ? bar_height(app) : 0.0;
    app->camera.inset_below = shown ? bar_height(app) + HINT_HEIGHT : 0.0;
}

/// Shows why a file could not be opened, until a file is opened or the person closes the panel.
static void draw_open_error(PoiseApp* app, double right) {
    if (app->open_error.text[0] == '\0' || app->filmed) {
        return;
    }
    int lines = 4;
    for (const char* c = app->open_error.text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    const double height = poise__ui_line_height(app->ui) * (lines < 16 ? lines : 16) + 30.0;
    PoiseUiPlace place = {MARGIN, MARGIN, fmin(right - 2.0 * MARGIN, 760.0),
                          fmin(height, 0.6 * app->camera.height)};
    poise__ui_panel_begin(app->ui, "This cannot be run", place, false);
    poise__ui_paragraph(app->ui, app->open_error.text);
    if (poise__ui_button(app->ui, "refused/close", "Close")) {
        app->open_error.text[0] = '\0';
    }
    poise__ui_panel_end(app->ui);
}

static void draw_panels(PoiseApp* app) {
    const PoiseCamera* camera = &app->camera;
    bool shown = (app->highlight.parts & POISE_SHOW_PANELS) != 0;
    bool solver = (app->highlight.parts & POISE_SHOW_SOLVER) != 0;
    double side = side_width(app);
    double right = camera->width - side;
    double bottom = camera->height - (shown ? bar_height(app) : 0.0);
    app->panels.focus = (PoiseFocus){-1, -1};
    draw_legend(app, 0.0);
    if (shown || solver) {
        PoiseUiPlace place = {right, 0.0, side, camera->height};
        poise__ui_panel_begin(app->ui, "Poise", place, false);
        if (shown) {
            poise__panel_run(app);
            poise__panel_view(app);
        }
        if (solver) {
            poise__panel_matrices(app);
        }
        if (shown) {
            poise__panel_points(app);
            poise__panel_joints(app);
            poise__panel_springs(app);
            poise__panel_solver(app);
            poise__panel_plots(app);
        }
        poise__ui_panel_end(app->ui);
    }
    if (shown) {
        PoiseUiPlace place = {0.0, camera->height - bar_height(app), right, bar_height(app)};
        poise__panel_time(app, place);
    }
    draw_open_error(app, right);
    draw_caption(app, right, bottom);
    draw_hint(app, right, bottom);
    poise__popups(app);
}

const PoiseDrawList* poise__screen_draw(PoiseApp* app) {
    if (app->ui) {
        poise__screen_inset(app);
    } else {
        app->camera.inset = app->camera.inset_below = app->camera.covered_below = 0.0;
    }
    app->highlight.panel = app->panels.focus;
    app->highlight.paused = app->pacing.paused;
    const PoiseOverlay overlay = {app->session.simulation, &app->camera, &app->highlight,
                                  &app->list};
    poise__scene_view_draw(&app->view, &overlay, &app->timeline);
    if (app->ui) {
        poise__ui_begin(app->ui, app->camera.width, app->camera.height, 1.0 / 60.0);
        // places the words at the pointer before the labels, since they follow it
        LabelRoom room = {.count = 0};
        draw_words(app, &room);
        draw_labels(app, &room);
        draw_panels(app);
        if (app->filmed && app->has_pointer) {
            const bool grips = app->hand.grip != POISE_GRIP_NONE;
            poise__ui_pointer(app->ui, app->pointer_x, app->pointer_y, grips);
        }
        poise__ui_end(app->ui);
    }
    return &app->list;
}
