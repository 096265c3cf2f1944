// SPDX-License-Identifier: MIT
// The folder of the scenes in the source, for programs that run in a build. The Python package,
// which may be moved to another machine, has an empty text instead (scenes/python/scene_source.c).
#include "scene_source.h"

const char poise__scene_source[] = POISE_SCENE_FOLDER;
