// SPDX-License-Identifier: MIT
// Implements context.h with EGL, which no other file includes.
#include "context.h"

#include <epoxy/egl.h>
#include <stdlib.h>

struct PoiseContext {
    EGLDisplay display;
    EGLSurface surface;
    EGLContext context;
};

static const char INSTALL[] = "install them with: apt install libegl1 libegl-mesa0 libgl1-mesa-dri";

/// Opens Mesa's surfaceless display, which needs no screen; if the driver has none, the default
/// display.
static EGLDisplay open_display(void) {
    EGLDisplay display = EGL_NO_DISPLAY;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) {
        display =
            eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    }
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) {
        return display;
    }
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) ? display
                                                                           : EGL_NO_DISPLAY;
}

/// Makes a context of OpenGL 3.3. Returns EGL_NO_CONTEXT if the driver has none.
static EGLContext make_context(EGLDisplay display, EGLConfig* config) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,   EGL_RED_SIZE,    8,
                             EGL_NONE};
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    EGLint count = 0;
    return eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, wanted, config, 1, &count) &&
                   count > 0
               ? eglCreateContext(display, *config, EGL_NO_CONTEXT, attributes)
               : EGL_NO_CONTEXT;
}

static bool make_current(PoiseContext* context, EGLConfig config) {
    if (epoxy_has_egl_extension(context->display, "EGL_KHR_surfaceless_context") &&
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context)) {
        return true;
    }
    const EGLint small[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    context->surface = eglCreatePbufferSurface(context->display, config, small);
    return context->surface != EGL_NO_SURFACE &&
           eglMakeCurrent(context->display, context->surface, context->surface, context->context);
}

static bool open_context(PoiseContext* context, PoiseNote* note) {
    context->display = open_display();
    if (context->display == EGL_NO_DISPLAY) {
        return poise__note_fail(note, "EGL finds no graphics driver, not even a software one; %s",
                                INSTALL);
    }
    EGLConfig config = NULL;
    context->context = make_context(context->display, &config);
    if (context->context == EGL_NO_CONTEXT || !make_current(context, config)) {
        return poise__note_fail(note, "EGL gives no OpenGL 3.3 (error 0x%x); %s",
                                (unsigned)eglGetError(), INSTALL);
    }
    return true;
}

PoiseContext* poise__context_create(PoiseNote* note) {
    if (!epoxy_has_egl()) {
        poise__note_fail(note, "the EGL library (libEGL.so.1) and its drivers are missing; %s",
                         INSTALL);
        return NULL;
    }
    PoiseContext* context = calloc(1, sizeof *context);
    if (!context) {
        poise__note_fail(note, "out of memory");
        return NULL;
    }
    context->display = EGL_NO_DISPLAY;
    context->surface = EGL_NO_SURFACE;
    context->context = EGL_NO_CONTEXT;
    if (!open_context(context, note)) {
        poise__context_destroy(context);
        return NULL;
    }
    return context;
}

void poise__context_destroy(PoiseContext* context) {
    if (!context) {
        return;
    }
    if (context->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context->surface != EGL_NO_SURFACE) {
            eglDestroySurface(context->display, context->surface);
        }
        if (context->context != EGL_NO_CONTEXT) {
            eglDestroyContext(context->display, context->context);
        }
        // Terminating the display would unload the driver, whose caches then look like leaks. The
        // display belongs to the process and stays.
    }
    free(context);
}
