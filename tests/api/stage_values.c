// SPDX-License-Identifier: MIT
// The good value of each parameter of each public function, and the state that the tests compare.
#include <fnmatch.h>
#include <string.h>

#include "stage.h"
#include "works.h"

/// A good value for a parameter. Function and parameter are patterns; the first row that matches is
/// used.
typedef struct Row {
    const char* function;
    const char* type;
    const char* parameter;
    size_t offset;
} Row;

#define AT(member) offsetof(Stage, member)

static const Row values[] = {
    // values for particular functions
    {"poise_tree_copy", "const PoiseTree*", "from", AT(tree)},
    {"poise_tree_copy", "PoiseTree*", "to", AT(spare_tree)},
    {"poise_reach_continue", "PoiseTree*", "*", AT(spare_tree)},
    {"poise_reach_continue", "int", "*", AT(one)},
    {"poise_study_run", "PoiseStudyRow*", "*", AT(study_row_pointer)},
    {"poise_tree_release", "PoiseTreeClaim*", "*", AT(claim_pointer)},
    {"poise_tree_claim", "PoiseTree*", "*", AT(spare_tree)},
    {"poise_node_couple", "PoiseNodeId", "leader", AT(unbound)},
    {"poise_node_couple", "PoiseNodeId", "node", AT(other)},
    {"poise_node_set_base*", "PoiseNodeId", "node", AT(base)},
    {"poise_node_set_free_axes", "PoiseNodeId", "node", AT(base)},
    {"poise_node_destroy", "PoiseNodeId", "node", AT(other)},
    {"poise_node_set_reference", "const double*", "*", AT(posture)},
    {"poise_point_set_orientation", "PoisePointId", "*", AT(turn)},
    {"poise_point_set_torque", "PoisePointId", "*", AT(turn)},
    {"poise_point_set_angular_velocity", "PoisePointId", "*", AT(turn)},
    {"poise_point_set_direction", "PoisePointId", "*", AT(direction)},
    {"poise_*register*", "PoiseNodeId", "*", AT(hinge)},
    {"poise_rig_set_linear", "PoiseNodeId", "*", AT(slide)},
    {"poise_rig_set_force_limit", "PoiseNodeId", "*", AT(slide)},
    {"poise_rig_set_balance", "PoisePointId", "*", AT(com)},
    {"poise_rig_read_stance", "PoisePointId", "*", AT(foot)},
    {"poise_rig_remove_stance", "PoisePointId", "*", AT(foot)},
    {"poise_rig_read_support", "PoiseNodeId", "*", AT(base)},
    {"poise_rig_add_closure", "dJointID", "*", AT(loop_joint)},
    {"poise_rig_remove_closure", "dJointID", "*", AT(loop_joint)},
    {"poise_rig_add", "const PoiseBindDef*", "*", AT(bind_like)},
    {"poise_rig_add_base", "const PoiseBindDef*", "*", AT(bind_like)},
    {"poise_rig_import", "const PoiseBindDef*", "*", AT(bind_like)},
    {"poise_rig_add_base", "dBodyID", "*", AT(own_body)},
    {"poise_spring_on_joint", "dJointID", "*", AT(unbound_joint)},
    {"poise_joint_spring_set_ball", "PoiseJointSpring*", "*", AT(ball_spring)},
    {"poise_joint_spring_set", "int", "axis", AT(index)},
    {"poise_tasks_*", "int", "index", AT(zero)},
    {"poise_dh_*", "int", "count", AT(one)},
    {"poise_simulation_place_body", "int", "body", AT(three)},
    {"poise_simulation_pull", "int", "body", AT(three)},
    {"poise_simulation_add_point", "int", "body", AT(one)},
    {"poise_simulation_pose_joint", "int", "joint", AT(one)},
    {"poise_simulation_set_natural", "int", "joint", AT(one)},
    {"poise_simulation_hold_turn", "int", "index", AT(one)},
    {"poise_simulation_remove_point", "int", "*", AT(added)},
    {"poise_simulation_set_parameter", "int", "*", AT(parameter)},
    {"poise_null_space_project", "int", "*", AT(moved)},
    {"poise_simulation_find_parameter", "const char*", "key", AT(key)},
    {"poise_tree_restore*", "const void*", "memory", AT(saved_tree)},
    {"poise_tree_restore*", "size_t", "size", AT(tree_size)},
    {"poise_node_saved_*", "const void*", "memory", AT(saved_tree)},
    {"poise_snapshot_*", "const void*", "memory", AT(saved_rig)},
    {"poise_snapshot_restore", "size_t", "size", AT(rig_size)},
    {"poise_snapshot_problem", "size_t", "size", AT(rig_size)},
    {"poise_simulation_snapshot_restore", "const void*", "memory", AT(saved_simulation)},
    {"poise_simulation_snapshot_restore", "size_t", "size", AT(simulation_size)},
    {"poise_state_hash", "size_t", "count", AT(one_size)},
    {"poise_diagnostics_add_source", "size_t", "size", AT(one_size)},
    {"poise_scene_find_file", "const char*", "name", AT(file)},
    // values by type
    {"*", "PoiseTree*", "*", AT(tree)},
    {"*", "const PoiseTree*", "*", AT(tree)},
    {"*", "PoiseRig*", "*", AT(rig)},
    {"*", "const PoiseRig*", "*", AT(rig)},
    {"*", "PoiseRig* const*", "*", AT(rig_list)},
    {"*", "PoiseWorld*", "*", AT(poise_world)},
    {"*", "const PoiseWorld*", "*", AT(poise_world)},
    {"*", "PoiseBody*", "*", AT(body)},
    {"*", "const PoiseBody*", "*", AT(body)},
    {"*", "PoiseBodyAnswers*", "*", AT(body_answers_pointer)},
    {"*", "PoiseTasks*", "*", AT(tasks)},
    {"*", "const PoiseTasks*", "*", AT(tasks)},
    {"*", "PoiseStepper*", "*", AT(stepper)},
    {"*", "const PoiseStepper*", "*", AT(stepper)},
    {"*", "dWorldID", "*", AT(world)},
    {"*", "dJointGroupID", "*", AT(contact_group)},
    {"*", "const dContact*", "*", AT(contact)},
    {"*", "PoiseJointSpring*", "*", AT(spring)},
    {"*", "const PoiseJointSpring*", "*", AT(spring)},
    {"*", "PoiseSimulation*", "*", AT(simulation)},
    {"*", "const PoiseSimulation*", "*", AT(simulation)},
    {"*", "PoiseScene*", "*", AT(scene)},
    {"*", "const PoiseScene*", "*", AT(scene)},
    {"*", "PoiseStudy*", "*", AT(study)},
    {"*", "const PoiseStudy*", "*", AT(study)},
    {"*", "PoiseApart*", "*", AT(apart)},
    {"*", "const PoiseApart*", "*", AT(apart)},
    {"*", "PoiseApartPair", "*", AT(part_pair)},
    {"poise_convex_hull", "const PoiseVec3*", "*", AT(corners)},
    {"*", "dSpaceID", "*", AT(no_space)},
    {"poise_apart_set_obstacle", "int", "part", AT(one)},
    {"*", "PoiseReplay*", "*", AT(replay_pointer)},
    {"*", "PoiseDiagnostics*", "*", AT(diagnostics)},
    {"*", "const PoiseDiagnostics*", "*", AT(diagnostics)},
    {"*", "PoisePointStatistics*", "*", AT(statistics)},
    {"*", "PoiseMark", "*", AT(mark)},
    {"*", "const char**", "*", AT(memory)},
    {"*", "PoiseNodeId", "*", AT(hinge)},
    {"*", "PoisePointId", "*", AT(place)},
    {"*", "dBodyID", "*", AT(unbound_body)},
    {"*", "dJointID", "*", AT(unbound_joint)},
    {"*", "PoiseVec3", "*", AT(vector)},
    {"*", "PoiseQuat", "*", AT(rotation)},
    {"*", "PoisePose", "*", AT(pose)},
    {"*", "PoiseSpring", "*", AT(gains)},
    {"*", "PoiseHingeDrive", "*", AT(drive)},
    {"*", "PoiseBallDrive", "*", AT(ball_drive)},
    {"*", "PoiseLimits", "*", AT(limits)},
    {"*", "double", "lower", AT(zero)},
    {"*", "double", "*", AT(number)},
    {"*", "double*", "posture", AT(posture)},
    {"*", "const double*", "*", AT(posture)},
    {"*", "int", "count", AT(one)},
    {"*", "int", "capacity", AT(capacity)},
    {"*", "int", "*", AT(index)},
    {"*", "unsigned", "*", AT(bits)},
    {"*", "size_t", "capacity", AT(text_size)},
    {"*", "size_t", "*", AT(size)},
    {"*", "bool", "*", AT(yes)},
    {"*", "enum", "*", AT(choice)},
    {"*", "long", "*", AT(steps)},
    {"*", "char*", "*", AT(text)},
    {"*", "const char*", "key", AT(key)},
    {"*", "const char*", "path", AT(file)},
    {"*", "const char*", "*", AT(name)},
    {"*", "void*", "*", AT(memory)},
    {"*", "PoiseTip*", "*", AT(tip)},
    {"*", "PoisePersonPosture*", "*", AT(person)},
    {"*", "PoiseSensitivity*", "*", AT(sensitivity)},
    {"*", "PoiseDesign*", "*", AT(design)},
    {"*", "PoiseNaturalDesign*", "*", AT(natural_design)},
    {"*", "PoiseNaturalPosture*", "*", AT(natural_list)},
    {"*", "const dBodyID*", "*", AT(body_list)},
    {"*", "const PoisePointId*", "*", AT(point_list)},
    {"*", "const char* const*", "*", AT(names)},
    // output arrays
    {"*", "double*", "*", AT(out)},
    {"*", "*[*]", "*", AT(out)},
};

