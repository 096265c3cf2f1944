// SPDX-License-Identifier: MIT
// Reads MJCF models of several files and sections, with frames, replicates and sections other than
// bodies. test_mjcf_oracle.c compares models/tour.xml with MuJoCo.
#include <criterion/criterion.h>
#include <string.h>

#include "loaded.h"
#include "near.h"
#include "poise/closure.h"
#include "poise/simulation.h"
#include "running.h"

#define MODELS POISE_SOURCE_DIR "/tests/scenes/models/"

// Returns the pose of the frame while every joint is at 0.
static PoisePose place_of(const Loaded* loaded, const char* name) {
    int frame = poise_scene_find_frame(loaded->scene, name);
    cr_assert(frame >= 0, "no frame %s", name);
    return poise_pose_mul(loaded_body(loaded, name)->pose, loaded->scene->frames[frame].in_body);
}

Test(mjcf_files, a_model_of_several_files_is_one) {
    Loaded loaded = required(load_file(MODELS "tour.xml"));
    // the body, its joint and its site have one name
    cr_expect(loaded_joint(&loaded, "arm")->child.index ==
              (int)(loaded_body(&loaded, "arm") - loaded.scene->bodies));
    EXPECT_NEAR3(place_of(&loaded, "arm.site").p, poise_vec3(0.1, 0.0, 1.0), 1e-15);
    // one setting is in the second <default>, one in a class of another file
    EXPECT_NEAR(loaded_joint(&loaded, "arm")->bind.original.damping, 0.25, 0.0);
    EXPECT_NEAR3(loaded_joint(&loaded, "mast")->axis, poise_vec3(0.0, 0.0, 1.0), 1e-15);
    const PoiseSceneWorld* world = &loaded.scene->world;
    cr_expect(world->def.gravity.z == -1.62 && world->step == 0.004);
    cr_expect(world->ground && world->ground_height == -0.5);
}

// A path may be written for another system.
Test(mjcf_files, a_part_may_be_named_by_backslashes) {
    Loaded loaded =
        load_text(MODELS "back.xml", "<mujoco><include file='C:\\parts\\nothing.xml'/></mujoco>");
    cr_expect(found(&loaded, POISE_ERROR, 1, 0, "there is no file 'C:\\parts\\nothing.xml'"));
    loaded =
        required(load_text(MODELS "back.xml", "<mujoco><include file='.\\tour.xml'/></mujoco>"));
    cr_expect(poise_scene_find_joint(loaded.scene, "mast") >= 0);
}

Test(mjcf_files, the_keyframe_home_is_where_it_starts) {
    Loaded loaded = required(load_file(MODELS "tour.xml"));
    EXPECT_NEAR(loaded_joint(&loaded, "arm")->start[0], -0.4, 1e-15);
    EXPECT_NEAR(loaded_joint(&loaded, "arm")->bind.natural[0], -0.4, 1e-15);
    EXPECT_NEAR(loaded_joint(&loaded, "mast")->start[0], 0.2, 1e-15);
    EXPECT_NEAR3(loaded_body(&loaded, "cart")->pose.p, poise_vec3(1.0, 0.5, 0.2), 1e-15);
    // joint1 follows joint2: 0.1 - 0.5 * 0.3
    const PoiseSceneJoint* thumb = loaded_joint(&loaded, "thumb");
    cr_expect(thumb->mimics == poise_scene_find_joint(loaded.scene, "finger"));
    EXPECT_NEAR(thumb->start[0], -0.05, 1e-15);
}

Test(mjcf_files, robots_stand_fast_and_objects_are_loose_unless_the_base_is_free) {
    Loaded loaded = required(load_file(MODELS "tour.xml"));
    cr_expect(loaded_body(&loaded, "cart")->fixed && !loaded_body(&loaded, "ball")->fixed);
    loaded = required(
        load_text(MODELS "t.yaml", "poise: 1\nrobots: {r: {mjcf: tour.xml, base: free}}\n"));
    cr_expect(!loaded_body(&loaded, "r/cart")->fixed && !loaded_body(&loaded, "r/ball")->fixed);
    cr_expect(loaded_body(&loaded, "r/world")->fixed);
}

