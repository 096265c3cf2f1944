// SPDX-License-Identifier: MIT
// What the files that know Dear ImGui share: the only C++ there is.
#ifndef POISE_UI_IMGUI_H
#define POISE_UI_IMGUI_H

#include "ui.h"

#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <cstdio>

enum { POISE_UI_ITEMS = 2048, POISE_UI_KEYS = 512, POISE_UI_PANELS = 16 };

struct PoiseUi {
    ImGuiContext* context;
    /// As given to poise__ui_create and poise__ui_set_pixels; `letters` counts how often they were
    /// made.
    double pixels;
    const char* font;
    unsigned letters;
    PoiseUiItem items[POISE_UI_ITEMS];
    int item_count;
    /// As of the last frame that ended; widgets of the frame under way go to `items`.
    PoiseUiItem shown[POISE_UI_ITEMS];
    int shown_count;
    float panels[POISE_UI_PANELS][4];
    int panel_count;
    float covered[POISE_UI_PANELS][4];
    int covered_count;
    bool takes_text;
    /// The field that begins is typed on behind its text.
    bool resumes;
    /// Pressed since the last frame; and let go since: that counts after the next one, or ImGui,
    /// which looks once a frame, would see neither.
    bool pressed[POISE_UI_KEYS];
    bool released[POISE_UI_KEYS];
    /// Modifiers as they are, and as they were at the last press since the last frame.
    int mods;
    int press_mods;
    bool has_press;
};

/// Every call of the interface begins with it: ImGui has one context at a time.
inline void poise__ui_use(const PoiseUi* ui) {
    ImGui::SetCurrentContext(ui->context);
}

/// Remembers where the last widget is, under its name.
PoiseUiItem* poise__ui_note_item(PoiseUi* ui, const char* name);
/// POISE_UI_* bits of the last widget.
int poise__ui_edits(bool changed);

ImVec4 poise__ui_rgb(unsigned hex, float alpha = 1.0f);
inline ImU32 poise__ui_packed(uint32_t rgba) {
    return IM_COL32(rgba >> 24, (rgba >> 16) & 255u, (rgba >> 8) & 255u, rgba & 255u);
}

#endif