#undef AT

/// Structs of the stage, by the type of a pointer to them.
typedef struct Pointed {
    const char* type;
    size_t offset;
} Pointed;

#define TO(type, member)                                                                           \
    { "const " #type "*", offsetof(Stage, member) }

static const Pointed structs[] = {
    TO(PoisePose, pose),
    TO(PoiseTreeDef, tree_def),
    TO(PoiseNodeDef, node_def),
    TO(PoisePointDef, point_def),
    TO(PoiseSolveDef, solve_def),
    TO(PoiseReachDef, reach_def),
    TO(PoiseBodyDef, body_def),
    TO(PoiseBodySolveDef, body_solve_def),
    TO(PoiseBodyTarget, body_targets),
    TO(PoiseBodyBatch, body_batch),
    TO(PoiseBodyAnswers, body_answers),
    TO(PoiseConvex, convex),
    TO(PoiseVec3, corners),
    TO(PoiseApartDef, apart_def),
    TO(PoiseGeomsApart, geoms_apart),
    TO(PoiseTaskDef, task_def),
    TO(PoiseTasksDef, tasks_def),
    TO(PoiseLegDef, leg_def),
    TO(PoiseArmDef, arm_def),
    TO(PoisePersonDef, person_def),
    TO(PoisePersonPosture, person_posture),
    TO(PoisePersonEnds, person_ends),
    TO(PoiseDhRow, dh_rows),
    TO(PoiseRigDef, rig_def),
    TO(PoiseRigSettings, settings),
    TO(PoiseRigReport, rig_report),
    TO(PoiseBindDef, bind_def),
    TO(PoiseStanceDef, stance_def),
    TO(PoiseSnapshotDef, snapshot_def),
    TO(PoiseJointSpringDef, spring_def),
    TO(PoiseWorldDef, world_def),
    TO(PoisePointReading, reading),
    TO(PoiseNodeNames, node_names),
    TO(PoiseForecast, forecast),
    TO(PoiseForecastDef, forecast_def),
    TO(PoiseSensitivityDef, sensitivity_def),
    TO(PoiseDesignDef, design_def),
    TO(PoiseNaturalDef, natural_def),
    TO(PoiseRunDef, run_def),
    TO(PoiseTipBatch, tip_batch),
    TO(PoiseReport, report),
    TO(PoiseHost, test_hooks),
    TO(PoiseSceneSource, source),
    TO(PoiseStudySource, study_source),
    TO(PoiseChange, change),
    TO(PoiseReplay, replay),
    TO(PoiseReplayCheck, replay_check),
    TO(PoiseSceneLook, look),
    TO(PoisePositionGoal, position_goal),
    TO(PoiseOrientationGoal, orientation_goal),
};

#undef TO

const void* stage_struct(const Stage* stage, const char* type) {
    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++) {
        if (strcmp(structs[i].type, type) == 0) {
            return (const char*)stage + structs[i].offset;
        }
    }
    return NULL;
}

