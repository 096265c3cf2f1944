// SPDX-License-Identifier: MIT
// Reads a robot file of any format. The content decides which format it is.
#include <string.h>

#include "robot.h"

// True if the robot contains macros or includes of xacro.
static bool is_xacro(const Element* root) {
    const Element* child;
    for (int i = 0; (child = poise__tag_next(root, NULL, &i));) {
        if (strncmp(child->key, "xacro:", 6) == 0 && strcmp(child->key, "xacro:property") != 0 &&
            strcmp(child->key, "xacro:arg") != 0) {
            return true;
        }
    }
    return false;
}

// Returns NULL for a URDF or MJCF robot, and "" for an unknown root element. If the format is
// another known one, returns its name and what to do.
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

// Reads a robot from the text of a URDF or MJCF.
static bool read_xml(RobotReader* reader, const char* text, size_t size) {
    Element* root = poise__xml_read(reader->document, text, size);
    const char* what = root ? foreign(root) : NULL;
    if (what) {
        return what[0]
                   ? poise__robot_refuse(reader, root->mark, "%s", what)
                   : poise__robot_refuse(
                         reader, root->mark,
                         "the root element must be <robot> or <mujoco>, not <%.60s>", root->key);
    }
    if (!root) {
        return false;
    }
    const bool mujoco = strcmp(root->key, "mujoco") == 0;
    const char* name = poise__tag_own_text(root, mujoco ? "model" : "name");
    reader->root = root;
    reader->strict = mujoco;
    reader->robot->name = name ? name : "";
    reader->robot->mark = root->mark;
    reader->robot->format = mujoco ? "mjcf" : "urdf";
    return mujoco ? poise__mjcf_read(reader, root) : poise__urdf_read(reader);
}

Robot* poise__robot_read(Document* document, const char* text, size_t size) {
    Robot* robot = poise__arena_allocate(document->arena, 1, sizeof *robot);
    RobotReader reader = {.document = document,
                          .arena = document->arena,
                          .diagnostics = document->diagnostics,
                          .robot = robot,
                          .links = {.arena = document->arena},
                          .joints = {.arena = document->arena},
                          .mesh_names = {.arena = document->arena}};
    const int errors = poise_diagnostics_count(document->diagnostics, POISE_ERROR);
    const bool read = robot && (poise__is_dh_table(text, size) ? poise__dh_read(&reader, text, size)
                                                               : read_xml(&reader, text, size));
    return read && !document->arena->failed &&
                   poise_diagnostics_count(document->diagnostics, POISE_ERROR) == errors
               ? robot
               : NULL;
}
