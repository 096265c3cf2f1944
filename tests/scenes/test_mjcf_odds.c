// SPDX-License-Identifier: MIT
// What few models have: each row is a piece of a model, where it stands, and what is found in it.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "loaded.h"

typedef struct Row {
    const char* name;
    const char* asset;
    const char* body;    ///< beside the arm's joint and geom
    const char* section; ///< beside the worldbody
    PoiseSeverity severity;
    const char* finds; ///< NULL: nothing of that severity or above
} Row;

#define POINTS    "0 0 0 1 0 0 0 1 0 0 0 1"
#define MESH_GEOM "<geom mesh='m' mass='1'/>"

static const Row rows[] = {
    {"a mesh of its own points", "<mesh name='m' vertex='" POINTS "'/>", MESH_GEOM, "",
     POISE_WARNING, NULL},
    {"turned and moved", "<mesh name='m' vertex='" POINTS "' refpos='1 2 3' refquat='0 0 0 2'/>",
     MESH_GEOM, "", POISE_WARNING, NULL},
    {"turned, and scaled by axis",
     "<mesh name='m' vertex='" POINTS "' refquat='0 1 0 0' scale='1 2 3'/>", MESH_GEOM, "",
     POISE_WARNING, "has a 'refquat' and a 'scale' that differs by axis: scaled, then turned"},
    {"points in a plane", "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/>", MESH_GEOM, "",
     POISE_WARNING, "has points that no solid can be made of: its geoms are left out"},
    {"half a point", "<mesh name='m' vertex='0 0 0 1'/>", MESH_GEOM, "", POISE_WARNING,
     "has points that no solid can be made of"},
    {"a point of words", "<mesh name='m' vertex='0 0 x'/>", MESH_GEOM, "", POISE_WARNING,
     "has points that no solid can be made of"},
    {"neither file nor points", "<mesh name='m'/>", MESH_GEOM, "", POISE_WARNING,
     "without a file is not read: its geoms are left out"},
    {"two of a name", "<mesh name='m'/><mesh name='m'/>", "", "", POISE_ERROR,
     "a second mesh is named 'm'"},
    {"a name of its file", "<mesh file='sub/m.stl'/><mesh file='m'/>", "", "", POISE_ERROR,
     "a second mesh is named 'm'"},
    {"a scale of words", "<mesh name='m' scale='x'/>", "", "", POISE_ERROR, "'scale'"},
    {"a place of words", "<mesh name='m' refpos='x'/>", "", "", POISE_ERROR, "'refpos'"},
    {"a turn of words", "<mesh name='m' refquat='x'/>", "", "", POISE_ERROR, "'refquat'"},
    {"a mesh that is not there", "<mesh name='mast'/>", "<geom type='mesh' mesh='must'/>", "",
     POISE_ERROR, "there is no mesh 'must'; did you mean 'mast'?"},
    {"a sphere with two ends", "", "<geom type='sphere' size='0.1' fromto='0 0 0 1 0 0'/>", "",
     POISE_ERROR, "a sphere has no 'fromto'"},
    {"a capsule of one place", "", "<geom type='capsule' size='0.1' fromto='0 0 0 0 0 0'/>", "",
     POISE_ERROR, "the two ends of 'fromto' are one place"},
    {"ends of words", "", "<geom type='capsule' size='0.1' fromto='x'/>", "", POISE_ERROR,
     "'fromto'"},
    {"a field of heights", "", "<geom type='hfield'/>", "", POISE_WARNING,
     "of type hfield is not read"},
    {"no type at all", "", "<geom type='blob'/>", "", POISE_ERROR, "'blob' is no type of geom"},
    {"a ball that is an ellipsoid", "", "<geom type='ellipsoid' size='0.1 0.1 0.1'/>", "",
     POISE_WARNING, NULL},
    {"what no body has", "", "<frobnicate/>", "", POISE_NOTE, "is not used"},
    {"copies of words", "", "<replicate count='x'><geom size='0.1'/></replicate>", "", POISE_ERROR,
     "'count'"},
    {"copies beside words", "", "<replicate count='2' offset='x'><geom size='0.1'/></replicate>",
     "", POISE_ERROR, "'offset'"},
    {"a force that the joint bears", "",
     "<joint name='k' axis='1 0 0' actuatorfrclimited='true' actuatorfrcrange='-3 2'/>", "",
     POISE_ERROR, NULL},
    {"an actuator with a law of its own", "", "",
     "<actuator><general joint='j' biastype='affine' gainprm='5'/>"
     "<general joint='j' gaintype='user'/></actuator>",
     POISE_ERROR, NULL},
    {"words among actuators", "", "", "<actuator>words<motor joint='j'/></actuator>", POISE_ERROR,
     NULL},
    {"an actuator of no joint", "", "", "<actuator><motor joint='q'/></actuator>", POISE_ERROR,
     "there is no joint 'q'"},
    {"a follower by a curve", "", "<joint name='k' axis='1 0 0'/>",
     "<equality><joint joint1='j' joint2='k' polycoef='0 1 2 0 0'/></equality>", POISE_WARNING,
     "left out: <joint> of <equality>"},
    {"a follower by a steeper curve", "", "<joint name='k' axis='1 0 0'/>",
     "<equality><joint joint1='j' joint2='k' polycoef='0 1 0 1 0'/></equality>", POISE_WARNING,
     "left out: <joint> of <equality>"},
    {"a follower of nothing", "", "", "<equality><joint joint1='j'/></equality>", POISE_WARNING,
     "left out: <joint> of <equality>"},
    {"a weld by words", "", "",
     "<equality><weld body1='arm' body2='other' relpose='x'/></equality>", POISE_ERROR,
     "'relpose'"},
    {"a weld turned about y", "", "",
     "<equality><weld name='w' body1='arm' body2='other' relpose='0 0 1 0 0 1 0'/></equality>",
     POISE_ERROR, NULL},
    {"a weld of nothing", "", "", "<equality><weld body1='nobody'/></equality>", POISE_WARNING,
     "left out: <weld> of <equality>"},
    {"a weld of one site", "", "<site name='s'/>", "<equality><weld site1='s'/></equality>",
     POISE_WARNING, "left out: <weld> of <equality>"},
    {"a weld that is off", "", "", "<equality><weld active='false' body1='nobody'/></equality>",
     POISE_WARNING, NULL},
    {"a place held without a place", "", "", "<equality><connect body1='arm'/></equality>",
     POISE_WARNING, "left out: <connect> of <equality>"},
    {"a place of words", "", "", "<equality><connect body1='arm' anchor='x'/></equality>",
     POISE_ERROR, "'anchor'"},
    {"distances that are kept", "", "", "<equality>words<distance geom1='a'/></equality>",
     POISE_WARNING, "left out: <distance> of <equality>"},
    {"a keyframe of words", "", "", "<keyframe><key name='home' qpos='x'/></keyframe>",
     POISE_WARNING, "keyframe 'home' holds what is no finite number: not used"},
    {"a keyframe too long", "", "", "<keyframe><key name='home' qpos='1 2 3'/></keyframe>",
     POISE_WARNING, "keyframe 'home' has 3 numbers, the model 1 coordinates: not used"},
    {"keyframes of no use", "", "",
     "<keyframe>words<other/><key qpos='1'/><key name='away' qpos='1'/><key "
     "name='home'/></keyframe>",
     POISE_WARNING, NULL},
    {"a section that nobody knows", "", "", "<plumbing/>", POISE_NOTE, "is not used"},
    {"what a body must not touch", "", "", "<contact>words<exclude body1='a' body2='b'/></contact>",
     POISE_WARNING, NULL},
    {"touching by hand", "", "", "<contact><pair geom1='a' geom2='b'/></contact>", POISE_WARNING,
     "left out: <pair> of <contact>"},
    {"no gravity", "", "", "<option><flag gravity='disable'/></option>", POISE_ERROR, NULL},
    {"no folders of meshes", "", "", "<compiler strippath='true' meshdir='/'/>", POISE_ERROR, NULL},
    {"places in the world", "", "", "<compiler coordinate='global'/>", POISE_ERROR, "coordinate"},
    {"a slanted ground", "", "",
     "<worldbody><geom type='plane' size='1 1 1' euler='30 0 0'/>"
     "</worldbody>",
     POISE_NOTE, "plane"},
    {"two grounds", "", "",
     "<worldbody><geom type='plane' size='1 1 1'/><geom type='plane' size='1 1 1' pos='0 0 -2'/>"
     "</worldbody>",
     POISE_ERROR, NULL},
};

