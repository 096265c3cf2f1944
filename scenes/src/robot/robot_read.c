// SPDX-License-Identifier: MIT
// Reads a robot file of any format. The content decides which format it is.
#include <string.h>

#include "urdf.h"

// True if macros or includes of xacro are left in the robot.
static bool is_xacro(const Element* root) {
    for (int i = 0; i < root->child_count; i++) {
        const char* key = root->children[i]->key;
        bool idle = strcmp(key, "xacro:property") == 0 || strcmp(key, "xacro:arg") == 0;
        if (root->children[i]->kind == ELEMENT_MAP && strncmp(key, "xacro:", 6) == 0 && !idle) {
            return true;
        }
    }
    return false;
}

// Returns what the file is if it is no robot, and what to do; "" for an unknown root, NULL for a
// robot.
static const char* foreign(const Element* root) {
    if (strcmp(root->key, "robot") == 0) {
        return is_xacro(root) ? "this is a xacro file, from which a robot is made: run 'xacro "
                                "FILE -o robot.urdf' (ROS) and read robot.urdf"
                              : NULL;
    }
    if (strcmp(root->key, "sdf") == 0 || strcmp(root->key, "gazebo") == 0) {
        return "this is an SDF file of Gazebo's, which is not read: run 'sdf2urdf.py FILE "
               "robot.urdf' (pysdf) and read robot.urdf";
    }
    if (strcmp(root->key, "mujocoinclude") == 0) {
        return "this is a part of a MuJoCo model: read the file that includes it";
    }
    return strcmp(root->key, "mujoco") == 0 ? NULL : "";
}

UrdfRobot* poise__robot_read(Document* document, const char* text, size_t size) {
    const bool table = poise__is_dh_table(text, size);
    Element* root =
        table ? poise__dh_read(document, text, size) : poise__xml_read(document, text, size);
    if (!root) {
        return NULL;
    }
    const char* what = foreign(root);
    if (what && what[0]) {
        poise__diagnose(document->diagnostics, POISE_ERROR, root->mark, "%s", what);
    } else if (what) {
        poise__diagnose(document->diagnostics, POISE_ERROR, root->mark,
                        "the root element must be <robot> or <mujoco>, not <%.60s>", root->key);
    }
    if (what) {
        return NULL;
    }
    const bool mujoco = strcmp(root->key, "mujoco") == 0;
    UrdfRobot* robot = mujoco ? poise__mjcf_read(document, root) : poise__urdf_read(document, root);
    if (robot) {
        robot->format = mujoco ? "mjcf" : table ? "dh" : "urdf";
    }
    return robot;
}
