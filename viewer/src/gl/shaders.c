// SPDX-License-Identifier: MIT
// Sources of the shaders. All of them compute in linear light, which the last pass converts to
// sRGB.
#include "shaders.h"

const char POISE__SHADER_FRAME[] =
    "layout(std140) uniform Frame {\n"
    "    mat4 view_projection;\n"
    "    mat4 light_view_projection;\n"
    "    vec4 eye;\n"
    "    vec4 screen_right;\n" // from the middle of the picture to its edge, at depth 1
    "    vec4 screen_up;\n"
    "    vec4 screen_forward;\n"
    "    vec4 viewport;\n"      // width, height, pixels per window unit, supersampling
    "    vec4 key_direction;\n" // towards the key light; w: size of a texel of the shadow map, m
    "    vec4 key_colour;\n"
    "    vec4 fill_direction;\n"
    "    vec4 fill_colour;\n"
    "    vec4 sky_light;\n"    // ambient light from above
    "    vec4 ground_light;\n" // ambient light from below
    "    vec4 zenith;\n"
    "    vec4 horizon;\n"
    "    vec4 ground_colour;\n" // w: 1 for a solid ground
    "    vec4 ground_place;\n"  // centre, height
    "    vec4 ground_grid;\n"   // cell, fade, and the inverse of each
    "    vec4 depths;\n"        // near plane, far plane, distance of occlusion
    "};\n"
    // returns the colour to write for a light: the light itself, or its sRGB by three square roots,
    // whose error is at most 0.3 of 255 for light above 0.002
    "vec3 written(vec3 light) {\n"
    "#ifdef ENCODES\n"
    "    light = clamp(light, 0.0, 1.0);\n"
    "    vec3 a = sqrt(light);\n"
    "    vec3 b = sqrt(a);\n"
    "    return 0.662 * a + 0.6841 * b - 0.3236 * sqrt(b) - 0.0225 * light;\n"
    "#else\n"
    "    return light;\n"
    "#endif\n"
    "}\n"
    // returns the coordinates, 0..1, in the shadow map of a position a little above its surface
    "vec3 seen_by_key(vec3 place, vec3 normal) {\n"
    "    vec3 lifted = place + normal * key_direction.w * 1.6;\n"
    "    return (light_view_projection * vec4(lifted, 1.0)).xyz * 0.5 + 0.5;\n"
    "}\n";

const char POISE__SHADER_LIGHT[] =
    "uniform highp sampler2DShadow shadow_map;\n"
    "vec3 sky(vec3 direction) {\n"
    "    float height = clamp(direction.z, 0.0, 1.0);\n"
    "    return mix(horizon.rgb, zenith.rgb, sqrt(height));\n"
    "}\n"
    "float key_shadow(vec3 at) {\n"
    "    vec2 inside = step(abs(at.xy - 0.5), vec2(0.495));\n"
    "    if (inside.x * inside.y == 0.0) { return 1.0; }\n"
    "    at.z = min(at.z, 1.0);\n"
    "    vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));\n"
    "    float light = 0.0;\n"
    "    const float middle = 0.5 * float(SHADOW_TAPS - 1);\n"
    "    for (int y = 0; y < SHADOW_TAPS; y++) {\n"
    "        for (int x = 0; x < SHADOW_TAPS; x++) {\n"
    "            vec2 offset = (vec2(float(x), float(y)) - middle) * SHADOW_STRIDE;\n"
    "            light += texture(shadow_map, vec3(at.xy + offset * texel, at.z));\n"
    "        }\n"
    "    }\n"
    "    return light / float(SHADOW_TAPS * SHADOW_TAPS);\n"
    "}\n";

#define TURN                                                                                       \
    "vec3 turned(vec4 q, vec3 v) {\n"                                                              \
    "    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);\n"                              \
    "}\n"

