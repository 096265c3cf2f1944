// SPDX-License-Identifier: MIT
// `poise design`: computes IK springs that give control points the wished compliances.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "poise/design.h"
#include "poise/reading.h"
#include "poise/report.h"

static const char usage[] =
    "usage: poise design SCENE --yield POINT=X,Y,Z [options]\n"
    "Finds IK springs of the joints with which a control point, at rest, yields by so many mm per\n"
    "N along the axes of the world, and says which wishes springs cannot fulfil. Ends with 1 in\n"
    "that case.\n"
    "  --yield POINT=X,Y,Z   mm/N along three axes; - for an axis without a wish. Again: more\n"
    "                        points\n"
    "  --turn POINT=X,Y,Z    rad/(N m) about three axes, likewise\n"
    "  --at X,Y,Z            the wishes that follow hold with the point's goal at this place, m, "
    "in\n"
    "                        the goal's frame; again: more postures, one set of springs; - : here\n"
    "  --own-axes            along and about the point's own axes as they are then\n"
    "  --seconds T           simulates this long first (0)\n"
    "  --range LEAST,MOST    of the stiffnesses, N m/rad or N/m (1,1e6)\n"
    "  --damping-ratio Z     of the modes; else each damper grows with the root of its stiffness\n"
    "  --settle T            s, after which 2 % of a displacement are left, at most\n"
    "  --load POINT=X,Y,Z    N: also natural angles with which the point rests at its goal under\n"
    "                        this load, for joints with an original spring\n"
    "  --json                one JSON object\n" TRUST_USAGE "Examples:\n"
    "  poise design yields --seconds 3 --yield pen=0.05,0.05,1   soft along z\n";

enum { MOST_WISHES = 16, AXES = 6 };

/// The compliances that one point should have, for the present goal or for another place of it.
typedef struct Wished {
    char point[80];
    double along[3]; ///< wished compliance along x, y, z, m/N; NAN: no wish
    double about[3];
    bool elsewhere; ///< True if the compliances are for a goal at `at`; else for the present goal
    PoiseVec3 at;   ///< place of the goal, m
} Wished;

/// A load that will act on a point while it should be at its goal.
typedef struct KnownLoad {
    char point[80]; ///< name of the point; empty: no load
    double force[3];
} KnownLoad;

typedef struct DesignOptions {
    const char* file;
    Wished wished[MOST_WISHES];
    int count;
    bool own_axes;
    double seconds;
    double range[2];
    double damping_ratio;
    double settling_time;
    bool elsewhere; ///< True if the wishes that follow are for a goal at `at`
    PoiseVec3 at;
    KnownLoad load;
    bool json;
    Reading reading;
} DesignOptions;

/// The arguments and the result of a design.
typedef struct Found {
    const PoiseScene* scene;
    PoiseSimulation* simulation;
    PoiseComplianceWish wishes[MOST_WISHES];
    PoiseForecast forecasts[MOST_WISHES]; ///< forecasts with the new springs
    PoiseDesignedSpring* springs;
    PoiseDesign design;
    PoiseNaturalPosture* postures;
    PoiseNaturalDesign natural;
} Found;

// --------------------------------------------------------------------------------------- options

// Returns the wishes for the point named before '=', and makes them if the point has none. Prints a
// message and returns NULL for a wrong name.
static Wished* wished_for(DesignOptions* options, const char* option, const char* text) {
    const char* equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof options->wished[0].point) {
        fprintf(stderr, "poise: %s: POINT=X,Y,Z is due, not '%s'\n", option, text);
        return NULL;
    }
    for (int i = 0; i < options->count; i++) {
        const Wished* other = &options->wished[i];
        const bool same = other->elsewhere == options->elsewhere &&
                          poise_length(poise_sub(other->at, options->at)) == 0.0;
        if (same && strlen(other->point) == length && strncmp(other->point, text, length) == 0) {
            return &options->wished[i];
        }
    }
    if (options->count == MOST_WISHES) {
        fprintf(stderr, "poise: %s: at most %d points\n", option, (int)MOST_WISHES);
        return NULL;
    }
    Wished* wished = &options->wished[options->count++];
    snprintf(wished->point, sizeof wished->point, "%.*s", (int)length, text);
    wished->elsewhere = options->elsewhere;
    wished->at = options->at;
    for (int i = 0; i < 3; i++) {
        wished->along[i] = wished->about[i] = (double)NAN;
    }
    return wished;
}

