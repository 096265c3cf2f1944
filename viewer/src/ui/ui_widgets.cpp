// SPDX-License-Identifier: MIT
// Implements panels and their widgets.
#include "ui_imgui.h"

#include <cmath>
#include <cstdarg>
#include <cstring>

#include "keys.h"

namespace {

// A widget's text, and its name, by which ImGui identifies it.
struct Label {
    char text[256];
    Label(const char* shown, const char* name) {
        snprintf(text, sizeof text, "%.100s##%.128s", shown, name);
    }
};

void note_panel(PoiseUi* ui) {
    if (ui->panel_count < POISE_UI_PANELS) {
        ImVec2 place = ImGui::GetWindowPos();
        ImVec2 size = ImGui::GetWindowSize();
        float* panel = ui->panels[ui->panel_count++];
        panel[0] = place.x;
        panel[1] = place.y;
        panel[2] = place.x + size.x;
        panel[3] = place.y + size.y;
    }
}

// Returns the change of a dragged number per window unit: 100 units multiply a logarithmic number
// by e; 600 units cross the range of others. Shift must slow it ten times; ImGui itself makes it
// ten times faster, hence the factor 0.01.
double drag_speed(const PoiseUiNumber* number) {
    double range = number->upper - number->lower;
    double speed = range / 600.0;
    if (number->logarithmic && number->lower > 0.0) {
        speed = 0.01 * range / log(number->upper / number->lower);
    }
    return ImGui::GetIO().KeyShift ? 0.01 * speed : speed;
}

// Writes a number in few letters: 12.3k for 12300, 2e-6 for 0.000002.
void write_number(const PoiseUiNumber* number, double value, char text[32]) {
    static const struct {
        double least;
        double unit;
        const char* letter;
    } units[] = {{9.9995e8, 1e9, "G"}, {9.9995e5, 1e6, "M"}, {9999.5, 1e3, "k"}};
    if (number->digits > 0) {
        // a number that rounds to 0 is written without a sign
        value = fabs(value) < 0.5 * pow(10.0, -number->digits) ? 0.0 : value;
        snprintf(text, 32, "%.*f", number->digits, value);
        return;
    }
    snprintf(text, 32, "%.4g", value);
    for (const auto& unit : units) {
        if (fabs(value) >= unit.least && fabs(value) < 1e12) {
            snprintf(text, 32, "%.3g%s", value / unit.unit, unit.letter);
            return;
        }
    }
    char* zeros = strstr(text, "e-0");
    if (zeros) {
        memmove(zeros + 2, zeros + 3, strlen(zeros + 3) + 1);
    }
}

// True if the person types the next number in a text field, from this frame on or before.
bool is_typed(const char* label, float width) {
    ImVec2 at = ImGui::GetCursorScreenPos();
    bool pressed =
        ImGui::IsMouseClicked(0) && (ImGui::GetIO().KeyCtrl || ImGui::IsMouseDoubleClicked(0)) &&
        ImGui::IsMouseHoveringRect(at, ImVec2(at.x + width, at.y + ImGui::GetFrameHeight()));
    return pressed || ImGui::TempInputIsActive(ImGui::GetID(label));
}

// Draws a line under a number that shows its position in its range.
void show_part(const PoiseUiNumber* number, double value, float width) {
    double part = (value - number->lower) / (number->upper - number->lower);
    if (number->logarithmic && number->lower > 0.0 && value > 0.0) {
        part = log(value / number->lower) / log(number->upper / number->lower);
    }
    part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
    ImVec2 corner = ImGui::GetItemRectMin();
    float bottom = corner.y + ImGui::GetFrameHeight();
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(corner.x, bottom - 2.0f), ImVec2(corner.x + width * float(part), bottom),
        ImGui::GetColorU32(ImGui::IsItemActive() ? ImGuiCol_SliderGrabActive
                                                 : ImGuiCol_SliderGrab));
}

} // namespace

