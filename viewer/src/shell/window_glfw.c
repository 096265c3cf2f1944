// SPDX-License-Identifier: MIT
// Implements window.h with GLFW, which no other file includes. GLFW's callbacks only push events.
#include "window.h"

// epoxy declares the OpenGL functions
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "actions.h"

_Static_assert((int)POISE_KEY_SPACE == GLFW_KEY_SPACE && (int)POISE_KEY_ESCAPE == GLFW_KEY_ESCAPE &&
                   (int)POISE_KEY_ENTER == GLFW_KEY_ENTER && (int)POISE_KEY_TAB == GLFW_KEY_TAB &&
                   (int)POISE_KEY_BACKSPACE == GLFW_KEY_BACKSPACE &&
                   (int)POISE_KEY_RIGHT == GLFW_KEY_RIGHT && (int)POISE_KEY_LEFT == GLFW_KEY_LEFT &&
                   (int)POISE_KEY_DOWN == GLFW_KEY_DOWN && (int)POISE_KEY_UP == GLFW_KEY_UP &&
                   (int)POISE_KEY_DELETE == GLFW_KEY_DELETE &&
                   (int)POISE_KEY_LEFT_SHIFT == GLFW_KEY_LEFT_SHIFT &&
                   (int)POISE_KEY_LEFT_CTRL == GLFW_KEY_LEFT_CONTROL &&
                   (int)POISE_KEY_RIGHT_SHIFT == GLFW_KEY_RIGHT_SHIFT &&
                   (int)POISE_KEY_RIGHT_CTRL == GLFW_KEY_RIGHT_CONTROL &&
                   (int)POISE_KEY_HOME == GLFW_KEY_HOME && (int)POISE_KEY_F1 == GLFW_KEY_F1,
               "key numbers are GLFW's");
_Static_assert((int)POISE_BUTTON_LEFT == GLFW_MOUSE_BUTTON_LEFT &&
                   (int)POISE_BUTTON_RIGHT == GLFW_MOUSE_BUTTON_RIGHT &&
                   (int)POISE_BUTTON_MIDDLE == GLFW_MOUSE_BUTTON_MIDDLE,
               "button numbers are GLFW's");

struct PoiseWindow {
    GLFWwindow* handle;
    PoiseInput* input;
    /// Factor of the size of text and panels that the person asked for, and number of GLFW's units
    /// per window unit of the viewer on the present screen.
    double ui_scale;
    double unit;
};

static PoiseInput* input_of(GLFWwindow* handle) {
    return ((PoiseWindow*)glfwGetWindowUserPointer(handle))->input;
}

double poise__window_unit(double content, double pixels, double ui_scale) {
    return fmax(1e-3, (content > 0.0 ? content : 1.0) / (pixels > 0.0 ? pixels : 1.0) * ui_scale);
}

/// Measures the unit of the window. Some systems measure windows in pixels, and have a scale for
/// text. Others measure windows in larger units, each of several pixels.
static void measure_unit(GLFWwindow* handle) {
    PoiseWindow* window = glfwGetWindowUserPointer(handle);
    float content = 1.0f;
    int width = 0, framebuffer = 0;
    glfwGetWindowContentScale(handle, NULL, &content);
    glfwGetWindowSize(handle, &width, NULL);
    glfwGetFramebufferSize(handle, &framebuffer, NULL);
    const double pixels = width > 0 && framebuffer > 0 ? (double)framebuffer / width : 1.0;
    window->unit = poise__window_unit((double)content, pixels, window->ui_scale);
}

static double unit_of(GLFWwindow* handle) {
    return ((PoiseWindow*)glfwGetWindowUserPointer(handle))->unit;
}

static int mods_of(int glfw_mods) {
    return ((glfw_mods & GLFW_MOD_SHIFT) ? POISE_MOD_SHIFT : 0) |
           ((glfw_mods & GLFW_MOD_CONTROL) ? POISE_MOD_CTRL : 0) |
           ((glfw_mods & GLFW_MOD_ALT) ? POISE_MOD_ALT : 0);
}

static void on_pointer(GLFWwindow* handle, double x, double y) {
    poise__input_push_pointer(input_of(handle), x / unit_of(handle), y / unit_of(handle));
}

static void on_button(GLFWwindow* handle, int button, int action, int mods) {
    // the queue knows the position at the press; glfwGetCursorPos would return the present position
    if (button <= GLFW_MOUSE_BUTTON_MIDDLE) {
        poise__input_push_button(input_of(handle), (PoiseButton)button, action == GLFW_PRESS,
                                 mods_of(mods));
    }
}

static void on_wheel(GLFWwindow* handle, double x, double y) {
    poise__input_push_wheel(input_of(handle), x, y);
}

/// Returns the character of the key in the keyboard's layout, so that + is the key with this sign.
static int layout_key(int key, int scancode, int* mods) {
    if (key == GLFW_KEY_KP_ADD || key == GLFW_KEY_KP_SUBTRACT) {
        return key == GLFW_KEY_KP_ADD ? '+' : '-';
    }
    const char* name = key == GLFW_KEY_SPACE ? NULL : glfwGetKeyName(key, scancode);
    if (!name || name[0] == '\0' || name[1] != '\0') {
        return key;
    }
    if (name[0] == '=' && *mods == POISE_MOD_SHIFT) {
        *mods = 0;
        return '+';
    }
    return toupper((unsigned char)name[0]);
}

