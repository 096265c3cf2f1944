// SPDX-License-Identifier: MIT
// Draws widgets that ImGui lacks: curves, cells, labels on the picture, the time bar.
#include "ui_imgui.h"

#include <cfloat>
#include <cmath>
#include <cstring>

extern "C" {

// A name in at most 10 letters, without its robot. In a longer name only the last word is whole,
// the others are their first letters: "r_shoulder" for "right_shoulder".
struct ShortName {
    char text[11];
    explicit ShortName(const char* name) {
        const char* slash = strrchr(name, '/');
        const char* rest = slash ? slash + 1 : name;
        size_t count = 0;
        for (const char* end = strchr(rest, '_'); end && strlen(rest) + count > sizeof text - 1;
             end = strchr(rest, '_')) {
            if (count + 3 > sizeof text) {
                break;
            }
            text[count++] = *rest;
            text[count++] = '_';
            rest = end + 1;
        }
        snprintf(text + count, sizeof text - count, "%s", rest);
    }
};

static float widest_name(const char* const* names, int count, float size) {
    float widest = 0.0f;
    for (int i = 0; names && i < count; i++) {
        const ImVec2 room =
            ImGui::GetFont()->CalcTextSizeA(size, FLT_MAX, 0.0f, ShortName(names[i]).text);
        widest = room.x > widest ? room.x : widest;
    }
    return names ? widest + 4.0f : 0.0f;
}

// Adds a text that reads upwards: adds it horizontally at the panel's left edge, where ImGui cuts
// off no letter, and rotates its vertices to their place.
static void add_upward(ImDrawList* draw, ImVec2 at, float size, const char* text) {
    const int first = draw->VtxBuffer.Size;
    const ImVec2 flat(ceilf(draw->GetClipRectMin().x) + 1.0f, at.y);
    draw->AddText(ImGui::GetFont(), size, flat, IM_COL32(147, 160, 174, 255), text);
    for (int i = first; i < draw->VtxBuffer.Size; i++) {
        ImVec2* place = &draw->VtxBuffer[i].pos;
        *place = ImVec2(at.x + place->y - flat.y, at.y - place->x + flat.x);
    }
}

static void write_names(const PoiseUiCells* cells, ImVec2 at, float size) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const float side = float(cells->side);
    for (int i = 0; cells->row_names && i < cells->rows; i++) {
        const ShortName name(cells->row_names[i]);
        const ImVec2 room = ImGui::GetFont()->CalcTextSizeA(size, FLT_MAX, 0.0f, name.text);
        draw->AddText(ImGui::GetFont(), size,
                      ImVec2(at.x - room.x - 3.0f, at.y + side * (float(i) + 0.5f) - 0.5f * size),
                      IM_COL32(147, 160, 174, 255), name.text);
    }
    for (int i = 0; cells->column_names && i < cells->columns; i++) {
        add_upward(draw, ImVec2(at.x + side * (float(i) + 0.5f) - 0.5f * size, at.y - 2.0f), size,
                   ShortName(cells->column_names[i]).text);
    }
}

int poise__ui_cells(PoiseUi* ui, const char* name, const PoiseUiCells* cells) {
    const float s = float(cells->side);
    const float letters = s < 13.0f ? s : 13.0f;
    const bool readable = letters >= 8.0f;
    const float left = readable ? widest_name(cells->row_names, cells->rows, letters) : 0.0f;
    const float above = readable ? widest_name(cells->column_names, cells->columns, letters) : 0.0f;
    if (above > 0.0f) {
        ImGui::Dummy(ImVec2(1.0f, above - ImGui::GetStyle().ItemSpacing.y));
    }
    if (left > 0.0f) {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left);
    }
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImVec2 size(s * float(cells->columns), s * float(cells->rows));
    if (readable) {
        write_names(cells, at, letters);
    }
    ImGui::InvisibleButton(name, size);
    poise__ui_note_item(ui, name);
    ImDrawList* draw = ImGui::GetWindowDrawList();
    int hovered = -1;
    ImVec2 mouse = ImGui::GetIO().MousePos;
    float gap = s > 5.0f ? 1.0f : 0.0f;
    draw->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), IM_COL32(18, 23, 29, 255), 2.0f);
    for (int i = 0; i < cells->rows * cells->columns; i++) {
        uint32_t colour = cells->colours[i];
        ImVec2 corner(at.x + s * float(i % cells->columns), at.y + s * float(i / cells->columns));
        ImVec2 end(corner.x + s - gap, corner.y + s - gap);
        if ((colour & 255u) != 0) {
            draw->AddRectFilled(corner, end, poise__ui_packed(colour));
        }
        if (ImGui::IsItemHovered() && mouse.x >= corner.x && mouse.x < corner.x + s &&
            mouse.y >= corner.y && mouse.y < corner.y + s) {
            hovered = i;
            draw->AddRect(corner, end, IM_COL32(255, 255, 255, 255));
        }
    }
    return hovered;
}