Test(mjcf_files, frames_and_replicates_are_resolved) {
    Loaded loaded = required(load_text(
        "m.xml", "<mujoco><compiler angle='degree'/><default><default class='c'>"
                 "<geom size='0.2'/></default></default><worldbody>\n"
                 "<frame pos='1 0 0' euler='0 0 90' childclass='c'>\n"
                 "<body name='b' pos='1 0 0'><joint name='j' axis='1 0 0'/><geom/></body></frame>\n"
                 "<replicate count='2' offset='0 1 0' euler='90 0 0'>"
                 "<replicate count='11' sep='-' offset='1 0 0'>"
                 "<body name='p' pos='0 0 1'><joint name='k' axis='0 1 0'/><geom size='0.1'/>"
                 "</body></replicate></replicate></worldbody></mujoco>"));
    EXPECT_NEAR3(place_of(&loaded, "b").p, poise_vec3(1.0, 1.0, 0.0), 1e-15);
    EXPECT_NEAR3(loaded_joint(&loaded, "j")->axis, poise_vec3(0.0, 1.0, 0.0), 1e-15);
    EXPECT_NEAR(loaded_body(&loaded, "b")->shapes[0].size.x, 0.2, 0.0);
    // the inner number comes first, with the number of digits of the last one
    EXPECT_NEAR3(place_of(&loaded, "p-100").p, poise_vec3(10.0, 0.0, 1.0), 1e-12);
    // turned about x, then moved along the turned frame: z points along -y
    EXPECT_NEAR3(place_of(&loaded, "p-031").p, poise_vec3(3.0, 0.0, 0.0), 1e-12);
    EXPECT_NEAR3(loaded_joint(&loaded, "k-031")->axis, poise_vec3(0.0, 0.0, 1.0), 1e-12);
    cr_expect(loaded.scene->joint_count == 23);
}

Test(mjcf_files, geoms_touch_as_their_bits_say) {
    Loaded loaded =
        load_text("m.xml", "<mujoco><worldbody><body name='b'><joint/>"
                           "<geom size='0.1' contype='0' conaffinity='0'/>"
                           "<geom size='0.1' contype='6'/></body></worldbody></mujoco>");
    required(loaded);
    const PoiseSceneShape* shapes = loaded_body(&loaded, "b")->shapes;
    cr_expect(shapes[0].category == 0 && shapes[0].collide == 0);
    cr_expect(shapes[1].category == 6 && shapes[1].collide == 1);
}

Test(mjcf_files, a_connect_closes_a_loop) {
    Loaded loaded = required(load_text(
        "m.xml",
        "<mujoco><worldbody><body name='a'><joint axis='0 1 0'/><geom size='0.1'/>\n"
        "<body name='b' pos='0 0 1'><joint axis='0 1 0'/><geom size='0.1'/></body></body>\n"
        "</worldbody><contact><exclude body1='a' body2='b'/><pair geom1='g' geom2='h'/></contact>"
        "<equality><connect body1='b' anchor='0 0 0.5' name='b.joint1' class='main'/>"
        "<connect body1='b' body2='a' anchor='1 0 0' active='false'/>\n"
        "<weld body1='a' body2='b'/><weld body1='b'/></equality></mujoco>"));
    cr_expect(loaded.scene->joint_count == 5);
    const PoiseSceneJoint* ball = loaded_joint(&loaded, "b.connect1");
    cr_expect(ball->kind == POISE_NODE_BALL && !ball->driven);
    EXPECT_NEAR3(ball->anchor, poise_vec3(0.0, 0.0, 1.5), 1e-15);
    cr_expect(loaded_joint(&loaded, "a.weld2")->welded &&
              !loaded_joint(&loaded, "a.weld2")->driven);
    cr_expect(loaded_joint(&loaded, "b.weld3")->welded);
    cr_expect(found(&loaded, POISE_WARNING, 3, 0, "left out: <pair> of <contact>"));
}