const void* stage_good(const Stage* stage, const Call* call, int index, const void** pointer) {
    const CallParameter* parameter = &call->parameters[index];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(values[i].type, parameter->type) == 0 &&
            fnmatch(values[i].function, call->function, 0) == 0 &&
            fnmatch(values[i].parameter, parameter->name, 0) == 0) {
            const char* found = (const char*)stage + values[i].offset;
            if (stage_struct(stage, parameter->type)) {
                *pointer = found;
                return pointer;
            }
            return found;
        }
    }
    *pointer = stage_struct(stage, parameter->type);
    if (!*pointer && strncmp(parameter->type, "const ", 6) != 0 &&
        parameter->type[strlen(parameter->type) - 1] == '*') {
        *pointer = stage->memory; // output memory
    }
    return *pointer ? (const void*)pointer : NULL;
}

/// Position of the next part of the state.
typedef struct Writer {
    unsigned char* bytes;
    size_t used;
} Writer;

static void add(Writer* writer, const void* data, size_t size) {
    memcpy(writer->bytes + writer->used, data, size);
    writer->used += size;
}

static void add_saved_tree(Writer* writer, const PoiseTree* tree) {
    const size_t size = poise_tree_save_size(tree);
    if (poise_tree_save(tree, writer->bytes + writer->used, size) == POISE_OK) {
        writer->used += size;
    }
}

