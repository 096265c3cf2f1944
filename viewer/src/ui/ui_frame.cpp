// SPDX-License-Identifier: MIT
// Runs a frame of ImGui: events in, triangles and positions of widgets out.
#include "ui_imgui.h"

#include <cmath>
#include <cstddef>
#include <cstring>

#include "keys.h"

static_assert(sizeof(PoiseUiVertex) == sizeof(ImDrawVert) &&
                  offsetof(PoiseUiVertex, u) == offsetof(ImDrawVert, uv) &&
                  offsetof(PoiseUiVertex, rgba) == offsetof(ImDrawVert, col),
              "vertices are ImGui's");
static_assert(sizeof(ImDrawIdx) == sizeof(uint16_t), "indices are ImGui's");

PoiseUiItem* poise__ui_note_item(PoiseUi* ui, const char* name) {
    static PoiseUiItem nowhere;
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    ImRect rect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    rect.ClipWith(window->ClipRect);
    if (ui->item_count == POISE_UI_ITEMS || rect.Min.x >= rect.Max.x || rect.Min.y >= rect.Max.y) {
        nowhere = PoiseUiItem();
        return &nowhere;
    }
    PoiseUiItem* item = &ui->items[ui->item_count++];
    *item = PoiseUiItem();
    snprintf(item->name, sizeof item->name, "%s", name);
    item->left = rect.Min.x;
    item->top = rect.Min.y;
    item->right = rect.Max.x;
    item->bottom = rect.Max.y;
    return item;
}

static void set_mods(ImGuiIO& io, int mods) {
    io.KeyCtrl = (mods & POISE_MOD_CTRL) != 0;
    io.KeyShift = (mods & POISE_MOD_SHIFT) != 0;
    io.KeyAlt = (mods & POISE_MOD_ALT) != 0;
}