// A bar on a hinge and a free bar, which the weld moves to the place of relpose.
Test(mjcf_files, a_weld_holds_place_and_rotation) {
    static const char model[] =
        "<mujoco><option gravity='0 0 0'/><worldbody>\n"
        "<body name='a'><joint name='ja' axis='0 1 0' damping='1'/><geom type='box' size='.1 .02 "
        ".02' contype='0' conaffinity='0'/></body>\n"
        "<body name='b' pos='0 1 0'><freejoint/>"
        "<geom type='box' size='.1 .02 .02' contype='0' conaffinity='0'/></body></worldbody>\n"
        "<equality><weld body1='a' body2='b' relpose='0.2 1 0 0.98006657784124163 0 "
        "0.19866933079506122 0'/></equality></mujoco>";
    Running running = running_text("m.xml", model);
    const Loaded* loaded = &running.loaded;
    const PoiseSimulation* simulation = running.simulation;
    cr_expect_eq(poise_rig_closure_count(poise_simulation_rig(simulation)), 0, "it is loose");
    running_steps(&running, 20.0);
    const int first = (int)(loaded_body(loaded, "a") - loaded->scene->bodies);
    const int second = (int)(loaded_body(loaded, "b") - loaded->scene->bodies);
    const PoisePose a = poise_simulation_body(simulation, first).pose_world;
    const PoisePose b = poise_simulation_body(simulation, second).pose_world;
    const PoisePose between = poise_pose_mul(poise_pose_inverse(a), b);
    EXPECT_NEAR3(between.p, poise_vec3(0.2, 1.0, 0.0), 1e-4);
    EXPECT_NEAR_QUAT(between.q, poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 0.4), 1e-4);
}

// The weld of two sites moves them to one place and one rotation.
Test(mjcf_files, a_weld_of_sites_holds_their_frames_together) {
    static const char model[] =
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>\n"
        "<body name='a'><joint name='ja' axis='0 1 0' damping='1'/><geom type='box' size='.1 .02 "
        ".02' contype='0' conaffinity='0'/><site name='end' pos='0.1 0 0.02' euler='0 0 "
        "0.3'/></body>\n"
        "<body name='b' pos='0.3 0.2 0'><freejoint/><geom type='box' size='.1 .02 .02' contype='0' "
        "conaffinity='0'/><site name='grip' pos='-0.1 0.01 0' euler='0.2 0 "
        "0'/></body></worldbody>\n"
        "<equality><weld site1='end' site2='grip'/></equality></mujoco>";
    Running running = running_text("m.xml", model);
    const Loaded* loaded = &running.loaded;
    const PoiseSimulation* simulation = running.simulation;
    running_steps(&running, 20.0);
    static const char* const names[] = {"end", "grip"};
    PoisePose sites[2];
    for (int i = 0; i < 2; i++) {
        const PoiseSceneFrame* site =
            &loaded->scene->frames[poise_scene_find_frame(loaded->scene, names[i])];
        const PoisePose body = poise_simulation_body(simulation, site->body).pose_world;
        sites[i] = poise_pose_mul(body, site->in_body);
    }
    EXPECT_NEAR3(sites[1].p, sites[0].p, 1e-4);
    EXPECT_NEAR_QUAT(sites[1].q, sites[0].q, 1e-4);
}

// Loads a chain of four hinges, followed by the sections in `rest`.
static Loaded load_four(const char* rest) {
    char text[2000];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian' autolimits='true'/><worldbody>"
             "<body name='a'><joint name='ja' range='-1 1'/><geom size='.1'/>"
             "<body name='b' pos='1 0 0'><joint name='jb' range='-1 1'/><geom size='.1'/>"
             "<body name='c' pos='1 0 0'><joint name='jc' range='-1 1'/><geom size='.1'/>"
             "<body name='d' pos='1 0 0'><joint name='jd' range='-1 1' ref='0.25'/>"
             "<geom size='.1'/></body></body></body></body></worldbody>%s</mujoco>",
             rest);
    return load_text("m.xml", text);
}

