// SPDX-License-Identifier: MIT
// The widgets of the panels, with a C interface, implemented with Dear ImGui (the *.cpp files).
// Events are the input and triangles the output, so that it runs without a window or OpenGL.
// Scripts and tests find each widget by its name ("run/pause", or a parameter's key). Lengths are
// in window units from the upper left corner; colours are 0xrrggbbaa.
#ifndef POISE_UI_H
#define POISE_UI_H

#include "input.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PoiseUi PoiseUi;

/// Makes the panels. `pixels` is the number of pixels per window unit, for sharp letters. `font` is
/// the path of a TrueType file, not owned; NULL: a built-in font. Returns NULL if memory runs out.
PoiseUi* poise__ui_create(double pixels, const char* font);
/// Destroys the panels. NULL is allowed.
void poise__ui_destroy(PoiseUi* ui);

/// Makes letters for another number of pixels per window unit, if it differs. Call this between two
/// frames.
void poise__ui_set_pixels(PoiseUi* ui, double pixels);
/// Returns a number that increases when poise__ui_set_pixels makes new letters.
unsigned poise__ui_letters(const PoiseUi* ui);

/// Returns the path of a system font for the panels, or NULL.
const char* poise__ui_system_font(void);

// ----------------------------------------------------------------------------------------- a frame

/// Passes an event to the panels; call it before the next poise__ui_begin.
void poise__ui_event(PoiseUi* ui, const PoiseEvent* event);
void poise__ui_begin(PoiseUi* ui, double width, double height, double seconds);
void poise__ui_end(PoiseUi* ui);

/// True if a panel or one of its menus was at this position in the last frame.
bool poise__ui_covers(const PoiseUi* ui, double x, double y);
/// True if a text field has the keyboard focus.
bool poise__ui_takes_text(const PoiseUi* ui);

// ----------------------------------------------------------------------------------------- drawing

/// Size of a framebuffer in pixels and in window units.
typedef struct PoiseUiCanvas {
    int width;
    int height;
    double window_width;
    double window_height;
    /// Width and height of the free part, at the left and above, that no opaque panel covers,
    /// window units.
    double free_width;
    double free_height;
    /// Part of the window in which labels and popups are rendered: left, top, right, bottom.
    double part[4];
} PoiseUiCanvas;

/// The two parts of a frame: the panels, which cover the window outside of the free part; labels
/// and popups.
typedef enum PoiseUiPart { POISE_UI_PANELS_PART, POISE_UI_OTHERS_PART } PoiseUiPart;

/// Makes the texture with the letters and the shader program in the current OpenGL context, which
/// later calls of poise__ui_paint need. Returns false if the context cannot render the panels.
bool poise__ui_paint_begin(PoiseUi* ui);
/// Renders a part of the last frame into the bound framebuffer.
void poise__ui_paint(PoiseUi* ui, const PoiseUiCanvas* canvas, PoiseUiPart part);
/// True if the last frame has panels or labels.
bool poise__ui_has_frame(const PoiseUi* ui);
/// poise__ui_hash returns a hash of the last frame, poise__ui_part_hash of one of its parts. Equal
/// hashes mean equal pixels.
uint64_t poise__ui_hash(const PoiseUi* ui);
uint64_t poise__ui_part_hash(const PoiseUi* ui, const PoiseUiCanvas* canvas, PoiseUiPart part);
/// For tests: return the number of indices of the last frame's triangles, and the sum of the
/// colours of their corners within half a window unit of x, y.
int poise__ui_index_count(const PoiseUi* ui);
uint64_t poise__ui_colours_at(const PoiseUi* ui, double x, double y);

// ----------------------------------------------------------------------------------------- finding

typedef struct PoiseUiItem {
    char name[128];
    float left;
    float top;
    float right;
    float bottom;
    /// True for a widget with a number, which is `value`. A slider also has the values at its ends,
    /// `lower` and `upper`.
    bool number;
    bool slider;
    double value;
    double lower;
    double upper;
} PoiseUiItem;

/// Finds the visible part of the widget with this name in the last frame. Returns false if no
/// widget has it.
bool poise__ui_find(const PoiseUi* ui, const char* name, PoiseUiItem* item);
int poise__ui_item_count(const PoiseUi* ui);
const PoiseUiItem* poise__ui_item(const PoiseUi* ui, int index);
/// Returns the position on a slider that means `value`, window units from its left edge.
double poise__ui_slider_place(const PoiseUiItem* item, double value);