static void on_key(GLFWwindow* handle, int key, int scancode, int action, int glfw_mods) {
    int mods = mods_of(glfw_mods);
    int code = layout_key(key, scancode, &mods);
    poise__input_push_key(input_of(handle), code, action != GLFW_RELEASE, action == GLFW_REPEAT,
                          mods);
}

static void on_text(GLFWwindow* handle, unsigned character) {
    poise__input_push_text(input_of(handle), (int)character);
}

static void on_resize(GLFWwindow* handle, int width, int height) {
    measure_unit(handle);
    PoiseEvent event = {
        .kind = POISE_EVENT_RESIZE, .x = width / unit_of(handle), .y = height / unit_of(handle)};
    poise__input_push(input_of(handle), event);
}

// Pushes an event of the window's size, so that the window is rendered again after something has
// covered it.
static void on_uncovered(GLFWwindow* handle) {
    int width = 0, height = 0;
    glfwGetWindowSize(handle, &width, &height);
    on_resize(handle, width, height);
}

static void on_rescaled(GLFWwindow* handle, float x, float y) {
    (void)x;
    (void)y;
    on_uncovered(handle);
}

// Pushes only the first of the dropped files, since the viewer shows one scene.
static void on_drop(GLFWwindow* handle, int count, const char** paths) {
    if (count > 0) {
        poise__input_push_drop(input_of(handle), paths[0]);
    }
}

static void on_close(GLFWwindow* handle) {
    PoiseEvent event = {.kind = POISE_EVENT_CLOSE};
    poise__input_push(input_of(handle), event);
}

static void set_callbacks(PoiseWindow* window) {
    glfwSetWindowUserPointer(window->handle, window);
    glfwSetCursorPosCallback(window->handle, on_pointer);
    glfwSetMouseButtonCallback(window->handle, on_button);
    glfwSetScrollCallback(window->handle, on_wheel);
    glfwSetKeyCallback(window->handle, on_key);
    glfwSetCharCallback(window->handle, on_text);
    glfwSetWindowSizeCallback(window->handle, on_resize);
    glfwSetWindowRefreshCallback(window->handle, on_uncovered);
    glfwSetWindowContentScaleCallback(window->handle, on_rescaled);
    glfwSetDropCallback(window->handle, on_drop);
    glfwSetWindowCloseCallback(window->handle, on_close);
}

static void explain_failure(const char* what, PoiseNote* note) {
    const char* reason = NULL;
    glfwGetError(&reason);
    poise__note_fail(note,
                     "%s (%s).\n"
                     "Without a screen, make a picture or a film instead:\n"
                     "  poise-view SCENE --headless --screenshot picture.png --at 2.5s\n"
                     "  poise-view SCENE --headless --record film.mp4 --seconds 5\n"
                     "Over ssh, log in with ssh -X; on a machine without a screen, "
                     "xvfb-run poise-view SCENE gives it one.",
                     what, reason ? reason : "no reason given");
}

static void set_hints(void) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    // the renderer has a picture of its own, so the window needs neither depths nor samples
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
}

PoiseWindow* poise__window_create(const PoiseWindowDef* def, PoiseInput* input, PoiseNote* note) {
    PoiseWindow* window = calloc(1, sizeof *window);
    if (!window) {
        poise__note_fail(note, "out of memory");
        return NULL;
    }
    if (!glfwInit()) {
        explain_failure("There is no display to open a window on", note);
        free(window);
        return NULL;
    }
    set_hints();
    window->input = input;
    window->ui_scale = def->ui_scale;
    window->unit = 1.0;
    window->handle = glfwCreateWindow(def->width, def->height, def->title, NULL, NULL);
    if (!window->handle) {
        explain_failure("The display gives no window with OpenGL 3.3", note);
        poise__window_destroy(window);
        return NULL;
    }
    set_callbacks(window);
    glfwMakeContextCurrent(window->handle);
    glfwSwapInterval(1);
    int shown_width = def->width;
    int shown_height = def->height;
    glfwGetWindowSize(window->handle, &shown_width, &shown_height);
    on_resize(window->handle, shown_width, shown_height);
    return window;
}

void poise__window_destroy(PoiseWindow* window) {
    if (!window) {
        return;
    }
    if (window->handle) {
        glfwDestroyWindow(window->handle);
    }
    glfwTerminate();
    free(window);
}

void poise__window_poll(PoiseWindow* window, double wait) {
    (void)window;
    if (wait > 0.0) {
        glfwWaitEventsTimeout(wait);
    } else {
        glfwPollEvents();
    }
}

void poise__window_run(PoiseWindow* window, bool (*frame)(void* user), void* user) {
    (void)window;
    while (frame(user)) {
    }
}

const char* poise__window_driver(const PoiseWindow* window) {
    const char* name = (const char*)glGetString(GL_RENDERER);
    (void)window;
    return name ? name : "";
}

double poise__window_cost(PoiseWindow* window, double wall, double work) {
    (void)window;
    return fmin(wall, work);
}

void poise__window_give(PoiseWindow* window, const char* path) {
    (void)window;
    (void)path;
}

void poise__window_swap(PoiseWindow* window) {
    glfwSwapBuffers(window->handle);
}

void poise__window_set_title(PoiseWindow* window, const char* title) {
    glfwSetWindowTitle(window->handle, title);
}

void poise__window_framebuffer_size(const PoiseWindow* window, int* width, int* height) {
    glfwGetFramebufferSize(window->handle, width, height);
}

double poise__window_time(const PoiseWindow* window) {
    (void)window;
    return glfwGetTime();
}