// Reads the compliances "X,Y,Z" of three axes, in thousandths of SI units if `milli`; "-" stands
// for an axis without a wish. Returns false with a message for a wrong number or a second wish.
static bool read_three(const char* option, const char* text, bool milli, double numbers[3]) {
    for (int i = 0; i < 3; i++) {
        char word[40];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        const bool last = text[length] == '\0';
        if (last != (i == 2) || length == 0 || length >= sizeof word) {
            fprintf(stderr, "poise: %s: three numbers or - are due, X,Y,Z\n", option);
            return false;
        }
        if (strcmp(word, "-") != 0) {
            const double before = numbers[i];
            if (!poise__parse_number(option, word, &numbers[i])) {
                return false;
            }
            numbers[i] *= milli ? 1e-3 : 1.0;
            if (!(numbers[i] > 0.0 && numbers[i] < (milli ? 1.0 : 100.0))) {
                fprintf(stderr, "poise: %s: a compliance is above 0 and below %s, not %s\n", option,
                        milli ? "1000 mm/N" : "100 rad/(N m)", word);
                return false;
            }
            if (!isnan(before)) {
                fprintf(stderr, "poise: %s: %s is a second wish for axis %c of this point\n",
                        option, word, "xyz"[i]);
                return false;
            }
        }
        text += length + 1;
    }
    return true;
}

static bool read_yield(void* request, const char* option, const char* text) {
    Wished* wished = wished_for(request, option, text);
    return wished && read_three(option, strchr(text, '=') + 1, true, wished->along);
}

static bool read_turn(void* request, const char* option, const char* text) {
    Wished* wished = wished_for(request, option, text);
    return wished && read_three(option, strchr(text, '=') + 1, false, wished->about);
}

static bool read_at(void* request, const char* option, const char* text) {
    DesignOptions* options = request;
    double at[3] = {0.0, 0.0, 0.0};
    options->elsewhere = strcmp(text, "-") != 0;
    const bool fine = !options->elsewhere || poise__parse_numbers(option, text, at, 3);
    options->at = poise_vec3(at[0], at[1], at[2]);
    return fine;
}

static bool read_load(void* request, const char* option, const char* text) {
    KnownLoad* load = &((DesignOptions*)request)->load;
    const char* equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof load->point) {
        fprintf(stderr, "poise: %s: POINT=X,Y,Z is due, not '%s'\n", option, text);
        return false;
    }
    snprintf(load->point, sizeof load->point, "%.*s", (int)length, text);
    return poise__parse_numbers(option, equals + 1, load->force, 3);
}

static bool read_range(void* request, const char* option, const char* text) {
    DesignOptions* options = request;
    return poise__parse_numbers(option, text, options->range, 2);
}

static bool read_ratio(void* request, const char* option, const char* text) {
    DesignOptions* options = request;
    return poise__parse_number(option, text, &options->damping_ratio);
}

// ----------------------------------------------------------------------------------------- design

// Returns the index of a control point; -1 with a message.
static int find_point(const PoiseScene* scene, const char* name) {
    const int index = poise_scene_find_point(scene, name);
    if (index < 0) {
        const char* names[64];
        char guess[80];
        int count = 0;
        for (; count < scene->point_count && count < 64; count++) {
            names[count] = scene->points[count].name;
        }
        fprintf(stderr, "poise: the scene has no control point '%s'%s\n", name,
                poise_word_guess(name, names, count, guess, sizeof guess));
    }
    return index;
}

static bool find_wishes(const DesignOptions* options, Found* found) {
    for (int i = 0; i < options->count; i++) {
        const Wished* wished = &options->wished[i];
        const int index = find_point(found->scene, wished->point);
        PoiseComplianceWish* wish = &found->wishes[i];
        if (index < 0) {
            return false;
        }
        const PoisePointView view = poise_simulation_point(found->simulation, index);
        *wish = poise_default_compliance_wish();
        wish->point = view.point;
        wish->axes = options->own_axes ? view.pose_world.q : poise_quat_identity();
        memcpy(wish->along, wished->along, sizeof wish->along);
        memcpy(wish->about, wished->about, sizeof wish->about);
        wish->elsewhere = wished->elsewhere;
        wish->goal = poise_point_goal(poise_simulation_tree(found->simulation), view.point);
        wish->goal.p = wished->elsewhere ? wished->at : wish->goal.p;
    }
    return true;
}

