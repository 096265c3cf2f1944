// SPDX-License-Identifier: MIT
// Draws curves over the run's time, below the time bar and as wide as the bar, with a lane for each
// unit. Also draws the bars in tables.
#include "ui_imgui.h"

#include <cmath>
#include <cstring>

namespace {

const ImU32 DIM = IM_COL32(147, 160, 174, 255);
const ImU32 GRID = IM_COL32(255, 255, 255, 22);
const float FOOT = 15.0f; // height of the line of times below a chart, window units
enum { PLOT_SAMPLES = 256 };

struct Lane {
    double lower;
    double upper;
    float top;
    float bottom;
    double peak;   // the largest value, if it is cut off; otherwise 0
    double factor; // the number that is shown is factor * value, in `unit`
    const char* unit;
};

// A first peak is cut off if the later values are below this fraction of it. They would be a flat
// line beside the whole peak.
const double CUT_PART = 0.2;
// The later values are those in the last half of the time, at most in the last RECENT seconds.
const double RECENT = 10.0;

float height_at(const Lane& lane, double value) {
    return lane.bottom -
           float((value - lane.lower) / (lane.upper - lane.lower)) * (lane.bottom - lane.top);
}

// Returns 1, 2 or 5 times a power of ten, such that about `count` steps cover the range.
double step_of(double range, double count) {
    const double rough = range / count;
    const double power = pow(10.0, floor(log10(rough)));
    const double part = rough / power;
    return power * (part > 5.0 ? 10.0 : part > 2.0 ? 5.0 : part > 1.0 ? 2.0 : 1.0);
}

// Finds the range of the values of a lane at times from `from` to `at`, s.
void values_since(const PoiseUiChart* chart, int lane, double from, double at, double range[2]) {
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (int c = 0; c < chart->curve_count; c++) {
        for (int i = 0; chart->curves[c].lane == lane && i < chart->sample_count; i++) {
            const double value = double(chart->curves[c].values[i]);
            const double time = double(chart->times[i]);
            if (std::isfinite(value) && time >= from && time <= at) {
                range[0] = fmin(range[0], value);
                range[1] = fmax(range[1], value);
            }
        }
    }
}

void range_of(const PoiseUiChart* chart, int lane, double at, Lane* range) {
    double all[2], recent[2];
    values_since(chart, lane, 0.0, HUGE_VAL, all);
    values_since(chart, lane, fmax(0.5 * at, at - RECENT), at, recent);
    const bool cuts = recent[1] > 0.0 && recent[0] >= 0.0 && recent[1] < CUT_PART * all[1] &&
                      recent[1] > recent[0];
    double lower = cuts ? recent[0] : all[0];
    double upper = cuts ? recent[1] : all[1];
    range->peak = cuts ? all[1] : 0.0;
    if (lower > upper) {
        lower = 0.0;
        upper = 1.0;
    }
    // extends the range to 0 if 0 is near
    lower = lower > 0.0 && lower < 0.7 * upper ? 0.0 : lower;
    upper = upper < 0.0 && upper > 0.7 * lower ? 0.0 : upper;
    const double room = 0.07 * (upper - lower) + 1e-6 * fabs(upper) + 1e-12;
    range->lower = lower == 0.0 ? 0.0 : lower - room;
    range->upper = upper == 0.0 ? 0.0 : upper + room;
    // short lengths are shown in mm or um
    const double size = fmax(fabs(lower), fabs(upper));
    range->unit = chart->units[lane];
    range->factor = 1.0;
    if (strcmp(range->unit, "m") == 0 && size < 0.5) {
        range->factor = size < 1e-3 ? 1e6 : 1e3;
        range->unit = size < 1e-3 ? "um" : "mm";
    }
}

void draw_figure(ImVec2 at, double align, const char* text) {
    const ImVec2 size = ImGui::CalcTextSize(text);
    ImGui::GetWindowDrawList()->AddText(
        ImVec2(floorf(at.x - float(align) * size.x), floorf(at.y - 0.5f * size.y)), DIM, text);
}

// Draws horizontal lines with their values to the left; the last value has the unit.
void draw_scale(const Lane& lane, float left, float right) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const double tick = step_of(lane.upper - lane.lower, 3.0);
    char text[48];
    draw->AddRectFilled(ImVec2(left, lane.top), ImVec2(right, lane.bottom),
                        IM_COL32(18, 23, 29, 255), 2.0f);
    for (double at = ceil(lane.lower / tick - 1e-9) * tick; at <= lane.upper; at += tick) {
        const float y = height_at(lane, at);
        const bool last = at + tick > lane.upper;
        draw->AddLine(ImVec2(left, y), ImVec2(right, y), GRID);
        snprintf(text, sizeof text, "%.4g%s%s", fabs(at) < 1e-9 * tick ? 0.0 : lane.factor * at,
                 last && lane.unit[0] != 0 ? " " : "", last ? lane.unit : "");
        draw_figure(ImVec2(left - 4.0f, y), 1.0, text);
    }
}

