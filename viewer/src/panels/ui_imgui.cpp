// SPDX-License-Identifier: MIT
// The only file that knows Dear ImGui, and the only C++.
#include "ui.h"

#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "app/actions.h"

static_assert(sizeof(PoiseUiVertex) == sizeof(ImDrawVert) &&
                  offsetof(PoiseUiVertex, u) == offsetof(ImDrawVert, uv) &&
                  offsetof(PoiseUiVertex, rgba) == offsetof(ImDrawVert, col),
              "vertices are ImGui's");
static_assert(sizeof(ImDrawIdx) == sizeof(uint16_t), "indices are ImGui's");

namespace {

const float FONT_SIZE = 14.0f;
const float BUILT_IN_SIZE = 13.0f;
const int MAX_ITEMS = 2048;
const int MAX_KEYS = 512;

ImVec4 rgb(unsigned hex, float alpha = 1.0f) {
    return ImVec4(float((hex >> 16) & 255u) / 255.0f, float((hex >> 8) & 255u) / 255.0f,
                  float(hex & 255u) / 255.0f, alpha);
}

ImU32 packed(uint32_t rgba) {
    return IM_COL32(rgba >> 24, (rgba >> 16) & 255u, (rgba >> 8) & 255u, rgba & 255u);
}

void set_style() {
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 6.0f;
    style.FrameRounding = 3.0f;
    style.GrabRounding = 3.0f;
    style.PopupRounding = 5.0f;
    style.ScrollbarRounding = 4.0f;
    style.ScrollbarSize = 10.0f;
    style.WindowBorderSize = 0.0f;
    style.FramePadding = ImVec2(6.0f, 3.0f);
    style.ItemSpacing = ImVec2(6.0f, 5.0f);
    style.WindowPadding = ImVec2(10.0f, 8.0f);
    style.CellPadding = ImVec2(3.0f, 2.0f);
    style.GrabMinSize = 8.0f;
    style.WindowTitleAlign = ImVec2(0.0f, 0.5f);
    ImVec4* c = style.Colors;
    c[ImGuiCol_Text] = rgb(0xe8ecf1);
    c[ImGuiCol_TextDisabled] = rgb(0x93a0ae);
    c[ImGuiCol_WindowBg] = rgb(0x1d242c, 0.93f);
    c[ImGuiCol_PopupBg] = rgb(0x232b35, 0.98f);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = rgb(0x2a3440);
    c[ImGuiCol_FrameBg] = rgb(0x35414f);
    c[ImGuiCol_FrameBgHovered] = rgb(0x425164);
    c[ImGuiCol_FrameBgActive] = rgb(0x4d6078);
    c[ImGuiCol_Button] = rgb(0x3a4a5c);
    c[ImGuiCol_ButtonHovered] = rgb(0x4a607a);
    c[ImGuiCol_ButtonActive] = rgb(0x5b7a9c);
    c[ImGuiCol_Header] = rgb(0x2e3a47);
    c[ImGuiCol_HeaderHovered] = rgb(0x3f5063);
    c[ImGuiCol_HeaderActive] = rgb(0x4c6179);
    c[ImGuiCol_SliderGrab] = rgb(0x3f6ea3);
    c[ImGuiCol_SliderGrabActive] = rgb(0xb07a00);
    c[ImGuiCol_CheckMark] = rgb(0x8fc1f7);
    c[ImGuiCol_Separator] = rgb(0x3a4654);
    c[ImGuiCol_TableHeaderBg] = rgb(0x2a3440);
    c[ImGuiCol_TableRowBgAlt] = rgb(0xffffff, 0.035f);
    c[ImGuiCol_ScrollbarBg] = rgb(0x000000, 0.0f);
    c[ImGuiCol_ScrollbarGrab] = rgb(0x4a5868);
}

} // namespace