#define INSTANCE                                                                                   \
    "layout(location = 0) in vec3 vertex_core;\n"                                                  \
    "layout(location = 1) in vec3 vertex_normal;\n"                                                \
    "layout(location = 2) in vec3 place;\n"                                                        \
    "layout(location = 3) in vec4 turn;\n"                                                         \
    "layout(location = 4) in vec4 size;\n"                                                         \
    "layout(location = 5) in vec4 colour;\n"                                                       \
    "layout(location = 6) in vec3 look;\n"                                                         \
    "layout(location = 7) in uint id;\n" TURN                                                      \
    "vec3 bent(vec3 v) {\n" /* an arc's: about z, by its part of the sweep */                      \
    "    float angle = vertex_core.x * look.z;\n"                                                  \
    "    return vec3(cos(angle) * v.x, sin(angle) * v.x, v.z);\n"                                  \
    "}\n"                                                                                          \
    "vec3 vertex_place() {\n"                                                                      \
    "    if (look.z != 0.0) {\n"                                                                   \
    "        return place + turned(turn, bent(vec3(size.x + vertex_normal.x * size.w, 0.0,\n"      \
    "                                              vertex_normal.z * size.w)));\n"                 \
    "    }\n"                                                                                      \
    "    return place + turned(turn, vertex_core * size.xyz + vertex_normal * size.w);\n"          \
    "}\n"

const char POISE__SHADER_BODY_VERTEX[] =
    INSTANCE "out vec3 at;\n"
             "out vec3 normal;\n"
             "flat out vec4 tint;\n"
             "flat out vec2 shine;\n"
             "flat out uint mark;\n"
             "void main() {\n"
             "    at = vertex_place();\n"
             "    normal = turned(turn, look.z != 0.0 ? bent(vertex_normal) : vertex_normal);\n"
             "    tint = colour;\n"
             "    shine = look.xy;\n"
             "    mark = id;\n"
             "    gl_Position = view_projection * vec4(at, 1.0);\n"
             "}\n";

const char POISE__SHADER_BODY_FRAGMENT[] =
    "uniform float strength;\n"
    "in vec3 at;\n"
    "in vec3 normal;\n"
    "flat in vec4 tint;\n"
    "flat in vec2 shine;\n"
    "flat in uint mark;\n"
    "out vec4 result;\n"
    "float highlight(vec3 n, vec3 v, vec3 l, float roughness) {\n"
    "    vec3 h = normalize(v + l);\n"
    "    float a = roughness * roughness;\n"
    "    float d = dot(n, h) * dot(n, h) * (a * a - 1.0) + 1.0;\n"
    "    float lh = max(0.1, dot(l, h));\n"
    "    return a * a / (4.0 * d * d * lh * lh * (roughness + 0.5));\n"
    "}\n"
    "void main() {\n"
    "    vec3 n = normalize(normal);\n"
    "    vec3 v = normalize(eye.xyz - at);\n"
    "    float key = max(0.0, dot(n, key_direction.xyz));\n"
    "    if (key > 0.0) { key *= key_shadow(seen_by_key(at, n)); }\n"
    "    float fill = 0.5 + 0.5 * dot(n, fill_direction.xyz);\n"
    // a body near the ground gets less light from below and from the sides
    "    float above = max(0.0, at.z - ground_place.w) / ground_grid.x;\n"
    "    float open = ground_colour.w > 0.5 ? 1.0 - 0.45 * exp(-6.0 * above) * (0.5 - 0.5 * n.z)\n"
    "                                       : 1.0;\n"
    "    vec3 ambient = mix(ground_light.rgb, sky_light.rgb, 0.5 + 0.5 * n.z) * open;\n"
    "    vec3 light = ambient + key_colour.rgb * key + fill_colour.rgb * fill * fill;\n"
    "    vec3 lit = tint.rgb * light;\n"
    "    float grazing = pow(1.0 - max(0.0, dot(n, v)), 5.0);\n"
    "    float mirror = (0.04 + 0.5 * grazing) * mix(0.15, 1.0, shine.y) * open;\n"
    "    lit = mix(lit, sky(reflect(-v, n)), mirror);\n"
    "    lit += 0.04 * key_colour.rgb * key * highlight(n, v, key_direction.xyz,\n"
    "                                                   mix(0.75, 0.38, shine.y));\n"
    "    lit = mix(lit, tint.rgb, shine.x);\n"
    "    result = vec4(written(lit), tint.a * strength);\n"
    "}\n";

