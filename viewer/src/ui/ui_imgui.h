// SPDX-License-Identifier: MIT
// The state and functions that the files with Dear ImGui share. These files are the only C++ of the
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
    /// The arguments of poise__ui_create and poise__ui_set_pixels; `letters` is the number of times
    /// that letters were made.
    double pixels;
    const char* font;
    /// Letters of headings; NULL: as for other text.
    ImFont* bold;
    unsigned letters;
    /// True after ImGui's renderer was set up.
    bool paints;
    PoiseUiItem items[POISE_UI_ITEMS];
    int item_count;
    /// Widgets of the last finished frame; those of the present frame are in `items`.
    PoiseUiItem shown[POISE_UI_ITEMS];
    int shown_count;
    float panels[POISE_UI_PANELS][4];
    int panel_count;
    float covered[POISE_UI_PANELS][4];
    int covered_count;
    bool takes_text;
    /// True if the next text field starts with the cursor at the end of its text.
    bool resumes;
    /// Keys that were pressed and released since the last frame. A release takes effect after the
    /// next frame, since ImGui reads states once a frame and would miss the press.
    bool pressed[POISE_UI_KEYS];
    bool released[POISE_UI_KEYS];
    /// Modifiers now, and at the last press after the last frame.
    int mods;
    int press_mods;
    bool has_press;
};

/// Makes this context ImGui's current one. Functions that are called outside of a frame call it
/// first; poise__ui_begin calls it for the widgets.
inline void poise__ui_use(const PoiseUi* ui) {
    ImGui::SetCurrentContext(ui->context);
}

/// Stores the position of the last widget under its name.
PoiseUiItem* poise__ui_note_item(PoiseUi* ui, const char* name);
/// Returns POISE_UI_* bits for the last widget, which has `changed` in this frame.
int poise__ui_edits(bool changed);

ImVec4 poise__ui_rgb(unsigned hex, float alpha = 1.0f);
inline ImU32 poise__ui_packed(uint32_t rgba) {
    return IM_COL32(rgba >> 24, (rgba >> 16) & 255u, (rgba >> 8) & 255u, rgba & 255u);
}

#endif