extern "C" {

void poise__ui_event(PoiseUi* ui, const PoiseEvent* event) {
    poise__ui_use(ui);
    ImGuiIO& io = ImGui::GetIO();
    switch (event->kind) {
    case POISE_EVENT_POINTER:
        io.MousePos = ImVec2(float(event->x), float(event->y));
        break;
    case POISE_EVENT_BUTTON:
        io.MousePos = ImVec2(float(event->x), float(event->y));
        if (event->code >= 0 && event->code < 3) {
            io.MouseDown[event->code] = event->pressed;
        }
        break;
    case POISE_EVENT_WHEEL:
        io.MouseWheel += float(event->y);
        io.MouseWheelH += float(event->x);
        break;
    case POISE_EVENT_KEY:
        if (event->code < 0 || event->code >= POISE_UI_KEYS) {
            break;
        }
        if (event->pressed) {
            io.KeysDown[event->code] = ui->pressed[event->code] = true;
            if (!event->repeated) {
                // start the key's duration, also if its release comes in the same frame
                io.KeysDownDuration[event->code] = -1.0f;
            }
        } else if (ui->pressed[event->code]) {
            ui->released[event->code] = true;
        } else {
            io.KeysDown[event->code] = false;
        }
        break;
    case POISE_EVENT_TEXT:
        io.AddInputCharacter(unsigned(event->code));
        break;
    case POISE_EVENT_DROP:
    case POISE_EVENT_RESIZE:
    case POISE_EVENT_CLOSE:
        break;
    }
    if (event->kind == POISE_EVENT_BUTTON || event->kind == POISE_EVENT_KEY) {
        ui->mods = poise__mods_after(event);
        // a press keeps the modifiers it came with, also if they are released before the frame
        if (event->pressed) {
            ui->press_mods = ui->mods;
            ui->has_press = true;
        }
        set_mods(io, ui->has_press ? ui->press_mods : ui->mods);
    }
}

void poise__ui_begin(PoiseUi* ui, double width, double height, double seconds) {
    poise__ui_use(ui);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(float(width), float(height));
    io.DeltaTime = seconds > 1e-4 ? float(seconds) : 1e-4f;
    ui->item_count = 0;
    ui->panel_count = 0;
    ImGui::NewFrame();
}

void poise__ui_end(PoiseUi* ui) {
    poise__ui_use(ui);
    ImGui::Render();
    for (int i = 0; i < POISE_UI_KEYS; i++) {
        if (ui->released[i]) {
            ImGui::GetIO().KeysDown[i] = false;
        }
        ui->pressed[i] = ui->released[i] = false;
    }
    ui->has_press = false;
    set_mods(ImGui::GetIO(), ui->mods);
    memcpy(ui->shown, ui->items, size_t(ui->item_count) * sizeof *ui->items);
    ui->shown_count = ui->item_count;
    // menus and lists can extend beyond their panels
    ImGuiContext& g = *ui->context;
    for (ImGuiWindow* window : g.Windows) {
        if (window->Active && (window->Flags & ImGuiWindowFlags_Popup) &&
            ui->panel_count < POISE_UI_PANELS) {
            float* panel = ui->panels[ui->panel_count++];
            panel[0] = window->Pos.x;
            panel[1] = window->Pos.y;
            panel[2] = window->Pos.x + window->Size.x;
            panel[3] = window->Pos.y + window->Size.y;
        }
    }
    memcpy(ui->covered, ui->panels, sizeof ui->panels);
    ui->covered_count = ui->panel_count;
    ui->takes_text = ImGui::GetIO().WantTextInput;
}

bool poise__ui_covers(const PoiseUi* ui, double x, double y) {
    for (int i = 0; i < ui->covered_count; i++) {
        const float* panel = ui->covered[i];
        if (x >= double(panel[0]) && y >= double(panel[1]) && x < double(panel[2]) &&
            y < double(panel[3])) {
            return true;
        }
    }
    return false;
}

bool poise__ui_takes_text(const PoiseUi* ui) {
    return ui->takes_text;
}

// ------------------------------------------------------------------------------------- triangles

int poise__ui_list_count(const PoiseUi* ui) {
    poise__ui_use(ui);
    const ImDrawData* data = ImGui::GetDrawData();
    return data ? data->CmdListsCount : 0;
}

PoiseUiList poise__ui_list(const PoiseUi* ui, int index) {
    poise__ui_use(ui);
    const ImDrawList* list = ImGui::GetDrawData()->CmdLists[index];
    PoiseUiList out;
    out.vertices = reinterpret_cast<const PoiseUiVertex*>(list->VtxBuffer.Data);
    out.indices = list->IdxBuffer.Data;
    out.vertex_count = list->VtxBuffer.Size;
    out.index_count = list->IdxBuffer.Size;
    out.command_count = list->CmdBuffer.Size;
    const ImGuiWindow* window =
        list->_OwnerName ? ImGui::FindWindowByName(list->_OwnerName) : nullptr;
    out.left = window ? window->RootWindow->Pos.x : 0.0f;
    out.top = window ? window->RootWindow->Pos.y : 0.0f;
    return out;
}

PoiseUiCommand poise__ui_command(const PoiseUi* ui, int list, int index) {
    poise__ui_use(ui);
    const ImDrawCmd& command = ImGui::GetDrawData()->CmdLists[list]->CmdBuffer[index];
    PoiseUiCommand out;
    out.clip[0] = command.ClipRect.x;
    out.clip[1] = command.ClipRect.y;
    out.clip[2] = command.ClipRect.z;
    out.clip[3] = command.ClipRect.w;
    out.first_index = int(command.IdxOffset);
    out.index_count = int(command.ElemCount);
    out.first_vertex = int(command.VtxOffset);
    return out;
}

// Mixes 8 bytes at a time (FNV-1a); the rest of a block counts as one number.
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

uint64_t poise__ui_list_hash(const PoiseUi* ui, int index) {
    poise__ui_use(ui);
    const ImDrawList* list = ImGui::GetDrawData()->CmdLists[index];
    uint64_t hash = 0xcbf29ce484222325u;
    hash = mix(hash, list->VtxBuffer.Data, size_t(list->VtxBuffer.size_in_bytes()));
    hash = mix(hash, list->IdxBuffer.Data, size_t(list->IdxBuffer.size_in_bytes()));
    for (int k = 0; k < list->CmdBuffer.Size; k++) {
        hash = mix(hash, &list->CmdBuffer[k].ClipRect, sizeof(ImVec4));
    }
    return hash;
}

uint64_t poise__ui_hash(const PoiseUi* ui) {
    uint64_t hash = 0;
    for (int i = 0; i < poise__ui_list_count(ui); i++) {
        hash = hash * 31u + poise__ui_list_hash(ui, i);
    }
    return hash;
}

const unsigned char* poise__ui_font_texels(PoiseUi* ui, int* width, int* height) {
    poise__ui_use(ui);
    unsigned char* texels = nullptr;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&texels, width, height);
    return texels;
}

// --------------------------------------------------------------------------------------- finding

bool poise__ui_find(const PoiseUi* ui, const char* name, PoiseUiItem* item) {
    for (int i = 0; i < ui->shown_count; i++) {
        if (strcmp(ui->shown[i].name, name) == 0) {
            *item = ui->shown[i];
            return true;
        }
    }
    return false;
}

int poise__ui_item_count(const PoiseUi* ui) {
    return ui->shown_count;
}

const PoiseUiItem* poise__ui_item(const PoiseUi* ui, int index) {
    return &ui->shown[index];
}

double poise__ui_slider_place(const PoiseUiItem* item, double value) {
    double part = (value - item->lower) / (item->upper - item->lower);
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    return part * (double(item->right) - double(item->left));
}

} // extern "C"