const char POISE__SHADER_SHADOW_VERTEX[] =
    INSTANCE "void main() {\n"
             "    gl_Position = light_view_projection * vec4(vertex_place(), 1.0);\n"
             "}\n";

const char POISE__SHADER_SHADOW_FRAGMENT[] = "void main() {}\n";

// Writes the id, or if there is no light the colour as 0xrrggbbaa, sRGB.
const char POISE__SHADER_ID_FRAGMENT[] =
    "uniform bool unlit;\n"
    "flat in uint mark;\n"
    "flat in vec4 tint;\n"
    "out uint result;\n"
    "void main() {\n"
    "    vec3 bent = 1.055 * pow(tint.rgb, vec3(1.0 / 2.4)) - 0.055;\n"
    "    vec4 srgb = vec4(mix(12.92 * tint.rgb, bent, step(0.0031308, tint.rgb)), tint.a);\n"
    "    uvec4 bytes = uvec4(255.0 * clamp(srgb, 0.0, 1.0) + 0.5);\n"
    "    uint colour = bytes.r << 24u | bytes.g << 16u | bytes.b << 8u | bytes.a;\n"
    "    result = unlit ? colour : mark;\n"
    "}\n";

const char POISE__SHADER_SKY_VERTEX[] =
    "out vec3 direction;\n"
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
    "    direction = screen_forward.xyz + corner.x * screen_right.xyz + corner.y * screen_up.xyz;\n"
    "    gl_Position = vec4(corner, 1.0, 1.0);\n"
    "}\n";

const char POISE__SHADER_SKY_FRAGMENT[] =
    "in vec3 direction;\n"
    "out vec4 result;\n"
    "void main() { result = vec4(written(sky(normalize(direction))), 1.0); }\n";

const char POISE__SHADER_GROUND_VERTEX[] =
    "out vec3 at;\n"
    "out vec3 seen;\n"
    "void main() {\n"
    "    vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);\n"
    "    at = vec3(ground_place.xy + corner * ground_grid.y, ground_place.w);\n"
    "    seen = seen_by_key(at, vec3(0.0, 0.0, 1.0));\n"
    "    gl_Position = view_projection * vec4(at, 1.0);\n"
    "}\n";

// The ground covers most of most pictures. Therefore its shader divides only to compute `pixels`,
// and prefers linear functions.
const char POISE__SHADER_GROUND_FRAGMENT[] =
    "in vec3 at;\n"
    "in vec3 seen;\n"
    "out vec4 result;\n"
    // returns the fraction of a pixel that is covered by lines of this width at integer p.
    // `footprint` is the extent of a pixel in p, `pixels` its inverse
    "float grid(vec2 p, vec2 footprint, vec2 pixels, float width) {\n"
    "    vec2 away = abs(fract(p - 0.5) - 0.5) * 2.0;\n"
    "    vec2 line = clamp((max(footprint, width) - away) * (pixels * 0.5) + 0.5, 0.0, 1.0);\n"
    "    line *= min(width * pixels, 1.0);\n"
    "    line = mix(line, vec2(width), clamp(footprint * 2.0 - 1.0, 0.0, 1.0));\n"
    "    return line.x + line.y - line.x * line.y;\n"
    "}\n"
    // returns the fraction of a pixel that one line through the origin covers
    "float axis_line(float p, float footprint, float pixels, float width) {\n"
    "    float line = clamp((max(width, footprint) - abs(p)) * (pixels * 0.5) + 0.5, 0.0, 1.0);\n"
    "    return line * min(width * pixels, 1.0);\n"
    "}\n"
    "void main() {\n"
    "    vec2 p = at.xy * ground_grid.z;\n"
    "    vec2 footprint = fwidth(p);\n"
    "    vec2 pixels = 1.0 / footprint;\n"
    "    float out_there = length(at.xy - ground_place.xy) * ground_grid.w;\n"
    "    if (out_there >= 0.95) { discard; }\n"
    "    float fine = grid(p, footprint, pixels, 0.012) * 0.32;\n"
    "    float coarse = grid(p * 0.2, footprint * 0.2, pixels * 5.0, 0.005) * 0.45;\n"
    "    vec3 paint = ground_colour.rgb * (1.0 - max(fine, coarse));\n"
    "    paint = mix(paint, vec3(0.60, 0.16, 0.14),\n"
    "                axis_line(p.y, footprint.y, pixels.y, 0.016) * 0.7);\n"
    "    paint = mix(paint, vec3(0.16, 0.46, 0.20),\n"
    "                axis_line(p.x, footprint.x, pixels.x, 0.016) * 0.7);\n"
    "    float lit = key_direction.z * key_shadow(seen);\n"
    "    float fill = 0.5 + 0.5 * fill_direction.z;\n"
    "    vec3 light = sky_light.rgb + key_colour.rgb * lit + fill_colour.rgb * fill * fill;\n"
    "    float alpha = 1.0 - smoothstep(0.12, 0.95, out_there);\n"
    "    alpha *= ground_colour.w > 0.5 ? 1.0 : 0.82;\n"
    "    alpha *= eye.z > ground_place.w ? 1.0 : 0.3;\n"
    "    result = vec4(written(paint * light), alpha);\n"
    "}\n";

