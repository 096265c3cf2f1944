// SPDX-License-Identifier: MIT
// Widgets, for C: the few that the panels are made of, with Dear ImGui behind them (the *.cpp).
// Fed from our own events and drawn from plain triangles, so it runs without a window or OpenGL.
// Every widget has a name ("run/pause", or a parameter's key) by which scripts and tests find it.
// Lengths are window units, from the upper left corner; colours are 0xrrggbbaa.
#ifndef POISE_UI_H
#define POISE_UI_H

#include "input.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PoiseUi PoiseUi;

/// NULL when memory is short. `pixels`: of the picture for a window unit, for sharp letters.
/// `font`: a TrueType file, borrowed; NULL: a built-in font that looks the same everywhere.
PoiseUi* poise__ui_create(double pixels, const char* font);
/// NULL is allowed.
void poise__ui_destroy(PoiseUi* ui);

/// Letters for another screen: between two frames. Nothing when it is the same.
void poise__ui_set_pixels(PoiseUi* ui, double pixels);
/// How often letters were made: whoever has drawn with older ones takes them anew.
unsigned poise__ui_letters(const PoiseUi* ui);

/// A font of the system that the panels look good in; NULL when there is none.
const char* poise__ui_system_font(void);

// ----------------------------------------------------------------------------------------- a frame

/// Tells it of an event, before the next poise__ui_begin.
void poise__ui_event(PoiseUi* ui, const PoiseEvent* event);
void poise__ui_begin(PoiseUi* ui, double width, double height, double seconds);
void poise__ui_end(PoiseUi* ui);

/// Whether a panel (or a menu of one) lay at this place in the last frame.
bool poise__ui_covers(const PoiseUi* ui, double x, double y);
/// Whether what is typed goes into a field.
bool poise__ui_takes_text(const PoiseUi* ui);

// --------------------------------------------------------------------------------------- triangles

typedef struct PoiseUiVertex {
    float x;
    float y;
    float u;
    float v;
    uint32_t rgba; ///< bytes r, g, b, a; sRGB
} PoiseUiVertex;

typedef struct PoiseUiList {
    const PoiseUiVertex* vertices;
    const uint16_t* indices;
    int vertex_count;
    int index_count;
    int command_count;
} PoiseUiList;

typedef struct PoiseUiCommand {
    float clip[4]; ///< left, top, right, bottom
    int first_index;
    int index_count;
    int first_vertex;
} PoiseUiCommand;

/// What the last poise__ui_end left to draw, back to front.
int poise__ui_list_count(const PoiseUi* ui);
PoiseUiList poise__ui_list(const PoiseUi* ui, int index);
PoiseUiCommand poise__ui_command(const PoiseUi* ui, int list, int index);
/// The letters, 4 bytes a texel.
const unsigned char* poise__ui_font_texels(PoiseUi* ui, int* width, int* height);

// ----------------------------------------------------------------------------------------- finding

typedef struct PoiseUiItem {
    char name[128];
    float left;
    float top;
    float right;
    float bottom;
    /// Of a number: what it is. Of a slider too, and what its ends stand for.
    bool number;
    bool slider;
    double value;
    double lower;
    double upper;
} PoiseUiItem;

/// The widget of this name in the last frame, as far as it was visible.
bool poise__ui_find(const PoiseUi* ui, const char* name, PoiseUiItem* item);
int poise__ui_item_count(const PoiseUi* ui);
const PoiseUiItem* poise__ui_item(const PoiseUi* ui, int index);
/// Where to press on a slider so that it shows `value`, window units from its left edge.
double poise__ui_slider_place(const PoiseUiItem* item, double value);

// ----------------------------------------------------------------------------------------- widgets

/// What the person did with a widget in this frame, a bit each.
enum { POISE_UI_CHANGED = 1, POISE_UI_BEGAN = 2, POISE_UI_ENDED = 4 };

typedef struct PoiseUiPlace {
    double x;
    double y;
    double width;
    double height;
} PoiseUiPlace;

