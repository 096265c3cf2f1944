// SPDX-License-Identifier: MIT
// Places widgets: lines, gaps, tips and tables.
#include "ui_imgui.h"

#include <cmath>

namespace {

// Places the next widget, of this width, on the line of the last one if it fits there.
void flow(float width) {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const float end = ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width;
    if (end <= window->ContentRegionRect.Max.x + 0.5f) {
        ImGui::SameLine();
    }
}

} // namespace

extern "C" {

void poise__ui_same_line(PoiseUi*) {
    ImGui::SameLine();
}

void poise__ui_flow_button(PoiseUi*, const char* text) {
    flow(ImGui::CalcTextSize(text).x + 2.0f * ImGui::GetStyle().FramePadding.x);
}

void poise__ui_flow_check(PoiseUi*, const char* text) {
    flow(ImGui::CalcTextSize(text).x + ImGui::GetFrameHeight() +
         ImGui::GetStyle().ItemInnerSpacing.x);
}

double poise__ui_room(PoiseUi*) {
    return double(ImGui::GetContentRegionAvail().x);
}

double poise__ui_left(PoiseUi*) {
    return double(ImGui::GetCursorScreenPos().x);
}

double poise__ui_button_width(PoiseUi*, const char* text) {
    return double(ImGui::CalcTextSize(text).x + 2.0f * ImGui::GetStyle().FramePadding.x +
                  ImGui::GetStyle().ItemSpacing.x);
}

void poise__ui_same_line_at(PoiseUi*, double x) {
    ImGui::SameLine(float(x));
}

void poise__ui_tip(PoiseUi*, const char* text) {
    if (text[0] != '\0' && ImGui::IsItemHovered()) {
        // The tip of a panel at the right is to the left of the panel, where it covers no rows. All
        // other tips are above their widget, since the next widget to press is often below or to
        // the right.
        ImVec2 at = ImGui::GetItemRectMin();
        const ImGuiWindow* panel = ImGui::GetCurrentWindow()->RootWindow;
        if (panel->Pos.x > ImGui::GetFontSize() * 27.0f) {
            ImGui::SetNextWindowPos(ImVec2(panel->Pos.x - 6.0f, at.y), 0, ImVec2(1.0f, 0.0f));
        } else if (at.y > 7.0f * ImGui::GetTextLineHeight()) {
            at.x = fminf(at.x, ImGui::GetIO().DisplaySize.x - ImGui::GetFontSize() * 26.0f);
            ImGui::SetNextWindowPos(ImVec2(at.x, at.y - 4.0f), 0, ImVec2(0.0f, 1.0f));
        }
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24.0f);
        ImGui::TextUnformatted(text);
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
}

bool poise__ui_hovered(PoiseUi*) {
    return ImGui::IsItemHovered();
}

// ---------------------------------------------------------------------------------------- tables

bool poise__ui_table_begin(PoiseUi*, const char* name, const char* const* titles,
                           const double* widths, int columns) {
    if (!ImGui::BeginTable(name, columns, ImGuiTableFlags_RowBg)) {
        return false;
    }
    for (int i = 0; i < columns; i++) {
        bool fixed = widths[i] > 0.0;
        ImGui::TableSetupColumn(titles[i],
                                fixed ? ImGuiTableColumnFlags_WidthFixed
                                      : ImGuiTableColumnFlags_WidthStretch,
                                float(widths[i]));
    }
    ImGui::TableHeadersRow();
    return true;
}

void poise__ui_table_next(PoiseUi*) {
    ImGui::TableNextColumn();
}

void poise__ui_table_end(PoiseUi*) {
    ImGui::EndTable();
}

} // extern "C"