const char POISE__SHADER_LINE_VERTEX[] =
    INSTANCE // from the instance's place to size.xyz; width: size.w, dash: look.z
    "flat out vec4 tint;\n"
    "flat out vec3 shape;\n" // half width, dash, length, in pixels
    "out vec2 at;\n"         // position along and across the line, in pixels
    "void main() {\n"
    "    const float nearest = 1e-4;\n"
    "    vec4 a = view_projection * vec4(place, 1.0);\n"
    "    vec4 b = view_projection * vec4(size.xyz, 1.0);\n"
    "    if (a.w < nearest && b.w < nearest) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }\n"
    "    if (a.w < nearest) { a = mix(a, b, (nearest - a.w) / (b.w - a.w)); }\n"
    "    if (b.w < nearest) { b = mix(b, a, (nearest - b.w) / (a.w - b.w)); }\n"
    "    vec2 half_size = 0.5 * viewport.xy;\n"
    "    vec2 pa = a.xy / a.w * half_size;\n"
    "    vec2 pb = b.xy / b.w * half_size;\n"
    "    float len = length(pb - pa);\n"
    "    vec2 direction = len > 1e-4 ? (pb - pa) / len : vec2(1.0, 0.0);\n"
    "    float half_width = 0.5 * size.w * viewport.z;\n"
    "    float reach = half_width + 1.0;\n"
    // corners of the triangles 0, 1, 2 and 2, 1, 3
    "    int corner = 0x312210 >> (4 * (gl_VertexID % 6)) & 3;\n"
    "    float end = float(corner & 1);\n"
    "    float side = float((corner & 2) - 1);\n"
    "    vec2 p = mix(pa, pb, end) + direction * (2.0 * end - 1.0) * reach\n"
    "             + vec2(-direction.y, direction.x) * side * reach;\n"
    "    at = vec2(mix(-reach, len + reach, end), side * reach);\n"
    "    tint = colour;\n"
    "    shape = vec3(half_width, look.z * viewport.z, len);\n"
    "    gl_Position = vec4(p / half_size, mix(a.z / a.w, b.z / b.w, end), 1.0);\n"
    "}\n";

