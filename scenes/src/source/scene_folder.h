// SPDX-License-Identifier: MIT
// The folder of the scenes in the source tree.
#ifndef POISE_SCENE_FOLDER_H
#define POISE_SCENE_FOLDER_H

/// Folder of the scenes in the source; "": none.
extern const char poise__scene_folder[];

#endif
