// SPDX-License-Identifier: MIT
// The state and functions that the files with Dear ImGui share. They are the only C++ of the
// viewer.
#ifndef POISE_UI_IMGUI_H
#define POISE_UI_IMGUI_H

#include "ui.h"

#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <cstdio>

enum { POISE_UI_ITEMS = 2048, POISE_UI_KEYS = 512, POISE_UI_PANELS = 16 };

struct PoiseUi {
    ImGuiContext* context;
    /// The arguments of poise__ui_create and poise__ui_set_pixels. `letters` counts how often
    /// letters were made.
    double pixels;
    const char* font;
    /// Letters of headings; NULL: those of all other text.
    ImFont* bold;
    unsigned letters;
    /// True if ImGui's renderer has been set up.
    bool paints;
    PoiseUiItem items[POISE_UI_ITEMS];
    int item_count;
    /// Widgets of the last finished frame. Those of the present frame go to `items`.
    PoiseUiItem shown[POISE_UI_ITEMS];
    int shown_count;
    float panels[POISE_UI_PANELS][4];
    int panel_count;
    float covered[POISE_UI_PANELS][4];
    int covered_count;
    bool takes_text;
    /// True if the next field starts with the cursor at the end of its text.
    bool resumes;
    /// Keys pressed and released since the last frame. A release takes effect after the next frame;
    /// otherwise ImGui, which reads states once a frame, would miss the press.
    bool pressed[POISE_UI_KEYS];
    bool released[POISE_UI_KEYS];
    /// Modifiers now, and at the last press since the last frame.
    int mods;
    int press_mods;
    bool has_press;
};

/// Makes this context current, since ImGui has one. Functions that are called outside a frame call
/// it first; poise__ui_begin does it for the widgets.
inline void poise__ui_use(const PoiseUi* ui) {
    ImGui::SetCurrentContext(ui->context);
}

/// Stores the position of the last widget under its name.
PoiseUiItem* poise__ui_note_item(PoiseUi* ui, const char* name);
/// Returns POISE_UI_* bits for the last widget.
int poise__ui_edits(bool changed);

ImVec4 poise__ui_rgb(unsigned hex, float alpha = 1.0f);
inline ImU32 poise__ui_packed(uint32_t rgba) {
    return IM_COL32(rgba >> 24, (rgba >> 16) & 255u, (rgba >> 8) & 255u, rgba & 255u);
}

#endif