const char POISE__SHADER_LINE_FRAGMENT[] =
    "uniform float strength;\n"
    "flat in vec4 tint;\n"
    "flat in vec3 shape;\n"
    "in vec2 at;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    float along = at.x - clamp(at.x, 0.0, shape.z);\n"
    "    if (shape.y > 0.0) {\n" // distance to the nearest dash, whose ends are round
    "        float period = 2.0 * shape.y;\n"
    "        float in_period = abs(fract(at.x / period) - 0.5) * period;\n"
    "        along = max(abs(along), max(0.0, in_period - 0.5 * shape.y + shape.x));\n"
    "    }\n"
    "    float away = length(vec2(along, at.y));\n"
    "    float cover = clamp(shape.x + 0.5 - away, 0.0, 1.0);\n"
    "    if (cover <= 0.0) { discard; }\n"
    "    result = vec4(written(tint.rgb), tint.a * cover * strength);\n"
    "}\n";

const char POISE__SHADER_SCREEN_VERTEX[] =
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
    "    gl_Position = vec4(corner, 0.0, 1.0);\n"
    "}\n";

const char POISE__SHADER_DEPTH[] =
    "uniform highp sampler2D depth_map;\n"
    "float raw_depth(ivec2 pixel) {\n"
    "    ivec2 last = ivec2(viewport.xy) - 1;\n"
    "    return texelFetch(depth_map, clamp(pixel, ivec2(0), last), 0).r;\n"
    "}\n"
    "float distance_of(float raw) {\n"
    "    float back = 2.0 * raw - 1.0;\n"
    "    return 2.0 * depths.x * depths.y\n"
    "           / (depths.y + depths.x - back * (depths.y - depths.x));\n"
    "}\n"
    // returns the position relative to the eye, m
    "vec3 place_of(ivec2 pixel) {\n"
    "    vec2 at = (vec2(pixel) + 0.5) / viewport.xy * 2.0 - 1.0;\n"
    "    vec3 direction = screen_forward.xyz + at.x * screen_right.xyz + at.y * screen_up.xyz;\n"
    "    return direction * distance_of(raw_depth(pixel));\n"
    "}\n";

const char POISE__SHADER_OCCLUSION_FRAGMENT[] =
    "out float result;\n"
    "vec3 shorter(vec3 a, vec3 b) { return dot(a, a) < dot(b, b) ? a : b; }\n"
    "void main() {\n"
    "    ivec2 pixel = ivec2(gl_FragCoord.xy) * 2;\n"
    "    result = 1.0;\n"
    "    if (raw_depth(pixel) >= 1.0) { return; }\n"
    "    vec3 p = place_of(pixel);\n"
    "    vec3 across = shorter(place_of(pixel + ivec2(1, 0)) - p, p - place_of(pixel - ivec2(1, "
    "0)));\n"
    "    vec3 up = shorter(place_of(pixel + ivec2(0, 1)) - p, p - place_of(pixel - ivec2(0, 1)));\n"
    "    vec3 n = normalize(cross(across, up));\n"
    "    float away = distance_of(raw_depth(pixel));\n"
    "    float reach = depths.z;\n"
    "    float pixels = min(reach * 0.5 * viewport.y / (length(screen_up.xyz) * away),\n"
    "                       0.3 * viewport.y);\n"
    "    if (pixels < 2.0) { return; }\n"
    // a rotation that differs within each 4 x 4 pixels, so that the blur removes its pattern
    "    vec2 cell = mod(floor(gl_FragCoord.xy), 4.0);\n"
    "    float spin = (cell.x * 4.0 + mod(cell.x * 2.0 + cell.y, 4.0)) / 16.0 * 6.2831853;\n"
    "    float hidden = 0.0;\n"
    "    for (int i = 0; i < OCCLUSION_TAPS; i++) {\n"
    "        float part = (float(i) + 0.5) / float(OCCLUSION_TAPS);\n"
    "        float angle = part * OCCLUSION_TURNS * 6.2831853 + spin;\n"
    "        vec2 offset = vec2(cos(angle), sin(angle)) * part * pixels;\n"
    "        vec3 v = place_of(pixel + ivec2(offset)) - p;\n"
    "        float far = dot(v, v) / (reach * reach);\n"
    "        float fade = max(0.0, 1.0 - far);\n"
    "        float above = dot(v, n) - 0.02 * reach - 0.0015 * away;\n"
    "        hidden += fade * max(0.0, above) / (length(v) + 0.02 * reach);\n"
    "    }\n"
    "    result = clamp(1.0 - 2.2 * hidden / float(OCCLUSION_TAPS), 0.0, 1.0);\n"
    "}\n";

