// SPDX-License-Identifier: MIT
// The folder of the scenes in the source, for programs that run in a build. The Python package,
// which may be moved to another machine, has an empty text instead (scenes/python/scene_folder.c).
#include "scene_folder.h"

const char poise__scene_folder[] = POISE_SCENE_FOLDER;