void draw_times(const PoiseUiChart* chart, float left, float right, float top, float bottom) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const double tick = step_of(chart->end, fmax(2.0, double(right - left) / 90.0));
    char text[32];
    for (double at = 0.0; at <= chart->end * (1.0 + 1e-9); at += tick) {
        const float x = left + float(at / chart->end) * (right - left);
        draw->AddLine(ImVec2(x, top), ImVec2(x, bottom), GRID);
        snprintf(text, sizeof text, "%g s", at);
        draw_figure(ImVec2(x, bottom + 0.5f * FOOT), at > 0.0 ? 0.5 : 0.0, text);
    }
}

void draw_curve(const PoiseUiChart* chart, const PoiseUiCurve* curve, const Lane& lane, float left,
                float right) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    ImVec2 last(0.0f, 0.0f);
    bool has_last = false;
    for (int i = 0; i < chart->sample_count; i++) {
        const double value = double(curve->values[i]);
        const double part = double(chart->times[i]) / chart->end;
        if (!std::isfinite(value) || part > 1.0 + 1e-6) {
            has_last = false;
            continue;
        }
        const ImVec2 here(left + float(part) * (right - left), height_at(lane, value));
        if (has_last) {
            draw->AddLine(last, here, poise__ui_packed(curve->colour), 1.4f);
        }
        last = here;
        has_last = true;
    }
}

// Writes the value of a peak that is cut off.
void draw_peak(const Lane& lane, float x) {
    char text[64];
    const bool in_mm = strcmp(lane.unit, "um") == 0 && lane.peak >= 1e-3;
    snprintf(text, sizeof text, "up to %.3g %s before", (in_mm ? 1e3 : lane.factor) * lane.peak,
             in_mm ? "mm" : lane.unit);
    draw_figure(ImVec2(x, lane.top + 0.5f * ImGui::GetTextLineHeight()), 0.5, text);
}

} // namespace

extern "C" {

int poise__ui_chart(PoiseUi* ui, const char* name, const PoiseUiChart* chart, double* at) {
    const PoiseUiItem* bar = nullptr;
    for (int i = 0; i < ui->item_count; i++) {
        bar = strcmp(ui->items[i].name, chart->under) == 0 ? &ui->items[i] : bar;
    }
    if (!bar || chart->lane_count < 1 || !(chart->end > 0.0)) {
        return 0;
    }
    const float left = bar->left;
    const float right = bar->right;
    const ImVec2 back = ImGui::GetCursorScreenPos();
    const float bottom = back.y + float(chart->height) - FOOT;
    ImGui::SetCursorScreenPos(ImVec2(left, back.y));
    ImGui::InvisibleButton(name, ImVec2(right - left, float(chart->height) - FOOT));
    bool changed = false;
    if (ImGui::IsItemActive()) {
        double part = double((ImGui::GetIO().MousePos.x - left) / (right - left));
        part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
        changed = *at != part * chart->end;
        *at = part * chart->end;
    }
    const int bits = poise__ui_edits(changed);
    PoiseUiItem* item = poise__ui_note_item(ui, name);
    item->slider = true;
    item->value = *at;
    item->upper = chart->end;
    const float lane_height = (bottom - back.y) / float(chart->lane_count);
    for (int i = 0; i < chart->lane_count; i++) {
        Lane lane;
        lane.top = back.y + float(i) * lane_height;
        lane.bottom = lane.top + lane_height - 3.0f;
        range_of(chart, i, *at, &lane);
        char scale[64];
        snprintf(scale, sizeof scale, "%.40s/%d", name, i);
        PoiseUiItem* shown = poise__ui_note_item(ui, scale);
        shown->lower = lane.lower;
        shown->upper = lane.upper;
        draw_scale(lane, left, right);
        ImGui::GetWindowDrawList()->PushClipRect(ImVec2(left, lane.top),
                                                 ImVec2(right, lane.bottom + 1.0f), true);
        for (int c = 0; c < chart->curve_count; c++) {
            if (chart->curves[c].lane == i) {
                draw_curve(chart, &chart->curves[c], lane, left, right);
            }
        }
        if (lane.peak > 0.0) {
            draw_peak(lane, 0.5f * (left + right));
        }
        ImGui::GetWindowDrawList()->PopClipRect();
    }
    draw_times(chart, left, right, back.y, bottom - 3.0f);
    const double part = *at / chart->end < 1.0 ? *at / chart->end : 1.0;
    const float x = left + float(part) * (right - left);
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x, back.y - 4.0f), ImVec2(x, bottom - 3.0f),
                                        IM_COL32(232, 236, 241, 200), 1.2f);
    ImGui::SetCursorScreenPos(back);
    return bits;
}