struct PoiseUi {
    ImGuiContext* context;
    PoiseUiItem items[MAX_ITEMS];
    int item_count;
    /// As of the last frame that ended; widgets of the frame under way go to `items`.
    PoiseUiItem shown[MAX_ITEMS];
    int shown_count;
    float panels[16][4];
    int panel_count;
    float covered[16][4];
    int covered_count;
    bool takes_text;
    /// Pressed since the last frame; and let go since: that counts after the next one, or ImGui,
    /// which looks once a frame, would see neither.
    bool pressed[MAX_KEYS];
    bool released[MAX_KEYS];
};

namespace {

void use(const PoiseUi* ui) {
    ImGui::SetCurrentContext(ui->context);
}

void set_keys(ImGuiIO& io) {
    static const struct {
        ImGuiKey imgui;
        int ours;
    } keys[] = {{ImGuiKey_Tab, POISE_KEY_TAB},
                {ImGuiKey_LeftArrow, POISE_KEY_LEFT},
                {ImGuiKey_RightArrow, POISE_KEY_RIGHT},
                {ImGuiKey_UpArrow, POISE_KEY_UP},
                {ImGuiKey_DownArrow, POISE_KEY_DOWN},
                {ImGuiKey_Home, POISE_KEY_HOME},
                {ImGuiKey_Delete, POISE_KEY_DELETE},
                {ImGuiKey_Backspace, POISE_KEY_BACKSPACE},
                {ImGuiKey_Enter, POISE_KEY_ENTER},
                {ImGuiKey_Escape, POISE_KEY_ESCAPE},
                {ImGuiKey_A, 'A'},
                {ImGuiKey_C, 'C'},
                {ImGuiKey_V, 'V'},
                {ImGuiKey_X, 'X'},
                {ImGuiKey_Y, 'Y'},
                {ImGuiKey_Z, 'Z'}};
    for (const auto& key : keys) {
        io.KeyMap[key.imgui] = key.ours;
    }
}

void load_font(ImGuiIO& io, double pixels, const char* font) {
    float scale = float(pixels > 0.0 ? pixels : 1.0);
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    // Latin, Greek, arrows and mathematical signs
    static const ImWchar ranges[] = {0x20, 0x17f, 0x370, 0x3ff, 0x2190, 0x21ff, 0x2200, 0x22ff, 0};
    bool loaded = font && access(font, R_OK) == 0 &&
                  io.Fonts->AddFontFromFileTTF(font, FONT_SIZE * scale, &config, ranges);
    if (!loaded) {
        config.SizePixels = BUILT_IN_SIZE * scale;
        io.Fonts->AddFontDefault(&config);
    }
    io.FontGlobalScale = 1.0f / scale;
}

// remembers where the last widget is
PoiseUiItem* note_item(PoiseUi* ui, const char* name) {
    static PoiseUiItem nowhere;
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    ImRect rect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    rect.ClipWith(window->ClipRect);
    if (ui->item_count == MAX_ITEMS || rect.Min.x >= rect.Max.x || rect.Min.y >= rect.Max.y) {
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

// what a widget shows, with its name as identity
struct Label {
    char text[256];
    Label(const char* shown, const char* name) {
        snprintf(text, sizeof text, "%.100s##%.128s", shown, name);
    }
};

int edits(bool changed) {
    int bits = changed ? POISE_UI_CHANGED : 0;
    bits |= ImGui::IsItemActivated() ? POISE_UI_BEGAN : 0;
    bits |= ImGui::IsItemDeactivated() ? POISE_UI_ENDED : 0;
    return bits;
}

void note_panel(PoiseUi* ui) {
    if (ui->panel_count < 16) {
        ImVec2 place = ImGui::GetWindowPos();
        ImVec2 size = ImGui::GetWindowSize();
        float* panel = ui->panels[ui->panel_count++];
        panel[0] = place.x;
        panel[1] = place.y;
        panel[2] = place.x + size.x;
        panel[3] = place.y + size.y;
    }
}

} // namespace

extern "C" {

// ------------------------------------------------------------------------------------------ making

const char* poise__ui_system_font(void) {
    static const char* const fonts[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                        "/usr/share/fonts/dejavu/DejaVuSans.ttf"};
    for (const char* font : fonts) {
        if (access(font, R_OK) == 0) {
            return font;
        }
    }
    return nullptr;
}

PoiseUi* poise__ui_create(double pixels, const char* font) {
    PoiseUi* ui = static_cast<PoiseUi*>(calloc(1, sizeof *ui));
    if (!ui) {
        return nullptr;
    }
    ui->context = ImGui::CreateContext();
    use(ui);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    set_keys(io);
    set_style();
    load_font(io, pixels, font);
    unsigned char* texels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&texels, &width, &height);
    return ui;
}

void poise__ui_destroy(PoiseUi* ui) {
    if (ui) {
        ImGui::DestroyContext(ui->context);
        free(ui);
    }
}

// ----------------------------------------------------------------------------------------- a frame

void poise__ui_event(PoiseUi* ui, const PoiseEvent* event) {
    use(ui);
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
        if (event->code < 0 || event->code >= MAX_KEYS) {
            break;
        }
        if (event->pressed) {
            io.KeysDown[event->code] = ui->pressed[event->code] = true;
        } else if (ui->pressed[event->code]) {
            ui->released[event->code] = true;
        } else {
            io.KeysDown[event->code] = false;
        }
        break;
    case POISE_EVENT_TEXT:
        io.AddInputCharacter(unsigned(event->code));
        break;
    case POISE_EVENT_RESIZE:
    case POISE_EVENT_CLOSE:
        break;
    }
    if (event->kind == POISE_EVENT_BUTTON || event->kind == POISE_EVENT_KEY) {
        int mods = poise__mods_after(event);
        io.KeyCtrl = (mods & POISE_MOD_CTRL) != 0;
        io.KeyShift = (mods & POISE_MOD_SHIFT) != 0;
        io.KeyAlt = (mods & POISE_MOD_ALT) != 0;
    }
}

void poise__ui_begin(PoiseUi* ui, double width, double height, double seconds) {
    use(ui);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(float(width), float(height));
    io.DeltaTime = seconds > 1e-4 ? float(seconds) : 1e-4f;
    ui->item_count = 0;
    ui->panel_count = 0;
    ImGui::NewFrame();
}

void poise__ui_end(PoiseUi* ui) {
    use(ui);
    ImGui::Render();
    for (int i = 0; i < MAX_KEYS; i++) {
        if (ui->released[i]) {
            ImGui::GetIO().KeysDown[i] = false;
        }
        ui->pressed[i] = ui->released[i] = false;
    }
    memcpy(ui->shown, ui->items, size_t(ui->item_count) * sizeof *ui->items);
    ui->shown_count = ui->item_count;
    // menus and lists that hang out of their panels
    ImGuiContext& g = *ui->context;
    for (ImGuiWindow* window : g.Windows) {
        if (window->Active && (window->Flags & ImGuiWindowFlags_Popup) && ui->panel_count < 16) {
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

// --------------------------------------------------------------------------------------- triangles

int poise__ui_list_count(const PoiseUi* ui) {
    use(ui);
    const ImDrawData* data = ImGui::GetDrawData();
    return data ? data->CmdListsCount : 0;
}

PoiseUiList poise__ui_list(const PoiseUi* ui, int index) {
    use(ui);
    const ImDrawList* list = ImGui::GetDrawData()->CmdLists[index];
    PoiseUiList out;
    out.vertices = reinterpret_cast<const PoiseUiVertex*>(list->VtxBuffer.Data);
    out.indices = list->IdxBuffer.Data;
    out.vertex_count = list->VtxBuffer.Size;
    out.index_count = list->IdxBuffer.Size;
    out.command_count = list->CmdBuffer.Size;
    return out;
}

PoiseUiCommand poise__ui_command(const PoiseUi* ui, int list, int index) {
    use(ui);
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

const unsigned char* poise__ui_font_texels(PoiseUi* ui, int* width, int* height) {
    use(ui);
    unsigned char* texels = nullptr;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&texels, width, height);
    return texels;
}

// ----------------------------------------------------------------------------------------- finding

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
    double part = item->logarithmic ? log(value / item->lower) / log(item->upper / item->lower)
                                    : (value - item->lower) / (item->upper - item->lower);
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    // ImGui keeps half a grab, and 2 units, free at either end
    double free = 2.0 + 0.5 * 8.0;
    double width = double(item->right) - double(item->left);
    return free + part * (width - 2.0 * free);
}

// ------------------------------------------------------------------------------------------ panels

void poise__ui_panel_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool bare) {
    use(ui);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                             ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                             ImGuiWindowFlags_NoNav;
    if (bare) {
        flags |= ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoScrollbar;
    }
    ImGui::SetNextWindowPos(ImVec2(float(place.x), float(place.y)));
    ImGui::SetNextWindowSize(ImVec2(float(place.width), float(place.height)));
    ImGui::Begin(title, nullptr, flags);
    note_panel(ui);
}

void poise__ui_panel_end(PoiseUi* ui) {
    use(ui);
    ImGui::End();
}

bool poise__ui_section(PoiseUi* ui, const char* name, const char* title, bool open_at_first) {
    use(ui);
    Label label(title, name);
    bool open =
        ImGui::CollapsingHeader(label.text, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    note_item(ui, name);
    return open;
}

bool poise__ui_popup_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool* open) {
    use(ui);
    ImGui::SetNextWindowPos(ImVec2(float(place.x), float(place.y)));
    ImGui::SetNextWindowSize(ImVec2(float(place.width), float(place.height)));
    ImGui::SetNextWindowBgAlpha(0.985f);
    ImGui::Begin(title, nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    note_panel(ui);
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    bool outside =
        ImGui::IsMouseClicked(0) &&
        !ImGui::IsMouseHoveringRect(ImGui::GetWindowPos(),
                                    ImVec2(ImGui::GetWindowPos().x + ImGui::GetWindowSize().x,
                                           ImGui::GetWindowPos().y + ImGui::GetWindowSize().y),
                                    false);
    if (outside && !ImGui::IsWindowAppearing()) {
        *open = false;
    }
    return *open;
}

void poise__ui_popup_end(PoiseUi* ui) {
    use(ui);
    ImGui::End();
}

// ----------------------------------------------------------------------------------------- widgets

void poise__ui_text(PoiseUi* ui, uint32_t colour, const char* format, ...) {
    use(ui);
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ImGui::PushStyleColor(ImGuiCol_Text, packed(colour));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void poise__ui_paragraph(PoiseUi* ui, const char* text) {
    use(ui);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}

bool poise__ui_button(PoiseUi* ui, const char* name, const char* text) {
    use(ui);
    Label label(text, name);
    bool pressed = ImGui::Button(label.text);
    note_item(ui, name);
    return pressed;
}

bool poise__ui_toggle(PoiseUi* ui, const char* name, const char* text, bool on) {
    use(ui);
    Label label(text, name);
    if (on) {
        ImGui::PushStyleColor(ImGuiCol_Button, rgb(0x5b7a9c));
    }
    bool pressed = ImGui::Button(label.text);
    if (on) {
        ImGui::PopStyleColor();
    }
    note_item(ui, name);
    return pressed;
}

bool poise__ui_check(PoiseUi* ui, const char* name, const char* text, bool* on) {
    use(ui);
    Label label(text, name);
    bool changed = ImGui::Checkbox(label.text, on);
    note_item(ui, name);
    return changed;
}

bool poise__ui_choice(PoiseUi* ui, const char* name, const char* text, const char* const* choices,
                      int count, int* chosen) {
    use(ui);
    Label label(text, name);
    bool changed = false;
    const char* shown = *chosen >= 0 && *chosen < count ? choices[*chosen] : "";
    bool open = ImGui::BeginCombo(label.text, shown);
    if (!open) {
        note_item(ui, name);
        return false;
    }
    for (int i = 0; i < count; i++) {
        char part[128];
        bool picked = ImGui::Selectable(choices[i], i == *chosen);
        snprintf(part, sizeof part, "%.90s/%.30s", name, choices[i]);
        note_item(ui, part);
        if (picked) {
            changed = i != *chosen;
            *chosen = i;
        }
    }
    ImGui::EndCombo();
    return changed;
}

bool poise__ui_row(PoiseUi* ui, const char* name, const char* text, bool chosen) {
    use(ui);
    Label label(text, name);
    bool pressed = ImGui::Selectable(label.text, chosen);
    note_item(ui, name);
    return pressed;
}

int poise__ui_slider(PoiseUi* ui, const PoiseUiNumber* number, double* value) {
    use(ui);
    Label label(number->text, number->name);
    ImGui::SetNextItemWidth(number->width > 0.0    ? float(number->width)
                            : number->text[0] == 0 ? -1.0f
                                                   : ImGui::GetContentRegionAvail().x * 0.52f);
    ImGuiSliderFlags flags = number->logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
    const char* format = number->format ? number->format : number->whole ? "%.0f" : "%.4g";
    flags |= ImGuiSliderFlags_NoRoundToFormat;
    double shown = *value;
    bool changed = ImGui::SliderScalar(label.text, ImGuiDataType_Double, &shown, &number->lower,
                                       &number->upper, format, flags);
    int bits = edits(changed);
    if (changed) {
        *value = number->whole ? floor(shown + 0.5) : shown;
    }
    PoiseUiItem* item = note_item(ui, number->name);
    // the item's rectangle has the text in it, the frame has not
    item->right =
        item->left + float(number->width > 0.0 ? number->width : double(ImGui::CalcItemWidth()));
    if (number->text[0] == 0 || item->right > ImGui::GetItemRectMax().x) {
        item->right = ImGui::GetItemRectMax().x;
    } else if (number->width <= 0.0) {
        item->right = ImGui::GetItemRectMax().x - ImGui::CalcTextSize(number->text).x -
                      ImGui::GetStyle().ItemInnerSpacing.x;
    }
    item->slider = true;
    item->logarithmic = number->logarithmic;
    item->lower = number->lower;
    item->upper = number->upper;
    return bits;
}

int poise__ui_field(PoiseUi* ui, const char* name, const char* hint, char* text, int capacity) {
    use(ui);
    Label label("", name);
    ImGui::SetNextItemWidth(-1.0f);
    char before[256];
    snprintf(before, sizeof before, "%s", text);
    bool entered = ImGui::InputTextWithHint(label.text, hint, text, size_t(capacity),
                                            ImGuiInputTextFlags_EnterReturnsTrue);
    note_item(ui, name);
    return (strcmp(before, text) != 0 ? POISE_UI_CHANGED : 0) | (entered ? POISE_UI_ENDED : 0);
}

void poise__ui_focus_next(PoiseUi* ui) {
    use(ui);
    ImGui::SetKeyboardFocusHere();
}

void poise__ui_same_line(PoiseUi* ui) {
    use(ui);
    ImGui::SameLine();
}

void poise__ui_gap(PoiseUi* ui) {
    use(ui);
    ImGui::Spacing();
}

void poise__ui_line(PoiseUi* ui) {
    use(ui);
    ImGui::Separator();
}

void poise__ui_tip(PoiseUi* ui, const char* text) {
    use(ui);
    if (text[0] != '\0' && ImGui::IsItemHovered()) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24.0f);
        ImGui::TextUnformatted(text);
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
}

bool poise__ui_hovered(PoiseUi* ui) {
    use(ui);
    return ImGui::IsItemHovered();
}

void poise__ui_disable(PoiseUi* ui, bool disabled) {
    use(ui);
    if (disabled) {
        ImGui::BeginDisabled();
    } else {
        ImGui::EndDisabled();
    }
}

// ------------------------------------------------------------------------------------------ tables

bool poise__ui_table_begin(PoiseUi* ui, const char* name, const char* const* titles,
                           const double* widths, int columns) {
    use(ui);
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

void poise__ui_table_next(PoiseUi* ui) {
    use(ui);
    ImGui::TableNextColumn();
}

void poise__ui_table_end(PoiseUi* ui) {
    use(ui);
    ImGui::EndTable();
}

// ----------------------------------------------------------------------------------------- drawing

static double shown_value(const PoiseUiPlot* plot, int curve, int sample) {
    double value = double(plot->values[curve][sample]);
    return plot->logarithmic ? (value > 0.0 ? log10(value) : double(NAN)) : value;
}

static void plot_range(const PoiseUiPlot* plot, double* lower, double* upper) {
    *lower = HUGE_VAL;
    *upper = -HUGE_VAL;
    for (int curve = 0; curve < plot->curve_count; curve++) {
        for (int i = 0; i < plot->sample_count; i++) {
            double value = shown_value(plot, curve, i);
            if (std::isfinite(value)) {
                *lower = value < *lower ? value : *lower;
                *upper = value > *upper ? value : *upper;
            }
        }
    }
    if (*lower > *upper) {
        *lower = 0.0;
        *upper = 1.0;
    }
    double room = 0.06 * (*upper - *lower) + 1e-9 * fabs(*upper) + 1e-30;
    *lower -= room;
    *upper += room;
}

void poise__ui_plot(PoiseUi* ui, const char* name, const PoiseUiPlot* plot) {
    use(ui);
    float width = ImGui::GetContentRegionAvail().x;
    float height = float(plot->height);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(name, ImVec2(width, height));
    note_item(ui, name);
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(at, ImVec2(at.x + width, at.y + height), IM_COL32(18, 23, 29, 255), 3.0f);
    double lower = 0.0;
    double upper = 0.0;
    plot_range(plot, &lower, &upper);
    for (int curve = 0; curve < plot->curve_count; curve++) {
        ImVec2 last(0.0f, 0.0f);
        bool has_last = false;
        for (int i = 0; i < plot->sample_count; i++) {
            double value = shown_value(plot, curve, i);
            if (!std::isfinite(value)) {
                has_last = false;
                continue;
            }
            int steps = plot->sample_count > 1 ? plot->sample_count - 1 : 1;
            ImVec2 here(at.x + width * float(i) / float(steps),
                        at.y + height * float((upper - value) / (upper - lower)));
            if (has_last) {
                draw->AddLine(last, here, packed(plot->colours[curve]), 1.4f);
            }
            last = here;
            has_last = true;
        }
    }
    if (plot->mark >= 0 && plot->sample_count > 1) {
        float x = at.x + width * float(plot->mark) / float(plot->sample_count - 1);
        draw->AddLine(ImVec2(x, at.y), ImVec2(x, at.y + height), IM_COL32(255, 180, 0, 200));
    }
    char text[64];
    ImU32 dim = IM_COL32(147, 160, 174, 255);
    snprintf(text, sizeof text, "%.3g", plot->logarithmic ? pow(10.0, upper) : upper);
    draw->AddText(ImVec2(at.x + 4.0f, at.y + 1.0f), dim, text);
    snprintf(text, sizeof text, "%.3g", plot->logarithmic ? pow(10.0, lower) : lower);
    draw->AddText(ImVec2(at.x + 4.0f, at.y + height - ImGui::GetFontSize() - 1.0f), dim, text);
    ImVec2 size = ImGui::CalcTextSize(plot->title);
    draw->AddText(ImVec2(at.x + width - size.x - 5.0f, at.y + 1.0f), dim, plot->title);
}

int poise__ui_cells(PoiseUi* ui, const char* name, const uint32_t* colours, int rows, int columns,
                    double side) {
    use(ui);
    ImVec2 at = ImGui::GetCursorScreenPos();
    float s = float(side);
    ImGui::InvisibleButton(name, ImVec2(s * float(columns), s * float(rows)));
    note_item(ui, name);
    ImDrawList* draw = ImGui::GetWindowDrawList();
    int hovered = -1;
    ImVec2 mouse = ImGui::GetIO().MousePos;
    float gap = s > 5.0f ? 1.0f : 0.0f;
    draw->AddRectFilled(at, ImVec2(at.x + s * float(columns), at.y + s * float(rows)),
                        IM_COL32(18, 23, 29, 255), 2.0f);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            uint32_t colour = colours[row * columns + column];
            ImVec2 corner(at.x + s * float(column), at.y + s * float(row));
            ImVec2 end(corner.x + s - gap, corner.y + s - gap);
            if ((colour & 255u) != 0) {
                draw->AddRectFilled(corner, end, packed(colour));
            }
            if (ImGui::IsItemHovered() && mouse.x >= corner.x && mouse.x < corner.x + s &&
                mouse.y >= corner.y && mouse.y < corner.y + s) {
                hovered = row * columns + column;
                draw->AddRect(corner, end, IM_COL32(255, 255, 255, 255));
            }
        }
    }
    return hovered;
}

void poise__ui_label(PoiseUi* ui, double x, double y, double align, uint32_t colour,
                     const char* text) {
    use(ui);
    ImDrawList* draw = ImGui::GetBackgroundDrawList();
    ImVec2 size = ImGui::CalcTextSize(text);
    ImVec2 at(float(x - align * double(size.x)), float(y) - 0.5f * size.y);
    at.x = floorf(at.x + 0.5f);
    at.y = floorf(at.y + 0.5f);
    draw->AddRectFilled(ImVec2(at.x - 4.0f, at.y - 1.0f),
                        ImVec2(at.x + size.x + 4.0f, at.y + size.y + 1.0f),
                        IM_COL32(24, 30, 37, 190), 3.0f);
    draw->AddText(at, packed(colour), text);
}

double poise__ui_text_width(PoiseUi* ui, const char* text) {
    use(ui);
    return double(ImGui::CalcTextSize(text).x);
}

double poise__ui_line_height(PoiseUi* ui) {
    use(ui);
    return double(ImGui::GetTextLineHeightWithSpacing());
}

int poise__ui_time_bar(PoiseUi* ui, const char* name, const PoiseUiTimeBar* bar, double* at) {
    use(ui);
    const float height = 18.0f;
    float width = bar->width > 0.0 ? float(bar->width) : ImGui::GetContentRegionAvail().x;
    width = width > 20.0f ? width : 20.0f;
    ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(name, ImVec2(width, height));
    double end = bar->end > 1e-9 ? bar->end : 1e-9;
    bool changed = false;
    if (ImGui::IsItemActive()) {
        double part = double((ImGui::GetIO().MousePos.x - corner.x) / width);
        part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
        changed = *at != part * end;
        *at = part * end;
    }
    int bits = edits(changed);
    PoiseUiItem* item = note_item(ui, name);
    item->slider = true;
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
    for (int i = 0; i < bar->mark_count; i++) {
        float tick = corner.x + width * float(bar->marks[i] / end);
        draw->AddTriangleFilled(ImVec2(tick, middle - 3.0f), ImVec2(tick - 4.0f, corner.y - 1.0f),
                                ImVec2(tick + 4.0f, corner.y - 1.0f), IM_COL32(255, 180, 0, 255));
    }
    draw->AddCircleFilled(ImVec2(x, middle), 6.0f, IM_COL32(232, 236, 241, 255));
    return bits;
}

} // extern "C"