static Loaded load_row(const Row* row) {
    static char text[4000];
    snprintf(text, sizeof text,
             "<mujoco><asset>%s</asset><worldbody><body name='arm' pos='0 0 1'>"
             "<joint name='j' axis='0 1 0'/><geom type='box' size='0.1 0.1 0.1'/>%s</body>"
             "<body name='other' pos='1 0 1'><geom size='0.1'/></body></worldbody>%s</mujoco>",
             row->asset, row->body, row->section);
    return load_text("m.xml", text);
}

Test(mjcf_odds, what_is_found_in_it) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Row* row = &rows[i];
        Loaded loaded = load_row(row);
        char all[3000];
        if (row->finds) {
            cr_expect(found(&loaded, row->severity, 0, 0, row->finds), "%s: no '%s' in\n%s",
                      row->name, row->finds, findings(&loaded, all, sizeof all));
        } else {
            for (int s = (int)row->severity; s <= (int)POISE_ERROR; s++) {
                cr_expect_eq(poise_diagnostics_count(loaded.diagnostics, (PoiseSeverity)s), 0,
                             "%s: %s", row->name, findings(&loaded, all, sizeof all));
            }
        }
        cr_expect((loaded.scene == NULL) ==
                      (poise_diagnostics_count(loaded.diagnostics, POISE_ERROR) > 0),
                  "%s", row->name);
        unload(&loaded);
    }
}
