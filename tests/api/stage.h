// SPDX-License-Identifier: MIT
// Objects of every type, and a good value for every parameter of every public function.
#ifndef POISE_TEST_STAGE_H
#define POISE_TEST_STAGE_H

#include "calls.h"
#include "host.h"
#include "poise/apart.h"
#include "poise/body.h"
#include "poise/closure.h"
#include "poise/design.h"
#include "poise/dh.h"
#include "poise/forecast.h"
#include "poise/joint_spring.h"
#include "poise/look.h"
#include "poise/person.h"
#include "poise/reach.h"
#include "poise/replay.h"
#include "poise/report.h"
#include "poise/rig.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "poise/step.h"
#include "poise/study.h"
#include "poise/task.h"
#include "poise/tip.h"
#include "poise/value.h"

enum {
    STAGE_NUMBERS = 512,
    STAGE_MEMORY = 1 << 20,
    STAGE_WRITTEN = 4096,
    STAGE_BODIES = 7,
    STAGE_JOINTS = 7
};

/// Values that every member and parameter of their type must refuse.
typedef struct StageWrong {
    PoiseNodeId null_node;
    PoiseNodeId dead_node;
    PoiseNodeId foreign_node;
    PoiseNodeId no_node;
    PoisePointId null_point;
    PoisePointId dead_point;
    PoisePointId foreign_point;
    PoisePointId no_point;
    PoisePointId gone_point; ///< a destroyed point whose memory no other point has
    dBodyID foreign_body;
    dJointID foreign_joint;
    dJointID open_joint;
    double numbers[3][STAGE_NUMBERS]; ///< NaN, infinity, minus infinity first; then good numbers
    double* arrays[3];
} StageWrong;