// Forecasts the point of wish `index`, for a goal at the place that the wish names.
static PoiseStatus forecast_wish(const Found* found, int index, PoiseForecast* forecast) {
    const PoiseComplianceWish* wish = &found->wishes[index];
    PoiseTree* tree = poise_simulation_tree(found->simulation);
    const PoisePose goal = poise_point_goal(tree, wish->point);
    const PoiseForecastDef def = {.points = &wish->point,
                                  .count = 1,
                                  .step = poise_simulation_step_length(found->simulation),
                                  .budget = 1e9};
    PoiseStatus status =
        wish->elsewhere ? poise_point_set_position(tree, wish->point, wish->goal.p) : POISE_OK;
    status = status < 0
                 ? status
                 : poise_rig_forecast(poise_simulation_rig(found->simulation), &def, forecast);
    const PoiseStatus back =
        wish->elsewhere ? poise_point_set_position(tree, wish->point, goal.p) : POISE_OK;
    return status < 0 ? status : back;
}

static double wished_at(const PoiseComplianceWish* wish, int axis) {
    return axis < 3 ? wish->along[axis] : wish->about[axis - 3];
}

// Returns the point's compliance along or about an axis of its wish, m/N or rad/(N m); NAN without
// equilibrium.
static double compliance_at(const Found* found, int index, int axis) {
    const PoiseComplianceWish* wish = &found->wishes[index];
    const double* c =
        axis < 3 ? found->forecasts[index].compliance : found->forecasts[index].turn_compliance;
    const PoiseVec3 v =
        poise_quat_rotate(wish->axes, poise_vec3(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2));
    const PoiseVec3 moved =
        poise_vec3(c[0] * v.x + c[1] * v.y + c[2] * v.z, c[3] * v.x + c[4] * v.y + c[5] * v.z,
                   c[6] * v.x + c[7] * v.y + c[8] * v.z);
    return poise_dot(v, moved);
}

// A wish is met if forecast / wished - 1 is at most this, as in poise_rig_design.
#define MET 0.01
// Maximal number of designs. Softer springs may have another equilibrium with another compliance,
// so each design starts from the equilibrium of the last.
enum { MOST_DESIGNS = 5 };

// Finds the wish that is missed most (point and axis), and returns its relative error; infinity if
// a point has no equilibrium.
static double find_worst(const DesignOptions* options, Found* found) {
    double worst = 0.0;
    for (int i = 0; i < options->count * AXES; i++) {
        const double wished = wished_at(&found->wishes[i / AXES], i % AXES);
        const double has = compliance_at(found, i / AXES, i % AXES);
        const double part = isnan(has) ? (double)INFINITY : fabs(has / wished - 1.0);
        if (!isnan(wished) && part > worst) {
            worst = part;
            found->design.worst_wish = i / AXES;
            found->design.worst_axis = i % AXES;
        }
    }
    return worst;
}

static const char* const axis_names[] = {"along x", "along y", "along z",
                                         "about x", "about y", "about z"};

static const char* unit_of(int axis) {
    return axis < 3 ? "mm/N" : "rad/(N m)";
}

// Writes why the wishes are not met, in the units of the options.
static void say_worst(const DesignOptions* options, Found* found) {
    PoiseDesign* design = &found->design;
    const char* point = options->wished[design->worst_wish].point;
    const int axis = design->worst_axis;
    const double scale = axis < 3 ? 1e3 : 1.0;
    const double has = scale * compliance_at(found, design->worst_wish, axis);
    const double wished = scale * wished_at(&found->wishes[design->worst_wish], axis);
    design->why[0] = '\0';
    if (design->end == POISE_DESIGN_NEAREST && isnan(has)) {
        snprintf(design->why, sizeof design->why, "'%.40s' does not rest with these springs",
                 point);
    } else if (design->end == POISE_DESIGN_NEAREST) {
        snprintf(design->why, sizeof design->why,
                 "'%.40s': %s it yields by %.3g %s, not %.3g: no springs of these joints do", point,
                 axis_names[axis], has, unit_of(axis), wished);
    }
}