// Draws a closed hand around a position: the palm with the thumb, and four knuckles in front.
static void draw_fist(ImDrawList* draw, ImVec2 at) {
    const ImU32 skin = IM_COL32(255, 255, 255, 255);
    const ImU32 edge = IM_COL32(20, 24, 30, 255);
    const float left = at.x - 13.0f;
    const float top = at.y - 9.0f;
    const ImVec2 parts[2][2] = {
        {ImVec2(left + 2.0f, top + 4.0f), ImVec2(left + 26.0f, top + 24.0f)}, // palm
        {ImVec2(left - 4.0f, top + 9.0f), ImVec2(left + 6.0f, top + 18.0f)}}; // thumb
    for (const auto& part : parts) {
        draw->AddRectFilled(ImVec2(part[0].x - 1.6f, part[0].y - 1.6f),
                            ImVec2(part[1].x + 1.6f, part[1].y + 1.6f), edge, 8.0f);
    }
    for (const auto& part : parts) {
        draw->AddRectFilled(part[0], part[1], skin, 7.0f);
    }
    for (int i = 0; i < 4; i++) {
        const ImVec2 corner(left + 2.0f + 6.0f * float(i), top - (i == 1 || i == 2 ? 2.0f : 0.0f));
        const ImVec2 end(corner.x + 6.4f, top + 12.0f);
        draw->AddRectFilled(corner, end, skin, 3.2f);
        draw->AddRect(corner, end, edge, 3.2f, 0, 1.5f);
    }
}

void poise__ui_label(PoiseUi*, const PoiseUiLabel* label) {
    ImDrawList* draw = ImGui::GetBackgroundDrawList();
    ImVec2 size = ImGui::CalcTextSize(label->text);
    ImVec2 at(float(label->x - label->align * double(size.x)), float(label->y) - 0.5f * size.y);
    at.x = floorf(at.x + 0.5f);
    at.y = floorf(at.y + 0.5f);
    draw->AddRectFilled(ImVec2(at.x - 4.0f, at.y - 1.0f),
                        ImVec2(at.x + size.x + 4.0f, at.y + size.y + 1.0f),
                        IM_COL32(24, 30, 37, 190), 3.0f);
    draw->AddText(at, poise__ui_packed(label->colour), label->text);
}

void poise__ui_pointer(PoiseUi*, double x, double y, bool grips) {
    ImDrawList* draw = ImGui::GetForegroundDrawList();
    const ImVec2 tip = ImVec2(float(x), float(y));
    if (grips) {
        draw_fist(draw, tip);
        return;
    }
    const ImVec2 left = ImVec2(tip.x, tip.y + 17.0f);
    const ImVec2 right = ImVec2(tip.x + 12.0f, tip.y + 12.0f);
    draw->AddTriangleFilled(tip, left, right, IM_COL32(255, 255, 255, 255));
    draw->AddTriangle(tip, left, right, IM_COL32(20, 24, 30, 255), 1.6f);
}

void poise__ui_leader(PoiseUi*, double x, double y, const PoiseUiLabel* label) {
    ImDrawList* draw = ImGui::GetBackgroundDrawList();
    const ImVec2 from = ImVec2(float(x), float(y));
    const ImVec2 to = ImVec2(float(label->x), float(label->y));
    uint32_t faint = (label->colour & 0xffffff00u) | 150u;
    draw->AddLine(from, to, IM_COL32(24, 30, 37, 140), 2.5f);
    draw->AddLine(from, to, poise__ui_packed(faint), 1.0f);
}

double poise__ui_text_width(PoiseUi*, const char* text) {
    return double(ImGui::CalcTextSize(text).x);
}

double poise__ui_line_height(PoiseUi*) {
    return double(ImGui::GetTextLineHeightWithSpacing());
}

int poise__ui_time_bar(PoiseUi* ui, const char* name, const PoiseUiTimeBar* bar, double* at) {
    const float height = 18.0f;
    // the bar extends at both ends by the knob's radius beyond the positions of times
    const float knob = 6.0f;
    float width = bar->width > 0.0 ? float(bar->width) : ImGui::GetContentRegionAvail().x;
    width = width > 20.0f + 2.0f * knob ? width : 20.0f + 2.0f * knob;
    ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(name, ImVec2(width, height));
    corner.x += knob;
    width -= 2.0f * knob;
    double end = bar->end > 1e-9 ? bar->end : 1e-9;
    bool changed = false;
    if (ImGui::IsItemActive()) {
        double part = double((ImGui::GetIO().MousePos.x - corner.x) / width);
        part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
        changed = *at != part * end;
        *at = part * end;
    }
    int bits = poise__ui_edits(changed);
    PoiseUiItem* item = poise__ui_note_item(ui, name);
    item->slider = true;
    item->left = corner.x;
    item->right = corner.x + width;
    item->value = *at;
    item->upper = end;
    ImDrawList* draw = ImGui::GetWindowDrawList();
    float middle = corner.y + 0.5f * height;
    float x = corner.x + width * float(*at / end < 1.0 ? *at / end : 1.0);
    draw->AddRectFilled(ImVec2(corner.x, middle - 3.0f), ImVec2(corner.x + width, middle + 3.0f),
                        IM_COL32(53, 65, 79, 255), 3.0f);
    if (bar->ghost_end > 0.0) {
        double part = bar->ghost_end / end < 1.0 ? bar->ghost_end / end : 1.0;
        draw->AddRectFilled(ImVec2(corner.x, middle + 5.0f),
                            ImVec2(corner.x + width * float(part), middle + 7.0f),
                            IM_COL32(160, 140, 200, 220), 1.0f);
    }
    draw->AddRectFilled(ImVec2(corner.x, middle - 3.0f), ImVec2(x, middle + 3.0f),
                        IM_COL32(111, 163, 220, 255), 3.0f);
    draw->AddCircleFilled(ImVec2(x, middle), knob, IM_COL32(232, 236, 241, 255));
    return bits;
}

} // extern "C"