const char POISE__SHADER_BLUR_FRAGMENT[] =
    "uniform sampler2D occlusion_map;\n"
    "out float result;\n"
    "void main() {\n"
    "    ivec2 pixel = ivec2(gl_FragCoord.xy);\n"
    "    ivec2 last = textureSize(occlusion_map, 0) - 1;\n"
    "    float middle = distance_of(raw_depth(pixel * 2));\n"
    "    float sum = 0.0;\n"
    "    float weights = 1e-4;\n"
    "    for (int y = -2; y < 2; y++) {\n"
    "        for (int x = -2; x < 2; x++) {\n"
    "            ivec2 there = clamp(pixel + ivec2(x, y), ivec2(0), last);\n"
    "            float off = abs(distance_of(raw_depth(there * 2)) - middle);\n"
    "            float weight = max(0.0, 1.0 - off / (0.25 * depths.z)) + 1e-4;\n"
    "            sum += weight * texelFetch(occlusion_map, there, 0).r;\n"
    "            weights += weight;\n"
    "        }\n"
    "    }\n"
    "    result = sum / weights;\n"
    "}\n";

const char POISE__SHADER_PRESENT_FRAGMENT[] =
    "uniform sampler2D picture;\n"
    "uniform sampler2D occlusion_map;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    int scale = int(viewport.w);\n"
    "    ivec2 first = ivec2(gl_FragCoord.xy) * scale;\n"
    "    vec3 sum = vec3(0.0);\n"
    "    for (int y = 0; y < scale; y++) {\n"
    "        for (int x = 0; x < scale; x++) {\n"
    "            sum += texelFetch(picture, first + ivec2(x, y), 0).rgb;\n"
    "        }\n"
    "    }\n"
    "    vec3 light = sum / float(scale * scale);\n"
    "    vec2 at = gl_FragCoord.xy * float(scale) / viewport.xy;\n"
    "#ifdef OCCLUSION_TAPS\n"
    "    light *= mix(vec3(0.10, 0.12, 0.16), vec3(1.0), texture(occlusion_map, at).r);\n"
    "#endif\n"
    "    vec2 off = at - 0.5;\n"
    "    light *= 1.0 - 0.30 * dot(off, off);\n"
    "    vec3 low = light * 12.92;\n"
    "    vec3 high = 1.055 * pow(max(light, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055;\n"
    "    result = vec4(mix(high, low, vec3(lessThan(light, vec3(0.0031308)))), 1.0);\n"
    "}\n";

// The three neighbours are 120 degrees apart, so that the sharpening is the same in all directions;
// a fourth would cost another sample. The result is limited to the range of the four values, so
// that edges get no bright or dark borders.
const char POISE__SHADER_ENLARGE_FRAGMENT[] =
    "uniform sampler2D picture;\n"
    "uniform vec4 texel;\n" // sizes of a texel and of a window pixel, part of the picture
    "out vec4 result;\n"
    "void main() {\n"
    "    vec2 at = gl_FragCoord.xy * texel.zw;\n"
    "    vec3 middle = texture(picture, at).rgb;\n"
    "    vec3 a = texture(picture, at + texel.xy * vec2(0.0, 1.0)).rgb;\n"
    "    vec3 b = texture(picture, at + texel.xy * vec2(0.866, -0.5)).rgb;\n"
    "    vec3 c = texture(picture, at - texel.xy * vec2(0.866, 0.5)).rgb;\n"
    "    vec3 sharp = middle + 1.333 * SHARPNESS * (3.0 * middle - a - b - c);\n"
    "    vec3 least = min(middle, min(min(a, b), c));\n"
    "    vec3 most = max(middle, max(max(a, b), c));\n"
    "    result = vec4(clamp(sharp, least, most), 1.0);\n"
    "}\n";