// Designs springs, sets them in the rig, and forecasts the points with them. If the points then
// have another equilibrium, designs the springs again from there.
static PoiseStatus design_springs(const DesignOptions* options, const PoiseDesignDef* def,
                                  Found* found) {
    PoiseRig* rig = poise_simulation_rig(found->simulation);
    PoiseDesign* design = &found->design;
    const int joints = poise_simulation_joint_count(found->simulation);
    PoiseStatus status = POISE_OK;
    double worst = (double)INFINITY;
    for (int k = 0; k < MOST_DESIGNS && status >= 0 && worst > MET; k++) {
        status = poise_rig_design(rig, def, found->springs, joints, design);
        if (status < 0 || design->end == POISE_DESIGN_NO_REST) {
            return status;
        }
        for (int i = 0; i < design->spring_count && status >= 0; i++) {
            status = poise_rig_set_ik(rig, found->springs[i].node, found->springs[i].ik);
        }
        for (int i = 0; i < options->count && status >= 0; i++) {
            status = forecast_wish(found, i, &found->forecasts[i]);
        }
        worst = status < 0 ? worst : find_worst(options, found);
        if (design->end == POISE_DESIGN_NEAREST || isinf(worst)) {
            break; // another design would not reduce the error
        }
    }
    design->end = worst > MET ? POISE_DESIGN_NEAREST : POISE_DESIGN_MET;
    say_worst(options, found);
    return status;
}

// Finds natural postures for the known load, with the springs that the rig has now.
static PoiseStatus find_natural(const DesignOptions* options, Found* found) {
    const PoisePointView view = poise_simulation_point(
        found->simulation, poise_scene_find_point(found->scene, options->load.point));
    const double* force = options->load.force;
    const PoiseNaturalDef def = {.point = view.point,
                                 .rest = view.goal_world,
                                 .place = view.has_position,
                                 .rotation = view.has_orientation,
                                 .force = poise_vec3(force[0], force[1], force[2]),
                                 .step = poise_simulation_step_length(found->simulation)};
    return poise_rig_design_natural(poise_simulation_rig(found->simulation), &def, found->postures,
                                    poise_simulation_joint_count(found->simulation),
                                    &found->natural);
}

static bool find_springs(const DesignOptions* options, Found* found) {
    PoiseRig* rig = poise_simulation_rig(found->simulation);
    if (!poise__simulate(found->simulation, options->seconds) || !find_wishes(options, found) ||
        (options->load.point[0] && find_point(found->scene, options->load.point) < 0)) {
        return false;
    }
    // The first step decides which joints move which points, and sets the goals of the present
    // time.
    PoiseStatus status = poise_simulation_time(found->simulation) > 0.0
                             ? POISE_OK
                             : poise_simulation_step(found->simulation);
    const PoiseDesignDef def = {.wishes = found->wishes,
                                .wish_count = options->count,
                                .lower = options->range[0],
                                .upper = options->range[1],
                                .damping_ratio = options->damping_ratio,
                                .settling_time = options->settling_time,
                                .step = poise_simulation_step_length(found->simulation)};
    if (status >= 0 && options->count > 0) {
        status = design_springs(options, &def, found);
    }
    if (status >= 0 && options->load.point[0] && found->design.end != POISE_DESIGN_NO_REST) {
        status = find_natural(options, found);
    }
    if (status < 0) {
        fprintf(stderr, "poise: %s\n",
                poise_rig_message(rig)[0] ? poise_rig_message(rig) : poise_status_name(status));
    }
    return status >= 0;
}

// ----------------------------------------------------------------------------------------- output

static const PoiseSceneJoint* joint_of(const Found* found, PoiseNodeId node) {
    int joint = 0;
    for (int i = 0; i < found->scene->joint_count; i++) {
        const PoiseNodeId own = poise_simulation_joint_node(found->simulation, i);
        joint = own.index1 == node.index1 && own.generation == node.generation ? i : joint;
    }
    return &found->scene->joints[joint];
}

static void print_wishes(const DesignOptions* options, const Found* found) {
    printf("%-24s %-8s %12s %12s\n", "point", "", "wished", "has");
    for (int i = 0; i < options->count; i++) {
        const PoiseForecast* forecast = &found->forecasts[i];
        for (int axis = 0; axis < AXES; axis++) {
            const double wished = wished_at(&found->wishes[i], axis);
            const double scale = axis < 3 ? 1e3 : 1.0;
            const double has = scale * compliance_at(found, i, axis);
            if (isnan(wished)) {
                continue;
            }
            printf("%-24s %-8s %12.4g ", options->wished[i].point, axis_names[axis],
                   scale * wished);
            if (isnan(has)) {
                printf("%12s %s", "-", unit_of(axis));
            } else {
                printf("%12.4g %s", has, unit_of(axis));
            }
            const PoiseVec3 at = options->wished[i].at;
            if (options->wished[i].elsewhere) {
                printf(" with its goal at (%g, %g, %g)", at.x, at.y, at.z);
            }
            putchar('\n');
        }
        if (forecast->end != POISE_FORECAST_SETTLES) {
            printf("with these springs it %s: %s\n", poise_forecast_end_name(forecast->end),
                   forecast->why);
        }
    }
}