Test(mjcf_files, fixed_tendons_couple_joints) {
    static const char ab[] = "<tendon><fixed name='t'><joint joint='ja' coef='2'/>"
                             "<joint joint='jb' coef='-1'/></fixed>%s</tendon>%s";
    static const struct {
        const char* more; ///< in <tendon>
        const char* rest;
        int follower; ///< index of the joint; -1: none
        int leader;
        double multiplier;
        double offset;
    } rows[] = {
        {"", "", -1, -1, 0.0, 0.0},
        // An actuator bends both.
        {"", "<actuator><motor tendon='t'/></actuator>", 1, 0, -0.5, 0.0},
        // One of the two joints has an actuator, to which the tendon adds.
        {"", "<actuator><motor tendon='t'/><motor joint='jb'/></actuator>", -1, -1, 0.0, 0.0},
        // The tendon t has the length 2 a - b, fixed to 0.3. A joint with an actuator leads.
        {"", "<equality><tendon tendon1='t' polycoef='0.3 0 0 0 0'/></equality>", 1, 0, 2.0, -0.3},
        {"",
         "<actuator><motor joint='jb'/></actuator><equality><tendon tendon1='t' polycoef='0.3 0 0 "
         "0 0'/></equality>",
         0, 1, 0.5, 0.15},
        // c = 0.1 + 3 (0.5 d), with tendons of a joint each
        {"<fixed name='u'><joint joint='jc' coef='1'/></fixed><fixed name='v'><joint joint='jd' "
         "coef='0.5'/></fixed>",
         "<equality><tendon tendon1='u' tendon2='v' polycoef='0.1 3 0 0 0'/></equality>", 3, 2,
         1.0 / 1.5, -0.1 / 1.5},
        // A range of 0.02 around 0.5 holds c + (d + 0.25).
        {"<fixed name='u' range='0.49 0.51'><joint joint='jc' coef='1'/><joint joint='jd' "
         "coef='1'/></fixed>",
         "", 3, 2, -1.0, 0.25},
        {"<fixed name='u' range='0 0.5'><joint joint='jc' coef='1'/><joint joint='jd' "
         "coef='1'/></fixed>",
         "", -1, -1, 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1200];
        snprintf(text, sizeof text, ab, rows[i].more, rows[i].rest);
        Loaded loaded = required(load_four(text));
        for (int k = 0; k < loaded.scene->joint_count; k++) {
            const PoiseSceneJoint* joint = &loaded.scene->joints[k];
            const bool follows = k == rows[i].follower;
            cr_expect(joint->mimics == (follows ? rows[i].leader : -1), "row %zu, joint %d", i, k);
            if (follows) {
                EXPECT_NEAR(joint->multiplier, rows[i].multiplier, 1e-15);
                EXPECT_NEAR(joint->offset, rows[i].offset, 1e-15);
            }
        }
    }
}

// The third tendon asks joint a to follow itself by way of b; of four joints none can lead alone.
Test(mjcf_files, tendons_in_a_circle_couple_as_far_as_they_can) {
    static const char rest[] =
        "<tendon><fixed name='t'><joint joint='ja' coef='1'/><joint joint='jb' coef='1'/></fixed>"
        "<fixed name='u'><joint joint='jb' coef='1'/><joint joint='ja' coef='2'/></fixed>"
        "<fixed name='v'><joint joint='ja' coef='1'/><joint joint='jb' coef='1'/><joint joint='jc' "
        "coef='1'/></fixed></tendon><equality><tendon tendon1='t' polycoef='0 0 0 0 0'/><tendon "
        "tendon1='u' polycoef='0 0 0 0 0'/><tendon tendon1='v'/><tendon tendon1='nobody'/>"
        "</equality>";
    Loaded loaded = required(load_four(rest));
    cr_expect_eq(loaded.scene->joints[0].mimics, -1);
    cr_expect_eq(loaded.scene->joints[1].mimics, 0);
    cr_expect_eq(loaded.scene->joints[2].mimics, -1);
}

