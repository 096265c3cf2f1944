// SPDX-License-Identifier: MIT
// Creates the context of ImGui: its style, letters and keys.
#include "ui_imgui.h"

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <unistd.h>

#include "keys.h"

ImVec4 poise__ui_rgb(unsigned hex, float alpha) {
    return ImVec4(float((hex >> 16) & 255u) / 255.0f, float((hex >> 8) & 255u) / 255.0f,
                  float(hex & 255u) / 255.0f, alpha);
}

namespace {

const float FONT_SIZE = 14.0f;
const float BUILT_IN_SIZE = 13.0f;
// Least change of the number of pixels per window unit for which letters are made again.
const double SAME_PIXELS = 0.01;

// ImGui does not check for NULL, but `new` ends the program with a message if memory runs out
// (ode_memory.c).
void* allocate(size_t size, void*) {
    return ::operator new(size);
}

void release(void* memory, void*) {
    ::operator delete(memory);
}

void set_style() {
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 0.0f;
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
    c[ImGuiCol_Text] = poise__ui_rgb(0xe8ecf1);
    c[ImGuiCol_TextDisabled] = poise__ui_rgb(0x93a0ae);
    c[ImGuiCol_WindowBg] = poise__ui_rgb(0x1d242c);
    c[ImGuiCol_PopupBg] = poise__ui_rgb(0x232b35, 0.98f);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = poise__ui_rgb(0x2a3440);
    c[ImGuiCol_FrameBg] = poise__ui_rgb(0x35414f);
    c[ImGuiCol_FrameBgHovered] = poise__ui_rgb(0x425164);
    c[ImGuiCol_FrameBgActive] = poise__ui_rgb(0x4d6078);
    c[ImGuiCol_Button] = poise__ui_rgb(0x3a4a5c);
    c[ImGuiCol_ButtonHovered] = poise__ui_rgb(0x4a607a);
    c[ImGuiCol_ButtonActive] = poise__ui_rgb(0x5b7a9c);
    c[ImGuiCol_Header] = poise__ui_rgb(0x2e3a47);
    c[ImGuiCol_HeaderHovered] = poise__ui_rgb(0x3f5063);
    c[ImGuiCol_HeaderActive] = poise__ui_rgb(0x4c6179);
    c[ImGuiCol_SliderGrab] = poise__ui_rgb(0x3f6ea3);
    c[ImGuiCol_SliderGrabActive] = poise__ui_rgb(0xb07a00);
    c[ImGuiCol_CheckMark] = poise__ui_rgb(0x8fc1f7);
    c[ImGuiCol_Separator] = poise__ui_rgb(0x3a4654);
    c[ImGuiCol_TableHeaderBg] = poise__ui_rgb(0x2a3440);
    c[ImGuiCol_TableRowBgAlt] = poise__ui_rgb(0xffffff, 0.035f);
    c[ImGuiCol_ScrollbarBg] = poise__ui_rgb(0x000000, 0.0f);
    c[ImGuiCol_ScrollbarGrab] = poise__ui_rgb(0x4a5868);
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

// Loads the letters of `font`, and those of headings if there is a bold font in the same folder.
// Returns the letters of headings, or NULL.
ImFont* load_font(ImGuiIO& io, double pixels, const char* font) {
    float scale = float(pixels);
    char bold[256] = "";
    if (font && strlen(font) > 4 && strlen(font) < sizeof bold - 8) {
        snprintf(bold, sizeof bold, "%.*s-Bold.ttf", int(strlen(font)) - 4, font);
    }
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
    static const ImWchar latin[] = {0x20, 0x7e, 0};
    return loaded && access(bold, R_OK) == 0
               ? io.Fonts->AddFontFromFileTTF(bold, FONT_SIZE * scale, &config, latin)
               : nullptr;
}

} // namespace

extern "C" {

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
    ImGui::SetAllocatorFunctions(allocate, release);
    ui->context = ImGui::CreateContext();
    poise__ui_use(ui);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    // a blinking cursor would need frames while nothing moves
    io.ConfigInputTextCursorBlink = false;
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    set_keys(io);
    set_style();
    ui->font = font;
    poise__ui_set_pixels(ui, pixels);
    return ui;
}

void poise__ui_set_pixels(PoiseUi* ui, double pixels) {
    poise__ui_use(ui);
    pixels = pixels > 0.0 ? pixels : 1.0;
    if (fabs(pixels - ui->pixels) < SAME_PIXELS) {
        return;
    }
    ImGuiIO& io = ImGui::GetIO();
    unsigned char* texels = nullptr;
    int width = 0, height = 0;
    io.Fonts->Clear();
    ui->bold = load_font(io, pixels, ui->font);
    io.Fonts->GetTexDataAsRGBA32(&texels, &width, &height);
    if (ui->paints) {
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    ui->pixels = pixels;
    ui->letters++;
}

unsigned poise__ui_letters(const PoiseUi* ui) {
    return ui->letters;
}

void poise__ui_destroy(PoiseUi* ui) {
    if (ui) {
        poise__ui_use(ui);
        if (ui->paints) {
            ImGui_ImplOpenGL3_Shutdown();
        }
        ImGui::DestroyContext(ui->context);
        free(ui);
    }
}

} // extern "C"