/// Opens a panel at a fixed place; `bare`: without a title and its frame. Close it in any case.
void poise__ui_panel_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool bare);
void poise__ui_panel_end(PoiseUi* ui);
/// A part of a panel that folds; false while folded.
bool poise__ui_section(PoiseUi* ui, const char* name, const char* title, bool open_at_first);
/// A window of its own in the middle, over everything. False, and `*open` false, when it is closed
/// by a press outside.
bool poise__ui_popup_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool* open);
void poise__ui_popup_end(PoiseUi* ui);

void poise__ui_text(PoiseUi* ui, uint32_t colour, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Gives the text before a name, to be found by.
void poise__ui_note(PoiseUi* ui, const char* name);
/// A name in a table, on the line of the sliders beside it; one that is too long loses its
/// beginning, since names differ at their ends.
void poise__ui_name(PoiseUi* ui, uint32_t colour, const char* text);
/// Whether a key went down in this frame, or repeats.
bool poise__ui_pressed(PoiseUi* ui, int key);
/// Brings the last widget into sight.
void poise__ui_scroll_here(PoiseUi* ui);
/// A text that is too long for its line loses its end, and has all of it as a tip.
void poise__ui_short(PoiseUi* ui, uint32_t colour, const char* text);
/// The next text stands on the line of the widgets beside it.
void poise__ui_align(PoiseUi* ui);
/// As poise__ui_text, folded at the panel's edge.
void poise__ui_paragraph(PoiseUi* ui, const char* text);
bool poise__ui_button(PoiseUi* ui, const char* name, const char* text);
/// A button that stays down.
bool poise__ui_toggle(PoiseUi* ui, const char* name, const char* text, bool on);
bool poise__ui_check(PoiseUi* ui, const char* name, const char* text, bool* on);
typedef struct PoiseUiChoice {
    const char* name;
    const char* text;
    const char* const* choices;
    int count;
} PoiseUiChoice;
bool poise__ui_choice(PoiseUi* ui, const PoiseUiChoice* choice, int* chosen);
/// A row of a list.
bool poise__ui_row(PoiseUi* ui, const char* name, const char* text, bool chosen);

typedef struct PoiseUiNumber {
    const char* name;
    /// Written to the right; "" for none.
    const char* text;
    double lower;
    double upper;
    bool logarithmic;
    bool whole;
    int digits;   ///< behind the point; 0: four in all, 12.3k for 12300
    double width; ///< 0: what is left of the line
} PoiseUiNumber;

/// A number that is dragged: to the right it grows, Shift goes finely; a way of `d` window units
/// multiplies a logarithmic one with exp(d / 100), and takes another over d / 600 of its range.
/// Ctrl+click or a double click types one, within its ends or not, which counts when Enter is
/// pressed. Returns POISE_UI_* bits.
int poise__ui_number(PoiseUi* ui, const PoiseUiNumber* number, double* value);
/// A field to type in; POISE_UI_CHANGED with each letter, POISE_UI_ENDED on Enter.
int poise__ui_field(PoiseUi* ui, const char* name, const char* hint, char* text, int capacity);
/// The next field gets what is typed; all of its text is chosen.
void poise__ui_focus_next(PoiseUi* ui);
/// The same, to type on behind its text.
void poise__ui_resume_next(PoiseUi* ui);

void poise__ui_same_line(PoiseUi* ui);
/// The next button, which says `text`, or the next check stands beside the last widget where there
/// is room for it, else on a line of its own.
void poise__ui_flow_button(PoiseUi* ui, const char* text);
void poise__ui_flow_check(PoiseUi* ui, const char* text);
/// What is left of the line, window units.
double poise__ui_room(PoiseUi* ui);
/// Where the line begins.
double poise__ui_left(PoiseUi* ui);
/// What a button takes that says `text`, with the gap behind it.
double poise__ui_button_width(PoiseUi* ui, const char* text);
/// The same, at a distance from the panel's left edge.
void poise__ui_same_line_at(PoiseUi* ui, double x);
/// Of the last widget, while the pointer is on it.
void poise__ui_tip(PoiseUi* ui, const char* text);
bool poise__ui_hovered(PoiseUi* ui);

/// A table of columns; false when it is out of sight. Widths: of each column, 0: shares the rest.
bool poise__ui_table_begin(PoiseUi* ui, const char* name, const char* const* titles,
                           const double* widths, int columns);
void poise__ui_table_next(PoiseUi* ui);
void poise__ui_table_end(PoiseUi* ui);

/// Curves over one another: `values` [curve][sample], NAN where there is none.
typedef struct PoiseUiPlot {
    const float* const* values;
    const uint32_t* colours;
    int curve_count;
    int sample_count;
    bool logarithmic;
    double height;
    const char* title;
    /// Of a vertical line, -1: none.
    int mark;
} PoiseUiPlot;
void poise__ui_plot(PoiseUi* ui, const char* name, const PoiseUiPlot* plot);

/// A bar in a cell of a table, as wide as it: a part of it filled, a line across it, a text on it.
typedef struct PoiseUiMeter {
    double from; ///< of the filled part, 0..1 of the bar
    double to;
    double tick; ///< of the line across; negative: none
    uint32_t colour;
    const char* text;
} PoiseUiMeter;
/// As a number it is `to`.
void poise__ui_meter(PoiseUi* ui, const char* name, const PoiseUiMeter* meter);

typedef struct PoiseUiCurve {
    const float* values; ///< NAN where there is none
    uint32_t colour;
    int lane;
} PoiseUiCurve;

/// Curves over time, below the bar of time of the name `under` in the same frame and exactly as
/// wide as it is: 0 and `end` are where the bar has them. A lane for each unit, one above the
/// other.
typedef struct PoiseUiChart {
    const char* under;
    const float* times; ///< s, of each sample
    int sample_count;
    const PoiseUiCurve* curves;
    int curve_count;
    const char* const* units;
    int lane_count;
    double end; ///< s
    double height;
} PoiseUiChart;
/// A press goes to a time, as on the bar. Returns POISE_UI_* bits and moves `at`. What comes next
/// stands to its left.
int poise__ui_chart(PoiseUi* ui, const char* name, const PoiseUiChart* chart, double* at);

/// A line of a chart's legend: a dash of the curve's colour, its name, its value now.
typedef struct PoiseUiLegend {
    uint32_t colour;
    const char* text;
    const char* value;
    double width;
} PoiseUiLegend;
/// True when it was pressed.
bool poise__ui_legend(PoiseUi* ui, const char* name, const PoiseUiLegend* legend);

/// A grid of cells coloured by value; 0xrrggbb00 leaves a cell out.
typedef struct PoiseUiCells {
    const uint32_t* colours;
    int rows;
    int columns;
    double side;
    /// Written to the left of the rows and over the columns, upwards; NULL: none.
    const char* const* row_names;
    const char* const* column_names;
} PoiseUiCells;
/// Returns the cell the pointer is on, -1: none.
int poise__ui_cells(PoiseUi* ui, const char* name, const PoiseUiCells* cells);

/// Letters and figures on top of the picture, under the panels.
typedef struct PoiseUiLabel {
    double x;
    double y;
    /// 0: begins at x, 0.5: centred, 1: ends there.
    double align;
    uint32_t colour;
    const char* text;
} PoiseUiLabel;
void poise__ui_label(PoiseUi* ui, const PoiseUiLabel* label);
/// An arrow as a pointer is, its tip there.
void poise__ui_pointer(PoiseUi* ui, double x, double y);
/// A thin line from what a label is about to the label.
void poise__ui_leader(PoiseUi* ui, double x, double y, const PoiseUiLabel* label);
double poise__ui_text_width(PoiseUi* ui, const char* text);
double poise__ui_line_height(PoiseUi* ui);

/// A bar of time: from 0 to `end`, `at` is now. Marks are ticks. Returns POISE_UI_* bits and moves
/// `at`.
typedef struct PoiseUiTimeBar {
    double end;
    const double* marks;
    int mark_count;
    /// Another run lies over 0 .. ghost_end, 0: none.
    double ghost_end;
    double width;
} PoiseUiTimeBar;
int poise__ui_time_bar(PoiseUi* ui, const char* name, const PoiseUiTimeBar* bar, double* at);

#ifdef __cplusplus
}
#endif

#endif