static void add_springs(Writer* writer, const Stage* stage) {
    const PoiseJointSpring* springs[] = {stage->spring, stage->ball_spring};
    for (int i = 0; i < 2; i++) {
        double numbers[3] = {0.0};
        MAY_FAIL(poise_joint_spring_read(springs[i], numbers));
        add(writer, numbers, sizeof numbers);
        MAY_FAIL(poise_joint_spring_given(springs[i], numbers));
        add(writer, numbers, sizeof numbers);
    }
}

static void add_simulation(Writer* writer, const Stage* stage) {
    size_t size = poise_simulation_snapshot_size(stage->simulation);
    if (poise_simulation_snapshot_save(stage->simulation, writer->bytes + writer->used, size) ==
        POISE_OK) {
        writer->used += size;
    }
    const int count = poise_simulation_parameter_count(stage->simulation);
    for (int i = 0; i < count; i++) {
        PoiseParameter parameter = {0};
        MAY_FAIL(poise_simulation_parameter(stage->simulation, i, &parameter));
        add(writer, &parameter.value, sizeof parameter.value);
    }
}

size_t stage_state(Stage* stage, unsigned char* bytes) {
    Writer writer = {bytes, 0};
    add_saved_tree(&writer, stage->tree);
    add_saved_tree(&writer, stage->spare_tree);
    const size_t size = poise_snapshot_size(&stage->snapshot_def);
    if (poise_snapshot_save(&stage->snapshot_def, bytes + writer.used, size) == POISE_OK) {
        writer.used += size;
    }
    add_springs(&writer, stage);
    add_simulation(&writer, stage);
    const PoiseRigSettings settings = poise_rig_settings(stage->rig);
    add(&writer, &settings, sizeof settings);
    const int counts[] = {
        poise_rig_closure_count(stage->rig), poise_rig_stance_count(stage->rig),
        poise_tree_node_count(stage->tree),  poise_tree_point_count(stage->tree),
        dBodyGetNumJoints(stage->own_body),  dBodyGetNumJoints(stage->unbound_body)};
    add(&writer, counts, sizeof counts);
    add(&writer, stage->posture_memory, sizeof stage->posture_memory);
    add(&writer, &stage->person_posture, sizeof stage->person_posture);
    return writer.used;
}

size_t stage_outputs(Stage* stage, unsigned char* bytes) {
    Writer writer = {bytes, 0};
    add(&writer, stage->out_memory, sizeof stage->out_memory);
    add(&writer, stage->memory, STAGE_WRITTEN);
    add(&writer, stage->text, stage->text_size);
    return writer.used;
}
