// SPDX-License-Identifier: MIT
// Runs a frame of ImGui: passes events to it, and stores the positions of widgets.
#include "ui_imgui.h"

#include <cmath>
#include <cstring>

#include "keys.h"

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
                // starts the duration of the key press, even if the release is in the same frame
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
        // a press keeps the modifiers at its time, even if they are released before the frame
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
    // menus and lists may extend beyond their panels
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
