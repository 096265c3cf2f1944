// SPDX-License-Identifier: MIT
// One object of every sort, and a good value for every parameter of every public function.
#ifndef POISE_TEST_STAGE_H
#define POISE_TEST_STAGE_H

#include "calls.h"
#include "host.h"
#include "poise/chain.h"
#include "poise/closure.h"
#include "poise/dh.h"
#include "poise/forecast.h"
#include "poise/joint_spring.h"
#include "poise/look.h"
#include "poise/person.h"
#include "poise/reach.h"
#include "poise/report.h"
#include "poise/rig.h"
#include "poise/saved.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "poise/step.h"
#include "poise/study.h"
#include "poise/tip.h"
#include "poise/value.h"

enum { STAGE_NUMBERS = 512, STAGE_MEMORY = 1 << 20, STAGE_BODIES = 7, STAGE_JOINTS = 7 };

/// What a member or parameter may be, wrong for everything.
typedef struct StageWrong {
    PoiseNodeId null_node;
    PoiseNodeId dead_node;
    PoiseNodeId foreign_node;
    PoiseNodeId no_node;
    PoisePointId null_point;
    PoisePointId dead_point;
    PoisePointId foreign_point;
    PoisePointId no_point;
    dBodyID foreign_body;
    dJointID foreign_joint;
    dJointID open_joint;
    double numbers[3][STAGE_NUMBERS]; ///< NaN, infinity, minus infinity first; then good ones
    double* arrays[3];
} StageWrong;

/// A floating base, a hinge, a slider and a ball in a row, bound; a hinge, a ball and a body that
/// are not; a second tree and a second world; a chain, two springs, a scene that runs.
typedef struct Stage {
    TestHost host;
    dWorldID world;
    dBodyID bodies[STAGE_BODIES]; ///< base, three links, one on a loose hinge, two more
    /// Hinge, slider, ball, loose hinge, one that closes a loop, a ball and a piston to the world.
    dJointID joints[STAGE_JOINTS];
    PoiseTree* other_tree;
    dWorldID other_world;
    StageWrong wrong;

    // good values, found by type and name
    PoiseTree* tree;
    PoiseTree* spare_tree;
    PoiseRig* rig;
    PoiseWorld* poise_world;
    PoiseChain* chain;
    PoiseStepper* stepper;
    dJointGroupID contact_group;
    const dContact* contact;
    PoiseJointSpring* spring;
    PoiseJointSpring* ball_spring;
    PoiseScene* scene;
    PoiseSimulation* simulation;
    PoiseDiagnostics* diagnostics;
    PoisePointStatistics* statistics;
    PoiseNodeId base;
    PoiseNodeId hinge;
    PoiseNodeId slider;
    PoiseNodeId ball;
    PoiseNodeId loose; ///< not bound
    PoiseNodeId other; ///< a hinge on the loose one
    PoiseNodeId slide; ///< a piston, bound
    PoisePointId place;
    PoisePointId turn;
    PoisePointId way;
    PoisePointId com;
    PoisePointId foot;
    dBodyID loose_body;
    dBodyID own_body;
    dJointID loose_joint;
    dJointID loop_joint;
    double number;
    double zero;
    int index;
    int one;
    int three;
    int added;     ///< the index of a point of the scene that was added
    int parameter; ///< the index of `key`
    int moved;     ///< degrees of freedom that serve a point
    int capacity;
    unsigned bits;
    size_t size;
    size_t text_size;
    size_t one_size;
    bool yes;
    int choice;
    long steps;
    PoiseVec3 vector;
    PoiseQuat rotation;
    PoisePose pose;
    PoiseSpring gains;
    PoiseHingeDrive drive;
    PoiseBallDrive ball_drive;
    PoiseLimits limits;
    double* posture; ///< in, or in and out: good numbers
    double* out;
    double out_memory[STAGE_NUMBERS];
    double posture_memory[STAGE_NUMBERS];
    unsigned char* memory; ///< a snapshot or saved tree, by the call
    unsigned char* saved_tree;
    PoiseSavedHead saved_head; ///< of that tree
    unsigned char* saved_rig;
    unsigned char* saved_simulation;
    size_t tree_size;
    size_t rig_size;
    size_t simulation_size;
    char* text;
    const char* name;
    const char* file;
    const char* key;
    PoiseTip* tip;
    const dBodyID* body_list;
    const PoisePointId* point_list;
    PoiseRig* const* rig_list;
    const char* const* names;

    // defs, and pointers to them
    PoiseTreeDef tree_def;
    PoiseNodeDef node_def;
    PoisePointDef point_def;
    PoiseSolveDef solve_def;
    PoiseReachDef reach_def;
    PoiseChainDef chain_def;
    PoiseChainSolveDef chain_solve_def;
    PoiseChainBatch chain_batch;
    PoiseLegDef leg_def;
    PoiseArmDef arm_def;
    PoisePersonDef person_def;
    PoisePersonPosture person_posture;
    PoisePersonPosture* person;
    PoisePersonEnds person_ends;
    PoiseDhRow dh_rows[2];
    PoiseRigDef rig_def;
    PoiseRigSettings settings;
    PoiseRigReport rig_report;
    PoiseBindDef bind_def;
    PoiseBindDef bind_like;
    PoiseStanceDef stance_def;
    PoiseSnapshotDef snapshot_def;
    PoiseJointSpringDef spring_def;
    PoiseWorldDef world_def;
    PoisePointReading reading;
    PoiseNodeNames node_names;
    PoiseForecast forecast;
    PoiseForecastDef forecast_def;
    PoiseWall wall;
    PoiseRunDef run_def;
    PoiseTipBatch tip_batch;
    PoiseMark mark;
    PoiseSceneLook look;
    const char* study_settings[4];
    PoiseStudySource study_source;
    PoiseStudy* study;
    PoiseReport report;
    PoiseHost test_hooks;
    PoiseSceneSource source;
    PoisePositionGoal position_goal;
    PoiseOrientationGoal orientation_goal;
    PoiseTip found_tip;
    PoisePose batch_targets[1];
    PoiseTip batch_tips[1];
    PoisePose chain_targets[1];
} Stage;

/// Made anew each time: all is the same to the last bit.
void stage_init(Stage* stage);
void stage_finish(Stage* stage);

/// A value for parameter `index` of the call with which it is not refused; NULL where the stage has
/// none of the type. `pointer` is room for one.
const void* stage_good(const Stage* stage, const Call* call, int index, const void** pointer);
/// The good struct that a parameter of the type `const X*` points to; NULL where there is none.
const void* stage_struct(const Stage* stage, const char* type);

/// All that can be told of the tree, the rig, the bodies, the springs and the scene: `bytes` of
/// STAGE_MEMORY. Returns how many.
size_t stage_state(Stage* stage, unsigned char* bytes);

#endif