// A quarter of the field, with x and y above 1, is 0.5 m higher than the rest.
#define FIELD(attributes) "<hfield name='hill' " attributes "/>"
#define HILL                                                                                       \
    FIELD(                                                                                         \
        "nrow='5' ncol='5' size='2 2 0.5 0.1' elevation='2 2 2 4 4  2 2 2 4 4  2 2 2 2 2  2 2 2 "  \
        "2 2  2 2 2 2 2'")
#define BALL(name, at)                                                                             \
    "<body name='" name "' pos='" at "'><freejoint/><geom size='0.1' mass='1'/></body>"

Test(mjcf_files, balls_come_to_rest_on_a_height_field) {
    static const char model[] =
        "<mujoco><asset>" HILL "</asset><worldbody><geom type='hfield' hfield='hill' pos='0 0 1'/>"
        "<body name='arm' pos='9 9 9'><joint damping='1'/><geom size='.1'/></body>" //
        BALL("a", "1.5 1.5 1.65") BALL("b", "-1.5 1.5 1.15") BALL("c", "1.5 -1.5 1.15")
            BALL("d", "-1.5 -1.5 1.15") "</worldbody></mujoco>";
    static const char* const names[] = {"a", "b", "c", "d"};
    static const double heights[] = {1.6, 1.1, 1.1, 1.1};
    Loaded loaded = load_text("m.xml", model);
    PoiseSimulation* simulation = run(loaded).simulation;
    for (int i = 0; i < 300; i++) {
        cr_assert(poise_simulation_step(simulation) >= 0);
    }
    for (int i = 0; i < 4; i++) {
        const PoiseSceneFrame* ball =
            &loaded.scene->frames[poise_scene_find_frame(loaded.scene, names[i])];
        const PoisePose pose = poise_simulation_body(simulation, ball->body).pose_world;
        cr_expect(fabs(pose.p.z - heights[i]) < 2e-3, "%s is at %g, not %g", names[i], pose.p.z,
                  heights[i]);
    }
}

// MuJoCo 2.2 reads the same heights from the same files: the red channel, and the picture's last
// row at the least y.
Test(mjcf_files, a_height_field_is_read_from_its_file) {
    if (!has_meshes()) {
        return;
    }
    static const struct {
        const char* file;
        const char* why; ///< NULL: it is read
    } rows[] = {{"hill.png", NULL},
                {"hill.hf", NULL},
                {"hill_cut.png", "'hill_cut.png' cannot be read: it is broken, or neither a PNG"},
                {"hill_cut.hf", "'hill_cut.hf' cannot be read: it is broken, or neither a PNG"},
                {"hill_huge.hf", "more than 1,000,000 points"},
                {"none.png", "the height field 'none.png' is not found"}};
    static const double heights[] = {0.6, 0.7, 1.0, 0.0, 0.1, 0.4};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "<mujoco><asset><hfield name='hill' file='%s' size='2 2 1 0.1'/></asset>"
                 "<worldbody><body name='ground' pos='0 0 1'><geom type='hfield' hfield='hill'/>"
                 "</body><body name='arm' pos='9 9 9'><joint/><geom size='.1'/></body>"
                 "</worldbody></mujoco>",
                 rows[i].file);
        Loaded loaded = required(load_text(POISE_SOURCE_DIR "/tests/scenes/models/m.xml", text));
        const PoiseSceneBody* ground = loaded_body(&loaded, "ground");
        if (found(&loaded, POISE_WARNING, 0, 0, "lacks libpng")) {
            continue;
        }
        cr_expect_eq(ground->shape_count, rows[i].why ? 0 : 1, "%s", rows[i].file);
        char all[2000];
        cr_expect(!rows[i].why || found(&loaded, POISE_WARNING, 0, 0, rows[i].why), "%s",
                  findings(&loaded, all, sizeof all));
        for (int k = 0; k < 6 && !rows[i].why; k++) {
            const PoiseSceneHull* hull = ground->shapes[0].hull;
            const double z = hull->points[k].z - hull->points[3].z;
            cr_expect_float_eq(z, heights[k], 1e-7, "%s: %g at %d", rows[i].file, z, k);
        }
    }
}
