// SPDX-License-Identifier: MIT
// The Python package knows no folder of the source: it has the scenes beside its library.
#include "scene_folder.h"

const char poise__scene_folder[] = "";