void poise__ui_plot(PoiseUi* ui, const char* name, const PoiseUiPlot* plot) {
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 end(at.x + width, at.y + float(plot->height));
    ImGui::InvisibleButton(name, ImVec2(width, float(plot->height)));
    poise__ui_note_item(ui, name);
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(at, end, IM_COL32(18, 23, 29, 255), 3.0f);
    float times[PLOT_SAMPLES];
    PoiseUiChart chart{};
    chart.times = times;
    chart.sample_count = plot->sample_count < PLOT_SAMPLES ? plot->sample_count : PLOT_SAMPLES;
    chart.curves = plot->curves;
    chart.curve_count = plot->curve_count;
    chart.end = fmax(1.0, chart.sample_count - 1.0);
    for (int i = 0; i < chart.sample_count; i++) {
        times[i] = float(i);
    }
    double range[2];
    values_since(&chart, 0, 0.0, HUGE_VAL, range);
    const double room = range[0] <= range[1] ? 0.06 * (range[1] - range[0]) + 1e-9 : 0.0;
    Lane lane{};
    // the title needs a line of its own
    lane.top = at.y + ImGui::GetFontSize() + 4.0f;
    lane.bottom = end.y;
    lane.lower = room > 0.0 ? range[0] - room : 0.0;
    lane.upper = room > 0.0 ? range[1] + room : 1.0;
    for (int i = 0; i < plot->curve_count; i++) {
        draw_curve(&chart, &plot->curves[i], lane, at.x, end.x);
    }
    if (plot->mark >= 0 && plot->sample_count > 1) {
        const float x = at.x + width * float(plot->mark / chart.end);
        draw->AddLine(ImVec2(x, lane.top), ImVec2(x, end.y), IM_COL32(255, 180, 0, 200));
    }
    char text[64];
    snprintf(text, sizeof text, "%.3g .. %.3g", pow(10.0, lane.lower), pow(10.0, lane.upper));
    const float middle = at.y + 1.0f + 0.5f * ImGui::GetTextLineHeight();
    draw_figure(ImVec2(at.x + 5.0f, middle), 0.0, plot->title);
    draw_figure(ImVec2(end.x - 5.0f, middle), 1.0, text);
}

bool poise__ui_legend(PoiseUi* ui, const char* name, const PoiseUiLegend* legend) {
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const bool pressed = ImGui::InvisibleButton(name, ImVec2(float(legend->width), line));
    poise__ui_note_item(ui, name);
    const ImU32 ink = ImGui::IsItemHovered() ? IM_COL32(255, 255, 255, 255) : DIM;
    const float value = ImGui::CalcTextSize(legend->value).x;
    const float end = at.x + float(legend->width);
    draw->AddRectFilled(ImVec2(at.x, at.y + 0.5f * line - 2.0f),
                        ImVec2(at.x + 10.0f, at.y + 0.5f * line + 2.0f),
                        poise__ui_packed(legend->colour));
    draw->PushClipRect(at, ImVec2(end - value - 6.0f, at.y + line + 2.0f), true);
    draw->AddText(ImVec2(at.x + 15.0f, at.y), ink, legend->text);
    draw->PopClipRect();
    draw->AddText(ImVec2(end - value, at.y), IM_COL32(232, 236, 241, 255), legend->value);
    return pressed;
}

void poise__ui_meter(PoiseUi* ui, const char* name, const PoiseUiMeter* meter) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = ImGui::GetFrameHeight();
    ImDrawList* draw = ImGui::GetWindowDrawList();
    ImGui::InvisibleButton(name, ImVec2(width > 4.0f ? width : 4.0f, height));
    PoiseUiItem* item = poise__ui_note_item(ui, name);
    item->number = true;
    item->value = meter->to;
    const float top = at.y + 3.0f;
    const float bottom = at.y + height - 3.0f;
    auto place = [&](double part) {
        return at.x + width * float(part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0);
    };
    draw->AddRectFilled(ImVec2(at.x, top), ImVec2(at.x + width, bottom), IM_COL32(18, 23, 29, 255),
                        2.0f);
    const float from = place(fmin(meter->from, meter->to));
    const float to = place(fmax(meter->from, meter->to));
    draw->AddRectFilled(ImVec2(from, top), ImVec2(to > from + 1.0f ? to : from + 1.0f, bottom),
                        poise__ui_packed(meter->colour), 2.0f);
    if (meter->tick >= 0.0) {
        const float x = place(meter->tick);
        draw->AddRectFilled(ImVec2(x - 1.0f, top - 2.0f), ImVec2(x + 1.0f, bottom + 2.0f),
                            IM_COL32(232, 236, 241, 255));
    }
    const ImVec2 size = ImGui::CalcTextSize(meter->text);
    const ImVec2 text(floorf(at.x + 0.5f * (width - size.x)),
                      floorf(at.y + 0.5f * (height - size.y)));
    draw->AddText(ImVec2(text.x + 1.0f, text.y + 1.0f), IM_COL32(18, 23, 29, 255), meter->text);
    draw->AddText(text, IM_COL32(232, 236, 241, 255), meter->text);
}

} // extern "C"
