// SPDX-License-Identifier: MIT
// Implements window.h in a web page, by a canvas with WebGL 2. The script of the page
// (viewer/web/page.js) calls the functions poise_web_*, which push events, as GLFW's callbacks do
// in window_glfw.c.
#include <emscripten.h>
#include <emscripten/html5.h>
#include <math.h>
#include <stdlib.h>

#include "window.h"

struct PoiseWindow {
    PoiseInput* input;
    double ui_scale;
    /// Pixels of the screen per pixel of the page.
    double pixels;
    EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context;
    /// Time of the last frame, s.
    double last_frame;
    char driver[128];
    bool (*frame)(void* user);
    void* user;
};

// The one canvas of the page, since the page's script cannot pass a pointer to the functions below.
static struct { PoiseWindow* window; } page;

double poise__window_unit(double content, double pixels, double ui_scale) {
    return fmax(1e-3, (content > 0.0 ? content : 1.0) / (pixels > 0.0 ? pixels : 1.0) * ui_scale);
}

static double unit(void) {
    return fmax(1e-3, page.window->ui_scale);
}

void poise_web_pointer(double x, double y);
void poise_web_button(int button, int pressed, int mods);
void poise_web_wheel(double x, double y);
void poise_web_key(int key, int pressed, int repeated, int mods);
void poise_web_text(int character);
void poise_web_resize(double width, double height, double pixels);
void poise_web_drop(const char* path);

EMSCRIPTEN_KEEPALIVE void poise_web_pointer(double x, double y) {
    if (page.window) {
        poise__input_push_pointer(page.window->input, x / unit(), y / unit());
    }
}

EMSCRIPTEN_KEEPALIVE void poise_web_button(int button, int pressed, int mods) {
    if (page.window && button >= POISE_BUTTON_LEFT && button <= POISE_BUTTON_MIDDLE) {
        poise__input_push_button(page.window->input, (PoiseButton)button, pressed != 0, mods);
    }
}

EMSCRIPTEN_KEEPALIVE void poise_web_wheel(double x, double y) {
    if (page.window) {
        poise__input_push_wheel(page.window->input, x, y);
    }
}

EMSCRIPTEN_KEEPALIVE void poise_web_key(int key, int pressed, int repeated, int mods) {
    if (page.window) {
        poise__input_push_key(page.window->input, key, pressed != 0, repeated != 0, mods);
    }
}

EMSCRIPTEN_KEEPALIVE void poise_web_text(int character) {
    if (page.window) {
        poise__input_push_text(page.window->input, character);
    }
}

EMSCRIPTEN_KEEPALIVE void poise_web_resize(double width, double height, double pixels) {
    if (!page.window) {
        return;
    }
    page.window->pixels = pixels > 0.0 ? pixels : 1.0;
    emscripten_set_canvas_element_size("#canvas", (int)lround(width * page.window->pixels),
                                       (int)lround(height * page.window->pixels));
    const PoiseEvent event = {
        .kind = POISE_EVENT_RESIZE, .x = width / unit(), .y = height / unit()};
    poise__input_push(page.window->input, event);
}

EMSCRIPTEN_KEEPALIVE void poise_web_drop(const char* path) {
    if (page.window) {
        poise__input_push_drop(page.window->input, path);
    }
}

PoiseWindow* poise__window_create(const PoiseWindowDef* def, PoiseInput* input, PoiseNote* note) {
    PoiseWindow* window = calloc(1, sizeof *window);
    if (!window) {
        poise__note_fail(note, "out of memory");
        return NULL;
    }
    EmscriptenWebGLContextAttributes attributes;
    emscripten_webgl_init_context_attributes(&attributes);
    attributes.majorVersion = 2;
    // the renderer has a framebuffer of its own, so the canvas needs none of these
    attributes.depth = false;
    attributes.antialias = false;
    attributes.alpha = false;
    // a picture is read from the canvas after its frame
    attributes.preserveDrawingBuffer = true;
    window->input = input;
    window->ui_scale = def->ui_scale;
    window->pixels = 1.0;
    window->context = emscripten_webgl_create_context("#canvas", &attributes);
    if (window->context <= 0 ||
        emscripten_webgl_make_context_current(window->context) != EMSCRIPTEN_RESULT_SUCCESS) {
        poise__note_fail(note, "this browser has no WebGL 2, with which the page draws");
        free(window);
        return NULL;
    }
    // the name that needs no extension hides the driver
    EM_ASM(
        {
            const debug = GLctx.getExtension('WEBGL_debug_renderer_info');
            stringToUTF8(debug ? GLctx.getParameter(debug.UNMASKED_RENDERER_WEBGL) : "", $0, $1);
        },
        window->driver, (int)sizeof window->driver);
    page.window = window;
    poise_web_resize(def->width, def->height, emscripten_get_device_pixel_ratio());
    return window;
}

void poise__window_destroy(PoiseWindow* window) {
    if (window) {
        emscripten_webgl_destroy_context(window->context);
        page.window = NULL;
        free(window);
    }
}

// The browser calls the page's functions between two frames.
void poise__window_poll(PoiseWindow* window, double wait) {
    (void)window;
    (void)wait;
}

static void run_frame(void* user) {
    PoiseWindow* window = user;
    if (!window->frame(window->user)) {
        emscripten_cancel_main_loop();
    }
}

void poise__window_run(PoiseWindow* window, bool (*frame)(void* user), void* user) {
    window->frame = frame;
    window->user = user;
    emscripten_set_main_loop_arg(run_frame, window, 0, true);
}

const char* poise__window_driver(const PoiseWindow* window) {
    return window->driver;
}

double poise__window_cost(PoiseWindow* window, double wall, double work) {
    const double now = poise__window_time(window);
    const double interval = now - window->last_frame;
    (void)wall;
    window->last_frame = now;
    // the interval after a rest does not measure a frame
    return interval < 1.0 ? interval : work;
}

void poise__window_give(PoiseWindow* window, const char* path) {
    (void)window;
    EM_ASM({ Module.give(UTF8ToString($0)); }, path);
}

// Does nothing, because the browser itself shows the canvas after each frame.
void poise__window_swap(PoiseWindow* window) {
    (void)window;
}

void poise__window_set_title(PoiseWindow* window, const char* title) {
    (void)window;
    EM_ASM({ document.title = UTF8ToString($0); }, title);
}

void poise__window_framebuffer_size(const PoiseWindow* window, int* width, int* height) {
    (void)window;
    emscripten_get_canvas_element_size("#canvas", width, height);
}

double poise__window_time(const PoiseWindow* window) {
    (void)window;
    return 1e-3 * emscripten_get_now();
}