/// Objects of every type. A floating base and a chain of a hinge, a slider and a ball, all bound. A
/// hinge, a ball and a body that are not bound. A second tree and a second world. A chain, two
/// springs and a running scene.
typedef struct Stage {
    TestHost host;
    dWorldID world;
    dBodyID bodies[STAGE_BODIES]; ///< base, three links, one on an unbound hinge, two more
    /// Hinge, slider, ball, unbound hinge, one that closes a loop, a ball and a piston to the
    /// world.
    dJointID joints[STAGE_JOINTS];
    PoiseTree* other_tree;
    dWorldID other_world;
    StageWrong wrong;

    // good values, found by type and name
    PoiseTree* tree;
    PoiseTree* spare_tree;
    PoiseRig* rig;
    PoiseWorld* poise_world;
    PoiseBody* body;
    PoiseTasks* tasks; ///< tasks of which one is a position
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
    PoiseNodeId unbound;     ///< a hinge without a joint
    PoiseNodeId other;       ///< a hinge whose parent is `unbound`
    PoiseNodeId slide;       ///< a piston that is bound
    PoiseNodeId translation; ///< a translation node whose parent is `other`
    PoiseNodeId universal;   ///< a universal node whose parent is `translation`
    PoiseNodeId made_node;   ///< node that a row of refused.txt has made
    PoisePointId place;
    PoisePointId turn;
    PoisePointId direction;
    PoisePointId com;
    PoisePointId foot;
    PoisePointId both; ///< a point with a pose
    PoisePointId gaze; ///< a look-at point
    PoisePointId made_point;
    PoisePointId points[2]; ///< a point, and the null handle
    PoiseTreeClaim claim;   ///< a claim without a tree
    PoiseTreeClaim* claim_pointer;
    dBodyID unbound_body;
    dBodyID own_body;
    dJointID unbound_joint;
    dJointID loop_joint;
    dJointID fixed_joint;
    double number;
    double zero;
    int index;
    int one;
    int three;
    int added;     ///< index of a point that was added to the scene
    int parameter; ///< index of `key`
    int moved;     ///< degrees of freedom that move a point
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
    double* posture; ///< good numbers for calls that read a posture, and may write one
    double* out;
    double out_memory[STAGE_NUMBERS];
    double posture_memory[STAGE_NUMBERS];
    unsigned char* memory; ///< a snapshot or a saved tree, depending on the call
    unsigned char* saved_tree;
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

    // defs of all types, and pointers to them
    PoiseTreeDef tree_def;
    PoiseNodeDef node_def;
    PoisePointDef point_def;
    PoiseNodeDef hinge_def; ///< default def of each kind of node
    PoiseNodeDef slider_def;
    PoiseNodeDef ball_def;
    PoiseNodeDef universal_def;
    PoiseNodeDef translation_def;
    PoiseNodeDef free_def;
    PoisePointDef position_def; ///< def of a point on the ball's link, with a goal
    PoisePointDef orientation_def;
    PoisePointDef pose_def;
    PoisePointDef direction_def;
    PoisePointDef gaze_def;
    PoisePointDef com_def;
    PoiseSolveDef solve_def;
    PoiseReachDef reach_def;
    PoiseBodyDef body_def;
    PoiseBodySolveDef body_solve_def;
    PoiseBodyBatch body_batch;
    PoiseBodyAnswers body_answers;
    PoiseBodyAnswers* body_answers_pointer;
    PoiseTaskDef task_def;
    PoiseTasksDef tasks_def;
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
    PoiseVariable variable;
    PoiseSensitivityDef sensitivity_def;
    PoiseSensitivity sensitivity_memory[1];
    PoiseSensitivity* sensitivity;
    PoiseComplianceWish wish;
    PoiseDesignDef design_def;
    PoiseDesign design_memory;
    PoiseDesign* design;
    PoiseNaturalDef natural_def;
    PoiseNaturalDesign natural_memory;
    PoiseNaturalDesign* natural_design;
    PoiseNaturalPosture natural_postures[4];
    PoiseNaturalPosture* natural_list;
    PoiseWall wall;
    PoiseRunDef run_def;
    PoiseTipBatch tip_batch;
    PoiseMark mark;
    PoiseSceneLook look;
    const char* study_settings[4];
    PoiseStudySource study_source;
    PoiseStudy* study;
    PoiseStudyRow study_row;
    PoiseStudyRow* study_row_pointer;
    PoiseChange change;
    PoiseReplay replay;
    PoiseReplay* replay_pointer;
    PoiseReplayCheck replay_check;
    PoiseReport report;
    PoiseHost test_hooks;
    PoiseHost allocate_only; ///< a wrong host: the hook that frees is missing
    PoiseHost release_only;
    PoiseHost no_host; ///< a host without hooks and log
    PoiseSceneSource source;
    PoisePositionGoal position_goal;
    PoiseOrientationGoal orientation_goal;
    PoiseTip found_tip;
    PoisePose batch_targets[1];
    PoiseTip batch_tips[1];
    double body_answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyTip body_tips[1];
    PoiseBodyTarget body_targets[1];
    PoiseConvex convex;
    PoiseVec3 corners[2];
    PoiseApartDef apart_def;
    PoiseApartPart parts[2];
    PoiseApartPair part_pair;
    PoiseApart* apart;
    dSpaceID no_space;
    dGeomID geom;
    PoiseGeomsApart geoms_apart;
} Stage;

/// Creates a rod of 1 kg at (x, 0, 0); a hinge about z at this position.
dBodyID stage_body(dWorldID world, double x);
dJointID stage_hinge(dWorldID world, dBodyID parent, dBodyID child, double x);

/// Creates a stage. All stages are equal to the last bit.
void stage_init(Stage* stage);
void stage_finish(Stage* stage);

/// Returns a good value for parameter `index` of the call. NULL if the stage has none of the type.
/// `pointer` is memory for a pointer.
const void* stage_good(const Stage* stage, const Call* call, int index, const void** pointer);
/// Returns the good struct for a parameter of the type `const X*`. NULL if the stage has none.
const void* stage_struct(const Stage* stage, const char* type);

/// Writes the readable state of the trees, the rig, the bodies, the springs and the scene to
/// `bytes`, which has STAGE_MEMORY bytes. Returns the state's size.
size_t stage_state(Stage* stage, unsigned char* bytes);
/// Writes the memory into which calls write their results, like stage_state.
size_t stage_outputs(Stage* stage, unsigned char* bytes);

#endif
