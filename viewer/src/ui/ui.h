// SPDX-License-Identifier: MIT
// The widgets of the panels, for C, implemented with Dear ImGui (the *.cpp). Events come in and
// triangles go out, so that it runs without a window or OpenGL. Scripts and tests find each widget
// by its name ("run/pause", or a parameter's key). Lengths are window units from the upper left
// corner; colours are 0xrrggbbaa.
#ifndef POISE_UI_H
#define POISE_UI_H

#include "input.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PoiseUi PoiseUi;

/// Makes the panels. `pixels` is the number of pixels per window unit, for sharp letters. `font` is
/// the path of a TrueType file, borrowed; NULL: a built-in font. Returns NULL when memory is short.
PoiseUi* poise__ui_create(double pixels, const char* font);
/// Destroys the panels. NULL is allowed.
void poise__ui_destroy(PoiseUi* ui);

/// Makes letters for another number of pixels per window unit; does nothing if it is the same. Call
/// it between two frames.
void poise__ui_set_pixels(PoiseUi* ui, double pixels);
/// Returns a number that grows when poise__ui_set_pixels makes new letters.
unsigned poise__ui_letters(const PoiseUi* ui);

/// Returns the path of a font of the system for the panels; NULL if there is none.
const char* poise__ui_system_font(void);

// ----------------------------------------------------------------------------------------- a frame

/// Passes an event to the panels, before the next poise__ui_begin.
void poise__ui_event(PoiseUi* ui, const PoiseEvent* event);
void poise__ui_begin(PoiseUi* ui, double width, double height, double seconds);
void poise__ui_end(PoiseUi* ui);

/// True if a panel or one of its menus was at this position in the last frame.
bool poise__ui_covers(const PoiseUi* ui, double x, double y);
/// True if a text field has the keyboard.
bool poise__ui_takes_text(const PoiseUi* ui);

// ----------------------------------------------------------------------------------------- drawing

/// Size of a framebuffer in pixels and in window units.
typedef struct PoiseUiCanvas {
    int width;
    int height;
    double window_width;
    double window_height;
    /// Width and height of the part at the left and above that no opaque panel covers, window
    /// units.
    double free_width;
    double free_height;
    /// Part of the window that labels and popups are drawn in: left, top, right and bottom.
    double part[4];
} PoiseUiCanvas;

/// A part of a frame: the panels, which cover all but the free part, or labels and popups.
typedef enum PoiseUiPart { POISE_UI_PANELS_PART, POISE_UI_OTHERS_PART } PoiseUiPart;

/// Makes the texture of the letters and the shader program in the current OpenGL context. Later
/// calls of poise__ui_paint need the same context. Returns false if the context cannot draw the
/// panels.
bool poise__ui_paint_begin(PoiseUi* ui);
/// Draws a part of the last frame into the bound framebuffer.
void poise__ui_paint(PoiseUi* ui, const PoiseUiCanvas* canvas, PoiseUiPart part);
/// True if the last frame has panels or labels.
bool poise__ui_has_frame(const PoiseUi* ui);
/// Returns a hash of the last frame, or of one of its parts. Equal hashes mean equal pixels.
uint64_t poise__ui_hash(const PoiseUi* ui);
uint64_t poise__ui_part_hash(const PoiseUi* ui, const PoiseUiCanvas* canvas, PoiseUiPart part);
/// For tests: returns the number of indices of the last frame's triangles, and the sum of the
/// colours of those corners that are within half a window unit of x, y.
int poise__ui_index_count(const PoiseUi* ui);
uint64_t poise__ui_colours_at(const PoiseUi* ui, double x, double y);

// ----------------------------------------------------------------------------------------- finding

typedef struct PoiseUiItem {
    char name[128];
    float left;
    float top;
    float right;
    float bottom;
    /// True for a widget with a number, `value`. A slider also has the values at its ends, `lower`
    /// and `upper`.
    bool number;
    bool slider;
    double value;
    double lower;
    double upper;
} PoiseUiItem;

/// Finds the visible part of the widget with this name in the last frame. Returns false if there is
/// none.
bool poise__ui_find(const PoiseUi* ui, const char* name, PoiseUiItem* item);
int poise__ui_item_count(const PoiseUi* ui);
const PoiseUiItem* poise__ui_item(const PoiseUi* ui, int index);
/// Returns the position on a slider that shows `value`, window units from its left edge.
double poise__ui_slider_place(const PoiseUiItem* item, double value);

// ----------------------------------------------------------------------------------------- widgets

/// Changes of a widget by the person in this frame, one bit each.
enum { POISE_UI_CHANGED = 1, POISE_UI_BEGAN = 2, POISE_UI_ENDED = 4 };

