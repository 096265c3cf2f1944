// SPDX-License-Identifier: MIT
// Renders a frame of ImGui by ImGui's own renderer, into the bound framebuffer.
#include "ui_imgui.h"

#include <cmath>
#include <cstring>
#include <imgui/backends/imgui_impl_opengl3.h>

// Continues a hash over a block of memory, 8 bytes at a time (FNV-1a); the last 1 to 7 bytes are
// one number.
static uint64_t mix(uint64_t hash, const void* memory, size_t size) {
    const unsigned char* bytes = static_cast<const unsigned char*>(memory);
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t list_hash(const ImDrawList* list) {
    uint64_t hash = 0xcbf29ce484222325u;
    hash = mix(hash, list->VtxBuffer.Data, size_t(list->VtxBuffer.size_in_bytes()));
    hash = mix(hash, list->IdxBuffer.Data, size_t(list->IdxBuffer.size_in_bytes()));
    for (const ImDrawCmd& command : list->CmdBuffer) {
        hash = mix(hash, &command.ClipRect, sizeof(ImVec4));
    }
    return hash;
}

// Returns the lists of the last frame, back to front.
static ImDrawData frame_of(const PoiseUi* ui) {
    poise__ui_use(ui);
    const ImDrawData* data = ImGui::GetDrawData();
    return data ? *data : ImDrawData();
}

// True if the list belongs to a panel that covers the right or the lower part of the window.
static bool is_panel(const ImDrawList* list, const PoiseUiCanvas* canvas) {
    const ImGuiWindow* window =
        list->_OwnerName ? ImGui::FindWindowByName(list->_OwnerName) : nullptr;
    const ImVec2 corner = window ? window->RootWindow->Pos : ImVec2(0.0f, 0.0f);
    return double(corner.x) >= canvas->free_width || double(corner.y) >= canvas->free_height;
}

extern "C" {

bool poise__ui_has_frame(const PoiseUi* ui) {
    return frame_of(ui).CmdListsCount > 0;
}

uint64_t poise__ui_hash(const PoiseUi* ui) {
    const ImDrawData frame = frame_of(ui);
    uint64_t hash = 0;
    for (int i = 0; i < frame.CmdListsCount; i++) {
        hash = hash * 31u + list_hash(frame.CmdLists[i]);
    }
    return hash;
}

uint64_t poise__ui_part_hash(const PoiseUi* ui, const PoiseUiCanvas* canvas, PoiseUiPart part) {
    const ImDrawData frame = frame_of(ui);
    uint64_t hash = 0;
    for (int i = 0; i < frame.CmdListsCount; i++) {
        if (is_panel(frame.CmdLists[i], canvas) == (part == POISE_UI_PANELS_PART)) {
            hash = hash * 31u + list_hash(frame.CmdLists[i]);
        }
    }
    return hash;
}

int poise__ui_index_count(const PoiseUi* ui) {
    return frame_of(ui).TotalIdxCount;
}

uint64_t poise__ui_colours_at(const PoiseUi* ui, double x, double y) {
    const ImDrawData frame = frame_of(ui);
    uint64_t sum = 0;
    for (int i = 0; i < frame.CmdListsCount; i++) {
        for (const ImDrawVert& vertex : frame.CmdLists[i]->VtxBuffer) {
            const bool near =
                fabs(double(vertex.pos.x) - x) < 0.5 && fabs(double(vertex.pos.y) - y) < 0.5;
            sum += near ? vertex.col : 0u;
        }
    }
    return sum;
}

bool poise__ui_paint_begin(PoiseUi* ui) {
    poise__ui_use(ui);
    ui->paints = ui->paints || ImGui_ImplOpenGL3_Init(nullptr);
    if (ui->paints) {
        ImGui_ImplOpenGL3_NewFrame(); // makes the shader program and the letters
    }
    return ui->paints;
}

void poise__ui_paint(PoiseUi* ui, const PoiseUiCanvas* canvas, PoiseUiPart part) {
    // number of pixels per window unit, a little more, since ImGui rounds the size in pixels down
    const ImVec2 pixels(float((canvas->width + 0.01) / canvas->window_width),
                        float((canvas->height + 0.01) / canvas->window_height));
    ImDrawData frame = frame_of(ui);
    ImVector<ImDrawList*> lists;
    ImVector<ImVec4> clips; // clipping rectangles of the frame, restored afterwards
    for (int i = 0; i < frame.CmdListsCount; i++) {
        ImDrawList* list = frame.CmdLists[i];
        if (is_panel(list, canvas) != (part == POISE_UI_PANELS_PART)) {
            continue;
        }
        lists.push_back(list);
        for (int k = 0; part == POISE_UI_OTHERS_PART && k < list->CmdBuffer.Size; k++) {
            ImVec4* clip = &list->CmdBuffer[k].ClipRect;
            clips.push_back(*clip);
            // the first list may have labels, which are under the panels
            const double right = i == 0 ? canvas->free_width : canvas->window_width;
            const double below = i == 0 ? canvas->free_height : canvas->window_height;
            // ImGui rounds left and lower edges and sizes down to pixels
            clip->x = fmaxf(clip->x, float(canvas->part[0]) + 0.05f / pixels.x);
            clip->y = fmaxf(clip->y, float(canvas->part[1]) - 0.1f / pixels.y);
            clip->z = fminf(clip->z, float(fmin(right, canvas->part[2])) + 0.1f / pixels.x);
            clip->w = fminf(clip->w, float(fmin(below, canvas->part[3])) - 0.05f / pixels.y);
        }
    }
    frame.CmdLists = lists.Data;
    frame.CmdListsCount = lists.Size;
    frame.DisplaySize = ImVec2(float(canvas->window_width), float(canvas->window_height));
    frame.FramebufferScale = pixels;
    ImGui_ImplOpenGL3_RenderDrawData(&frame);
    for (int i = 0, k = 0; k < clips.Size; i++) {
        for (ImDrawCmd& command : lists[i]->CmdBuffer) {
            command.ClipRect = clips[k++];
        }
    }
}

} // extern "C"