int poise__ui_edits(bool changed) {
    int bits = changed ? POISE_UI_CHANGED : 0;
    bits |= ImGui::IsItemActivated() ? POISE_UI_BEGAN : 0;
    bits |= ImGui::IsItemDeactivated() ? POISE_UI_ENDED : 0;
    return bits;
}

extern "C" {

void poise__ui_panel_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool bare) {
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

void poise__ui_panel_end(PoiseUi*) {
    ImGui::End();
}

bool poise__ui_section(PoiseUi* ui, const char* name, const char* title, bool open_at_first) {
    Label label(title, name);
    ImGui::PushFont(ui->bold);
    bool open =
        ImGui::CollapsingHeader(label.text, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    ImGui::PopFont();
    poise__ui_note_item(ui, name);
    return open;
}

bool poise__ui_popup_begin(PoiseUi* ui, const char* title, PoiseUiPlace place, bool* open) {
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

// --------------------------------------------------------------------------------------- widgets

void poise__ui_text(PoiseUi*, uint32_t colour, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ImGui::PushStyleColor(ImGuiCol_Text, poise__ui_packed(colour));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void poise__ui_figure(PoiseUi*, const char* text) {
    const char* unit = strchr(text, ' ');
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x;
    ImGui::AlignTextToFramePadding();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + fmaxf(0.0f, room));
    ImGui::TextUnformatted(text, unit);
    if (unit) {
        ImGui::SameLine(0.0f, 0.0f);
        ImGui::TextDisabled("%s", unit);
    }
}

void poise__ui_note(PoiseUi* ui, const char* name) {
    poise__ui_note_item(ui, name);
}

void poise__ui_name(PoiseUi*, uint32_t colour, const char* text) {
    float room = ImGui::GetContentRegionAvail().x;
    char shown[256];
    const char* rest = text;
    snprintf(shown, sizeof shown, "%.200s", text);
    while (*rest != 0 && ImGui::CalcTextSize(shown).x > room) {
        rest++;
        snprintf(shown, sizeof shown, "..%.200s", rest);
    }
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, poise__ui_packed(colour));
    ImGui::TextUnformatted(shown);
    ImGui::PopStyleColor();
}

void poise__ui_short(PoiseUi* ui, uint32_t colour, const char* text) {
    float room = ImGui::GetContentRegionAvail().x;
    char shown[256];
    snprintf(shown, sizeof shown, "%.250s", text);
    for (size_t end = strlen(shown); end > 0 && ImGui::CalcTextSize(shown).x > room; end--) {
        snprintf(shown, sizeof shown, "%.*s...", int(end < 250 ? end : 250), text);
    }
    poise__ui_text(ui, colour, "%s", shown);
    if (strcmp(shown, text) != 0) {
        poise__ui_tip(ui, text);
    }
}

bool poise__ui_pressed(PoiseUi*, int key) {
    return ImGui::IsKeyPressed(key);
}

void poise__ui_scroll_here(PoiseUi*) {
    ImGui::SetScrollHereY(0.5f);
}

void poise__ui_align(PoiseUi*) {
    ImGui::AlignTextToFramePadding();
}

void poise__ui_paragraph(PoiseUi*, const char* text) {
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}

bool poise__ui_button(PoiseUi* ui, const char* name, const char* text) {
    return poise__ui_toggle(ui, name, text, false);
}

bool poise__ui_toggle(PoiseUi* ui, const char* name, const char* text, bool on) {
    Label label(text, name);
    if (on) {
        ImGui::PushStyleColor(ImGuiCol_Button, poise__ui_rgb(0x5b7a9c));
    }
    bool pressed = ImGui::Button(label.text);
    if (on) {
        ImGui::PopStyleColor();
    }
    poise__ui_note_item(ui, name);
    return pressed;
}

bool poise__ui_check(PoiseUi* ui, const char* name, const char* text, bool* on) {
    Label label(text, name);
    bool changed = ImGui::Checkbox(label.text, on);
    poise__ui_note_item(ui, name);
    return changed;
}

bool poise__ui_choice(PoiseUi* ui, const PoiseUiChoice* choice, int* chosen) {
    Label label(choice->text, choice->name);
    bool changed = false;
    const char* shown = *chosen >= 0 && *chosen < choice->count ? choice->choices[*chosen] : "";
    bool open = ImGui::BeginCombo(label.text, shown);
    if (!open) {
        poise__ui_note_item(ui, choice->name);
        return false;
    }
    for (int i = 0; i < choice->count; i++) {
        char part[128];
        bool picked = ImGui::Selectable(choice->choices[i], i == *chosen);
        snprintf(part, sizeof part, "%.90s/%.30s", choice->name, choice->choices[i]);
        poise__ui_note_item(ui, part);
        if (picked) {
            changed = i != *chosen;
            *chosen = i;
        }
    }
    ImGui::EndCombo();
    return changed;
}

bool poise__ui_row(PoiseUi* ui, const char* name, const char* text, bool chosen) {
    Label label(text, name);
    bool pressed = ImGui::Selectable(label.text, chosen);
    poise__ui_note_item(ui, name);
    return pressed;
}

int poise__ui_number(PoiseUi* ui, const PoiseUiNumber* number, double* value) {
    Label label(number->text, number->name);
    float room = ImGui::GetContentRegionAvail().x;
    float width = number->width > 0.0    ? float(number->width)
                  : number->text[0] == 0 ? room
                                         : room * 0.52f;
    char shown[32];
    double next = *value;
    double lower = fmin(number->lower, *value);
    double upper = fmax(number->upper, *value);
    bool typing = is_typed(label.text, width);
    ImGuiSliderFlags flags = number->logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
    ImGui::SetNextItemWidth(width);
    write_number(number, *value, shown);
    bool changed = ImGui::DragScalar(
        label.text, ImGuiDataType_Double, &next, float(drag_speed(number)), &lower, &upper,
        number->whole ? "%.0f"
        : typing      ? "%.7g"
                      : shown,
        flags | (number->whole ? 0 : ImGuiSliderFlags_NoRoundToFormat));
    int bits = poise__ui_edits(false);
    // a typed number takes effect when it is complete, not with each letter
    if (ImGui::TempInputIsActive(ImGui::GetItemID()) ||
        (typing && ImGui::IsKeyPressed(POISE_KEY_ESCAPE, false))) {
        changed = false;
    }
    if (changed) {
        *value = number->whole ? floor(next + 0.5) : next;
        bits |= POISE_UI_CHANGED;
    }
    show_part(number, *value, width);
    PoiseUiItem* item = poise__ui_note_item(ui, number->name);
    // the item's rectangle includes the text to the right, the number's frame does not
    item->right = fminf(item->right, item->left + width);
    item->number = true;
    item->value = *value;
    return bits;
}

int poise__ui_field(PoiseUi* ui, const char* name, const char* hint, char* text, int capacity) {
    Label label("", name);
    ImGui::SetNextItemWidth(-1.0f);
    char before[256];
    snprintf(before, sizeof before, "%s", text);
    bool entered = ImGui::InputTextWithHint(label.text, hint, text, size_t(capacity),
                                            ImGuiInputTextFlags_EnterReturnsTrue);
    // moves the cursor to the end of the text when the field becomes active
    ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetItemID());
    if (ui->resumes && state && ImGui::IsItemActive()) {
        state->Stb.cursor = state->Stb.select_start = state->Stb.select_end = state->CurLenW;
        ui->resumes = false;
    }
    poise__ui_note_item(ui, name);
    return (strcmp(before, text) != 0 ? POISE_UI_CHANGED : 0) | (entered ? POISE_UI_ENDED : 0);
}

void poise__ui_focus_next(PoiseUi* ui) {
    ImGui::SetKeyboardFocusHere();
    ui->resumes = false;
}

void poise__ui_resume_next(PoiseUi* ui) {
    poise__ui_focus_next(ui);
    ui->resumes = true;
}

} // extern "C"