static void print_springs(const DesignOptions* options, const Found* found) {
    printf("\n%-24s %12s %12s %12s\n", "joint", "spring", "damper", "spring was");
    for (int i = 0; i < found->design.spring_count; i++) {
        const PoiseDesignedSpring* spring = &found->springs[i];
        const PoiseSceneJoint* joint = joint_of(found, spring->node);
        printf("%-24s %12.6g %12.6g %12.6g%s\n", joint->name, spring->ik.stiffness,
               spring->ik.damping, joint->bind.ik.stiffness,
               spring->at_lower   ? "  the softest allowed"
               : spring->at_upper ? "  the stiffest allowed"
                                  : "");
    }
    if (found->design.settling_time > 0.0) {
        printf("the slowest mode settles in %.3g s%s\n", found->design.settling_time,
               options->settling_time > 0.0 && found->design.settling_time > options->settling_time
                   ? ": none found do sooner"
                   : "");
    }
}

// Prints the natural angles, rad or m, of joints with one axis.
static void print_natural(const DesignOptions* options, const Found* found) {
    const double* force = options->load.force;
    printf("\nunder (%g, %g, %g) N %s rests %.3g mm off its goal, %.3g mm before\n", force[0],
           force[1], force[2], options->load.point, 1e3 * found->natural.miss,
           1e3 * found->natural.miss_before);
    printf("%-24s %12s\n", "joint", "rad or m");
    for (int i = 0; i < found->natural.count; i++) {
        const PoiseSceneJoint* joint = joint_of(found, found->postures[i].node);
        if (found->postures[i].count == 1) {
            printf("%-24s %12.6g\n", joint->name, found->postures[i].posture[0]);
        }
    }
}

// Prints the beginning of an option that sets a value of the joint. The joint of a robot is named
// ROBOT/JOINT, that of a robot alone JOINT.
static void print_set(const PoiseScene* scene, const PoiseSceneJoint* joint) {
    const char* slash = strchr(joint->name, '/');
    char key[64];
    if (scene->robot) {
        printf(" --set robots.%s.joints.%s", poise__robot_key(scene, key, sizeof key), joint->name);
    } else if (slash) {
        printf(" --set robots.%.*s.joints.%s", (int)(slash - joint->name), joint->name, slash + 1);
    } else {
        printf(" --set joints.%s", joint->name);
    }
}

// Prints the commands that run the scene with the springs and natural angles found.
static void print_command(const DesignOptions* options, const Found* found) {
    printf("\nTo run with them:\n");
    if (found->scene->robot) {
        printf("  poise scene %s > scene.yaml\n", options->file);
    }
    printf("  poise run %s", found->scene->robot ? "scene.yaml" : options->file);
    for (int i = 0; i < found->design.spring_count; i++) {
        const PoiseDesignedSpring* spring = &found->springs[i];
        const PoiseSceneJoint* joint = joint_of(found, spring->node);
        printf(" \\\n   ");
        print_set(found->scene, joint);
        printf(".ik.spring=%.9g", spring->ik.stiffness);
        print_set(found->scene, joint);
        printf(".ik.damper=%.9g", spring->ik.damping);
    }
    for (int i = 0; i < found->natural.count; i++) {
        const PoiseSceneJoint* joint = joint_of(found, found->postures[i].node);
        if (found->postures[i].count == 1) {
            printf(" \\\n   ");
            print_set(found->scene, joint);
            printf(".natural=%.9g", found->postures[i].posture[0]);
        }
    }
    putchar('\n');
}

static void print_axes(const Found* found, int index, int first,
                       double (*read)(const Found*, int, int)) {
    putchar('[');
    for (int k = first; k < first + 3; k++) {
        const double number =
            isnan(wished_at(&found->wishes[index], k)) ? (double)NAN : read(found, index, k);
        printf(k > first ? ", " : "");
        if (isnan(number)) {
            printf("null");
        } else {
            printf("%.9g", number);
        }
    }
    putchar(']');
}

