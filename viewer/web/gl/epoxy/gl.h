// SPDX-License-Identifier: MIT
// Replaces libepoxy in the web page, where WebGL 2 is OpenGL ES 3 and its functions are linked.
#ifndef POISE_WEB_EPOXY_GL_H
#define POISE_WEB_EPOXY_GL_H

#include <GLES3/gl3.h>

// Names that only OpenGL of the desktop has; code that uses them asks epoxy_is_desktop_gl first.
#define GL_FRAMEBUFFER_SRGB          0x8DB9
#define epoxy_is_desktop_gl()        0
#define epoxy_gl_version()           30
#define epoxy_has_gl_extension(name) 0
#define GL_TEXTURE_SRGB_DECODE_EXT   0x8A48
#define GL_SKIP_DECODE_EXT           0x8A4A

#endif