typedef struct PoiseUiPlace {
    double x;
    double y;
    double width;
    double height;
} PoiseUiPlace;

/// Opens a panel at a fixed place. A `bare` panel has no title and no scroll bar. The caller ends
/// each panel and popup by poise__ui_panel_end.
void poise__ui_panel_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool bare);
void poise__ui_panel_end(PoiseUi* ui);
/// Begins a part of a panel that can be folded. Returns false while it is folded.
bool poise__ui_section(PoiseUi* ui, const char* name, const char* title, bool open_at_first);
/// Opens a window over everything. Returns false, and sets `*open` to false, after a press outside
/// of it.
bool poise__ui_popup_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool* open);

void poise__ui_text(PoiseUi* ui, uint32_t colour, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Shows a number with its unit, such as "3.1 mm", at the right end of its column. The unit is
/// dimmer.
void poise__ui_figure(PoiseUi* ui, const char* text);
/// Gives the last text a name by which poise__ui_find finds it.
void poise__ui_note(PoiseUi* ui, const char* name);
/// Shows a name in a table, aligned with the sliders of its row. A name that is too long loses its
/// beginning, since names differ at their ends.
void poise__ui_name(PoiseUi* ui, uint32_t colour, const char* text);
/// True if the key was pressed in this frame, or repeats.
bool poise__ui_pressed(PoiseUi* ui, int key);
/// Scrolls to the last widget.
void poise__ui_scroll_here(PoiseUi* ui);
/// Shows a text in one line. A text that is too long loses its end and gets a tip with the whole.
void poise__ui_short(PoiseUi* ui, uint32_t colour, const char* text);
/// Aligns the next text with the widgets of its line.
void poise__ui_align(PoiseUi* ui);
/// Shows a text with line breaks at the panel's edge.
void poise__ui_paragraph(PoiseUi* ui, const char* text);
bool poise__ui_button(PoiseUi* ui, const char* name, const char* text);
/// Shows a button that looks pressed while `on`.
bool poise__ui_toggle(PoiseUi* ui, const char* name, const char* text, bool on);
bool poise__ui_check(PoiseUi* ui, const char* name, const char* text, bool* on);
typedef struct PoiseUiChoice {
    const char* name;
    const char* text;
    const char* const* choices;
    int count;
} PoiseUiChoice;
bool poise__ui_choice(PoiseUi* ui, const PoiseUiChoice* choice, int* chosen);
/// Shows a row of a list. Returns true if it is pressed.
bool poise__ui_row(PoiseUi* ui, const char* name, const char* text, bool chosen);

typedef struct PoiseUiNumber {
    const char* name;
    /// Text to the right; "": none.
    const char* text;
    double lower;
    double upper;
    bool logarithmic;
    bool whole;
    int digits;   ///< decimals; 0: four digits in all, 12.3k for 12300
    double width; ///< width of the number; 0: the rest of the line
} PoiseUiNumber;

/// Shows a number that is dragged: it grows to the right, ten times slower with Shift. A motion of
/// d window units multiplies a logarithmic number by exp(d / 100). It changes others by d / 600 of
/// their range. Ctrl+click or a double click lets the person type a number, which may exceed the
/// range and takes effect on Enter. Returns POISE_UI_* bits.
int poise__ui_number(PoiseUi* ui, const PoiseUiNumber* number, double* value);
/// Shows a text field. Returns POISE_UI_CHANGED after a change of its text, POISE_UI_ENDED on
/// Enter.
int poise__ui_field(PoiseUi* ui, const char* name, const char* hint, char* text, int capacity);
/// Gives the keyboard to the next field and selects its whole text.
void poise__ui_focus_next(PoiseUi* ui);
/// Gives the keyboard to the next field, with the cursor at the end of its text.
void poise__ui_resume_next(PoiseUi* ui);

void poise__ui_same_line(PoiseUi* ui);
/// Keeps the next button with this text, or the next check, on the line of the last widget if there
/// is room. Otherwise the widget starts a new line.
void poise__ui_flow_button(PoiseUi* ui, const char* text);
void poise__ui_flow_check(PoiseUi* ui, const char* text);
/// Returns the rest of the line's width, window units.
double poise__ui_room(PoiseUi* ui);
/// Returns the left end of the line, window units.
double poise__ui_left(PoiseUi* ui);
/// Returns the width of a button with this text and of the gap behind it, window units.
double poise__ui_button_width(PoiseUi* ui, const char* text);
/// Continues the line at a distance from the panel's left edge.
void poise__ui_same_line_at(PoiseUi* ui, double x);
/// Shows a tip while the pointer is on the last widget.
void poise__ui_tip(PoiseUi* ui, const char* text);
bool poise__ui_hovered(PoiseUi* ui);

/// Begins a table. `widths` are those of the columns; columns of width 0 share the rest. Returns
/// false if the table is not visible.
bool poise__ui_table_begin(PoiseUi* ui, const char* name, const char* const* titles,
                           const double* widths, int columns);
void poise__ui_table_next(PoiseUi* ui);
void poise__ui_table_end(PoiseUi* ui);

/// A bar that fills a cell of a table, with a coloured part, a line across and a text.
typedef struct PoiseUiMeter {
    double from; ///< start of the coloured part, 0..1 of the bar
    double to;
    double tick; ///< position of the line; negative: none
    uint32_t colour;
    const char* text;
} PoiseUiMeter;
/// Shows the bar. Its value for poise__ui_find is `to`.
void poise__ui_meter(PoiseUi* ui, const char* name, const PoiseUiMeter* meter);

typedef struct PoiseUiCurve {
    const float* values; ///< NAN where undefined
    uint32_t colour;
    int lane;
} PoiseUiCurve;

/// Curves of decimal logarithms in one plot, over the index of their samples.
typedef struct PoiseUiPlot {
    const PoiseUiCurve* curves;
    int curve_count;
    int sample_count;
    double height;
    const char* title;
    /// Sample with a vertical line; -1: none.
    int mark;
} PoiseUiPlot;
void poise__ui_plot(PoiseUi* ui, const char* name, const PoiseUiPlot* plot);

/// Curves over time below the time bar `under`, which must be in the same frame. The chart is as
/// wide as the bar and has the same times at the same positions. Each unit has a lane; lanes are
/// stacked.
typedef struct PoiseUiChart {
    const char* under;
    const float* times; ///< time of each sample, s
    int sample_count;
    const PoiseUiCurve* curves;
    int curve_count;
    const char* const* units;
    int lane_count;
    double end; ///< time at the right end, s
    double height;
} PoiseUiChart;
/// Shows the chart; a press in it sets the time `at`, as on the bar. Returns POISE_UI_* bits. The
/// next widget is to the left of the chart. `lower` and `upper` of the item "NAME/0" are the range
/// of the first lane: if a first peak is far above the last half of the time, the peak is cut off.
int poise__ui_chart(PoiseUi* ui, const char* name, const PoiseUiChart* chart, double* at);

/// A line of a chart's legend: a dash in the curve's colour, its name and its present value.
typedef struct PoiseUiLegend {
    uint32_t colour;
    const char* text;
    const char* value;
    double width;
} PoiseUiLegend;
/// Shows the line. Returns true if it is pressed.
bool poise__ui_legend(PoiseUi* ui, const char* name, const PoiseUiLegend* legend);

/// A grid of coloured cells; a colour 0xrrggbb00 leaves the cell empty.
typedef struct PoiseUiCells {
    const uint32_t* colours;
    int rows;
    int columns;
    double side;
    /// Names to the left of the rows, and above the columns, written upwards; NULL: none.
    const char* const* row_names;
    const char* const* column_names;
} PoiseUiCells;
/// Shows the grid. Returns the cell under the pointer; -1: none.
int poise__ui_cells(PoiseUi* ui, const char* name, const PoiseUiCells* cells);

/// Text on the picture, under the panels.
typedef struct PoiseUiLabel {
    double x;
    double y;
    /// Alignment: 0: the text starts at x, 0.5: it is centred, 1: it ends there.
    double align;
    uint32_t colour;
    const char* text;
} PoiseUiLabel;
void poise__ui_label(PoiseUi* ui, const PoiseUiLabel* label);
/// Draws an arrow like a mouse pointer with its tip at x, y, or a closed hand around that place.
void poise__ui_pointer(PoiseUi* ui, double x, double y, bool grips);
/// Draws a thin line from x, y to the label.
void poise__ui_leader(PoiseUi* ui, double x, double y, const PoiseUiLabel* label);
double poise__ui_text_width(PoiseUi* ui, const char* text);
double poise__ui_line_height(PoiseUi* ui);

/// A time bar from 0 to `end`, s. A press on it sets the time `at`.
/// Returns POISE_UI_* bits.
typedef struct PoiseUiTimeBar {
    double end;
    /// End of another run, s, which a second line shows; 0: none.
    double ghost_end;
    double width;
} PoiseUiTimeBar;
int poise__ui_time_bar(PoiseUi* ui, const char* name, const PoiseUiTimeBar* bar, double* at);

#ifdef __cplusplus
}
#endif

#endif