static void print_json(const DesignOptions* options, const Found* found) {
    static const char* const ends[] = {"met", "nearest", "no rest"};
    printf("{\"end\": \"%s\", \"why\": ", ends[found->design.end]);
    poise_json_string(stdout, found->design.why);
    printf(", \"error\": %.9g, \"springs\": {", found->design.error);
    for (int i = 0; i < found->design.spring_count; i++) {
        printf(i > 0 ? ", " : "");
        poise_json_string(stdout, joint_of(found, found->springs[i].node)->name);
        printf(": {\"spring\": %.17g, \"damper\": %.17g}", found->springs[i].ik.stiffness,
               found->springs[i].ik.damping);
    }
    printf("}, \"settling_time\": %.9g, \"natural\": {", found->design.settling_time);
    for (int i = 0, printed = 0; i < found->natural.count; i++) {
        if (found->postures[i].count == 1) {
            printf(printed++ > 0 ? ", " : "");
            poise_json_string(stdout, joint_of(found, found->postures[i].node)->name);
            printf(": %.17g", found->postures[i].posture[0]);
        }
    }
    printf("}, \"points\": {");
    for (int i = 0; i < options->count && found->design.end != POISE_DESIGN_NO_REST; i++) {
        printf(i > 0 ? ", " : "");
        poise_json_string(stdout, options->wished[i].point);
        printf(": {\"along\": ");
        print_axes(found, i, 0, compliance_at);
        printf(", \"about\": ");
        print_axes(found, i, 3, compliance_at);
        putchar('}');
    }
    printf("}}\n");
}

static int print_found(const DesignOptions* options, const Found* found) {
    if (options->json) {
        print_json(options, found);
    } else if (found->design.end != POISE_DESIGN_NO_REST) {
        if (options->count > 0) {
            print_wishes(options, found);
            print_springs(options, found);
        }
        if (options->load.point[0]) {
            print_natural(options, found);
        }
        print_command(options, found);
    }
    const char* const whys[2] = {found->design.why, found->natural.why};
    for (int i = 0; i < 2; i++) {
        if (whys[i][0]) {
            fprintf(stderr, "poise: %s\n", whys[i]);
        }
    }
    const PoiseDesignEnd worst =
        found->natural.end > found->design.end ? found->natural.end : found->design.end;
    return worst == POISE_DESIGN_MET       ? EXIT_DONE
           : worst == POISE_DESIGN_NEAREST ? EXIT_MISSED
                                           : EXIT_INPUT;
}

static int design_file(const DesignOptions* options) {
    const PoiseSceneSource source = poise__source(options->file, &options->reading);
    OpenScene open;
    Found found;
    memset(&found, 0, sizeof found);
    int code = EXIT_INPUT;
    bool fine = poise__open_scene(&open, &source);
    if (fine) {
        found.scene = open.scene;
        found.simulation = open.simulation;
        found.springs = calloc((size_t)open.scene->joint_count + 1, sizeof *found.springs);
        found.postures = calloc((size_t)open.scene->joint_count + 1, sizeof *found.postures);
        fine = found.springs && found.postures;
        if (!fine) {
            fputs("poise: memory is short\n", stderr);
        }
    }
    if (fine && find_springs(options, &found)) {
        code = print_found(options, &found);
    }
    poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    free(found.springs);
    free(found.postures);
    poise__close_scene(&open);
    return poise__finish_output(code);
}

int poise__command_design(int argc, char** argv) {
    static const CommandOption rows[] = {
        {"yield", OPTION_TEXT, .take = read_yield},
        {"turn", OPTION_TEXT, .take = read_turn},
        {"at", OPTION_TEXT, .take = read_at},
        {"load", OPTION_TEXT, .take = read_load},
        {"own-axes", OPTION_FLAG, .offset = offsetof(DesignOptions, own_axes)},
        {"seconds", OPTION_SECONDS, .offset = offsetof(DesignOptions, seconds)},
        {"settle", OPTION_SECONDS, .offset = offsetof(DesignOptions, settling_time)},
        {"range", OPTION_TEXT, .take = read_range},
        {"damping-ratio", OPTION_TEXT, .take = read_ratio},
        {"json", OPTION_FLAG, .offset = offsetof(DesignOptions, json)},
        {.name = NULL},
    };
    DesignOptions options = {0};
    const CommandLine line = {usage, rows, &options, &options.file, &options.reading};
    const int code = poise__read_line(&line, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    if (!(options.seconds >= 0.0 && options.seconds <= 1e6)) {
        fprintf(stderr, "poise: --seconds: 0 to 1e6, not %g\n", options.seconds);
        return EXIT_USAGE;
    }
    if (options.count == 0 && !options.load.point[0]) {
        fprintf(stderr, "poise: which point shall yield how much? --yield POINT=X,Y,Z\n%s", usage);
        return EXIT_USAGE;
    }
    return design_file(&options);
}