// ----------------------------------------------------------------------------------------- widgets

/// Bits that tell what the person did to a widget in this frame.
enum { POISE_UI_CHANGED = 1, POISE_UI_BEGAN = 2, POISE_UI_ENDED = 4 };

typedef struct PoiseUiPlace {
    double x;
    double y;
    double width;
    double height;
} PoiseUiPlace;

/// Opens a panel with this position and size. A `bare` panel has no title and no scroll bar. The
/// caller ends each panel and popup by poise__ui_panel_end.
void poise__ui_panel_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool bare);
void poise__ui_panel_end(PoiseUi* ui);
/// Begins a section of a panel, which can be folded. Returns false while it is folded.
bool poise__ui_section(PoiseUi* ui, const char* name, const char* title, bool open_at_first);
/// Opens a window over everything. After a press outside of it returns false and sets `*open` to
/// false.
bool poise__ui_popup_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool* open);

void poise__ui_text(PoiseUi* ui, uint32_t colour, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Shows a number with its unit, such as "3.1 mm", at the right end of its column, the unit dimmer.
void poise__ui_figure(PoiseUi* ui, const char* text);
/// Gives the last text a name, by which poise__ui_find finds it.
void poise__ui_note(PoiseUi* ui, const char* name);
/// Shows a name in a table, aligned with the sliders of its row. The beginning of a name that is
/// too long is cut off, since names differ at their ends.
void poise__ui_name(PoiseUi* ui, uint32_t colour, const char* text);
/// True if the key was pressed in this frame, or is held and repeats.
bool poise__ui_pressed(PoiseUi* ui, int key);
/// Scrolls to the last widget.
void poise__ui_scroll_here(PoiseUi* ui);
/// Shows a text in one line. The end of a text that is too long is cut off; its tip is the whole
/// text.
void poise__ui_short(PoiseUi* ui, uint32_t colour, const char* text);
/// Aligns the next text with the widgets of its line.
void poise__ui_align(PoiseUi* ui);
/// Shows a text, with line breaks at the panel's edge.
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
/// Shows a row of a list. Returns true if the person presses it.
bool poise__ui_row(PoiseUi* ui, const char* name, const char* text, bool chosen);

typedef struct PoiseUiNumber {
    const char* name;
    /// Text to the right of the number; "": none.
    const char* text;
    double lower;
    double upper;
    bool logarithmic;
    bool whole;
    int digits;   ///< number of decimals; 0: four digits in all, such as 12.3k for 12300
    double width; ///< width of the number, window units; 0: the remaining width of the line
} PoiseUiNumber;

/// Shows a number that can be dragged. It increases to the right, ten times slower with Shift. A
/// motion of d window units multiplies a logarithmic number by exp(d / 100), and adds d / 600 of
/// the range to others. After Ctrl+click or a double click the person types a number, which may be
/// outside of the range; Enter sets it. Returns POISE_UI_* bits.
int poise__ui_number(PoiseUi* ui, const PoiseUiNumber* number, double* value);
/// Shows a text field. Returns POISE_UI_CHANGED after a change of its text, POISE_UI_ENDED after
/// Enter.
int poise__ui_field(PoiseUi* ui, const char* name, const char* hint, char* text, int capacity);
/// Gives the keyboard focus to the next text field, and selects its whole text.
void poise__ui_focus_next(PoiseUi* ui);
/// Gives the keyboard focus to the next text field, with the cursor at the end of its text.
void poise__ui_resume_next(PoiseUi* ui);

void poise__ui_same_line(PoiseUi* ui);
/// Places the next button with this text (or the next check) on the line of the last widget if it
/// fits there; otherwise on a new line.
void poise__ui_flow_button(PoiseUi* ui, const char* text);
void poise__ui_flow_check(PoiseUi* ui, const char* text);
/// Returns the remaining width of the line, window units.
double poise__ui_room(PoiseUi* ui);
/// Returns the left end of the line, window units.
double poise__ui_left(PoiseUi* ui);
/// Returns the width of a button with this text and of the gap after it, window units.
double poise__ui_button_width(PoiseUi* ui, const char* text);
/// Continues the line at the distance `x` from the panel's left edge.
void poise__ui_same_line_at(PoiseUi* ui, double x);
/// Shows a tip while the pointer is on the last widget.
void poise__ui_tip(PoiseUi* ui, const char* text);
bool poise__ui_hovered(PoiseUi* ui);

/// Begins a table. `widths` are those of the columns; columns of width 0 share the remaining width.
/// Returns false if the table is not visible.
bool poise__ui_table_begin(PoiseUi* ui, const char* name, const char* const* titles,
                           const double* widths, int columns);
void poise__ui_table_next(PoiseUi* ui);
void poise__ui_table_end(PoiseUi* ui);

/// A bar that fills a cell of a table, with a coloured part, a vertical line and a text.
typedef struct PoiseUiMeter {
    double from; ///< start of the coloured part, as a fraction of the bar, 0..1
    double to;
    double tick; ///< position of the line, as a fraction of the bar; negative: none
    uint32_t colour;
    const char* text;
} PoiseUiMeter;
/// Shows the bar. Its value for poise__ui_find is `to`.
void poise__ui_meter(PoiseUi* ui, const char* name, const PoiseUiMeter* meter);

typedef struct PoiseUiCurve {
    const float* values; ///< values of the curve; NAN if undefined
    uint32_t colour;
    int lane;
} PoiseUiCurve;

/// A plot of curves of decimal logarithms over the index of their samples.
typedef struct PoiseUiPlot {
    const PoiseUiCurve* curves;
    int curve_count;
    int sample_count;
    double height;
    const char* title;
    /// Index of the sample with a vertical line; -1: none.
    int mark;
} PoiseUiPlot;
void poise__ui_plot(PoiseUi* ui, const char* name, const PoiseUiPlot* plot);

/// Curves over time below the time bar `under`, which must be in the same frame. The chart is as
/// wide as the bar and has its times at the same positions. Each unit has a lane; lanes are one
/// below another.
typedef struct PoiseUiChart {
    const char* under;
    const float* times; ///< time of each sample, s
    int sample_count;
    const PoiseUiCurve* curves;
    int curve_count;
    const char* const* units;
    int lane_count;
    double end; ///< time at the right end of the chart, s
    double height;
} PoiseUiChart;
/// Shows the chart. A press in it sets the time `at`, as on the bar. Returns POISE_UI_* bits. The
/// next widget is to the left of the chart. `lower` and `upper` of the item "NAME/0" are the range
/// of the first lane. If a first peak is far above the later values, the peak is cut off.
int poise__ui_chart(PoiseUi* ui, const char* name, const PoiseUiChart* chart, double* at);

/// A line of a chart's legend: a dash in the curve's colour, the curve's name and its present
/// value.
typedef struct PoiseUiLegend {
    uint32_t colour;
    const char* text;
    const char* value;
    double width;
} PoiseUiLegend;
/// Shows the line of the legend. Returns true if the person presses it.
bool poise__ui_legend(PoiseUi* ui, const char* name, const PoiseUiLegend* legend);

/// A grid of coloured cells; the colour 0xrrggbb00 makes a cell empty.
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

/// A text on the picture, under the panels.
typedef struct PoiseUiLabel {
    double x;
    double y;
    /// Alignment: the text starts at x (0), is centred at x (0.5) or ends at x (1).
    double align;
    uint32_t colour;
    const char* text;
} PoiseUiLabel;
void poise__ui_label(PoiseUi* ui, const PoiseUiLabel* label);
/// Draws an arrow like a mouse pointer with its tip at x, y. If `grips`, draws a closed hand there.
void poise__ui_pointer(PoiseUi* ui, double x, double y, bool grips);
/// Draws a thin line from x, y to the label.
void poise__ui_leader(PoiseUi* ui, double x, double y, const PoiseUiLabel* label);
double poise__ui_text_width(PoiseUi* ui, const char* text);
double poise__ui_line_height(PoiseUi* ui);

/// A time bar from 0 to `end`, s. A press on it sets the time `at`. Returns POISE_UI_* bits.
typedef struct PoiseUiTimeBar {
    double end;
    /// End of the ghost's run, s, which a second line shows; 0: none.
    double ghost_end;
    double width;
} PoiseUiTimeBar;
int poise__ui_time_bar(PoiseUi* ui, const char* name, const PoiseUiTimeBar* bar, double* at);

#ifdef __cplusplus
}
#endif

#endif
