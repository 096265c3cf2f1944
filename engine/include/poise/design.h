// SPDX-License-Identifier: MIT
// Computes derivatives of a rig's rest, finds joint springs for a compliance, and natural postures
// for a rest under a load.
//
// At rest the torques of the springs balance: f(x, u) = 0, with the displacements x of the joints
// and the variables u (stiffnesses, natural postures, goals, loads). By the implicit function
// theorem dx/du = K^-1 df/du with the stiffness matrix K = -df/dx, which is also in a forecast's
// compliance C = J K^-1 J^T.
//
//     PoiseComplianceWish wish = poise_default_compliance_wish();
//     wish.point = pen;
//     wish.along[0] = wish.along[1] = 5e-5;   m/N, sideways
//     wish.along[2] = 1e-3;                   m/N, along the tool
//     const PoiseDesignDef def = {.wishes = &wish, .wish_count = 1};
//     PoiseDesignedSpring springs[7];
//     PoiseDesign design;
//     poise_rig_design(rig, &def, springs, 7, &design);
//     for (int i = 0; i < design.spring_count; i++) {
//         poise_rig_set_ik(rig, springs[i].node, springs[i].ik);
//     }
#ifndef POISE_DESIGN_H
#define POISE_DESIGN_H

#include "poise/forecast.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of variables on which the rest (equilibrium) of a rig depends.
typedef enum PoiseVariableKind {
    POISE_VARIABLE_IK_STIFFNESS = 0,       ///< p_ik of `node` (poise_rig_set_ik), N m/rad or N/m
    POISE_VARIABLE_ORIGINAL_STIFFNESS = 1, ///< p_orig of `node` (poise_rig_set_original)
    /// theta_orig of `node` along its velocity `axis`, rad or m, joint frame.
    POISE_VARIABLE_NATURAL = 2,
    /// The goal of `point`, in the goal's frame: `axis` 0 to 2 its position, m; 3 to 5 its
    /// rotation, rad.
    POISE_VARIABLE_GOAL = 3,
    /// A load on the link of `point` at the point, world: `axis` 0 to 2 a force, N; 3 to 5 a
    /// torque, N m. The rig feeds nothing forward for it.
    POISE_VARIABLE_LOAD = 4
} PoiseVariableKind;

/// A variable. Members that its kind does not use are ignored.
typedef struct PoiseVariable {
    PoiseVariableKind kind;
    PoiseNodeId node;
    PoisePointId point;
    int axis; ///< index of the axis, from 0
} PoiseVariable;

/// The derivatives of one point with respect to one variable, in SI units per unit of the variable.
typedef struct PoiseSensitivity {
    /// Derivatives of the point's position, m, and of its rotation, rad, in world axes.
    double pose[6];
    /// Derivatives of PoiseForecast.miss and angle_miss; NAN if the miss is below 1e-9, because
    /// |miss| has no derivative at 0.
    double miss;
    double angle_miss;
    /// Derivatives of PoiseForecast.compliance and turn_compliance, row-major.
    double compliance[9];
    double turn_compliance[9];
} PoiseSensitivity;

/// The arguments of poise_rig_sensitivity.
typedef struct PoiseSensitivityDef {
    const PoisePointId* points;
    int point_count; ///< number of `points`, >= 1
    const PoiseVariable* variables;
    int variable_count; ///< number of `variables`, >= 1
    /// Length of the world's steps, s, as in PoiseForecastDef; 0: the step of the last update.
    double step;
    /// Output, or NULL: joints[v] gets dx/du of variable v, the displacements of the joints, in the
    /// order in which nodes were bound. Each joint has nv numbers, as in poise_node_omega.
    double* const* joints;
} PoiseSensitivityDef;

/// Computes the derivatives of the rest that poise_rig_forecast finds. Fills forecasts[p] for point
/// p, as poise_rig_forecast does, and sensitivities[p * variable_count + v] for variable v.
/// Relative error about 1e-6 of the derivative's size. Allocates. The rig and its world are not
/// changed.
///
/// POISE_DEGRADED: the rest is not differentiable, and the derivatives are NAN; forecasts[p].why is
/// a sentence with the reason. Reasons: the rig does not settle (see PoiseForecastEnd), a point
/// presses, a joint rests at its torque limit or just touches a stop, or joints mimic others. A
/// joint that is pressed against a stop stays there.
///
/// Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_OUT_OF_MEMORY, POISE_ERROR_WRONG_KIND (an IK stiffness of a joint that no point
/// moves, a goal that the point does not have), and those of an update of the copy.
POISE_API PoiseStatus poise_rig_sensitivity(PoiseRig* rig, const PoiseSensitivityDef* def,
                                            PoiseForecast* forecasts,
                                            PoiseSensitivity* sensitivities);

/// The compliance that a point should have at rest.
typedef struct PoiseComplianceWish {
    PoisePointId point;
    /// The axes of `along` and `about`, as a rotation from the world's axes.
    PoiseQuat axes;
    /// Displacement along each axis per force along it, m/N, > 0 and < 1. NAN: any.
    double along[3];
    /// Rotation about each axis per torque about it, rad/(N m), > 0 and < 1. NAN: any.
    double about[3];
    /// True if the compliance is that of the rest with the point's goal at `goal`, in the goal's
    /// frame, as poise_point_goal has it. False: at the present goals.
    bool elsewhere;
    PoisePose goal;
} PoiseComplianceWish;

/// Returns the defaults: no point, world axes, any compliance, at the present goals.
POISE_API PoiseComplianceWish poise_default_compliance_wish(void);

/// The arguments of poise_rig_design. Members other than the wishes may be 0.
typedef struct PoiseDesignDef {
    const PoiseComplianceWish* wishes;
    int wish_count; ///< number of `wishes`, >= 1
    /// The nodes whose IK springs are designed; the solver must drive each. NULL: all driven nodes
    /// that move one of the points.
    const PoiseNodeId* nodes;
    int node_count;
    /// Range of the stiffnesses, N m/rad (along axes N/m): 0 < lower < upper, finite. 0: 1 and 1e6.
    double lower;
    double upper;
    /// Damping ratio of the modes, > 0; 0: each damper keeps its ratio of damping to stiffness.
    double damping_ratio;
    /// Settling time, s: 2 % of a displacement from the rest remain after it; 0: any. Each mode
    /// gets at least the damping for this time and `damping_ratio`, and at most the critical
    /// damping.
    double settling_time;
    /// Length of the world's steps, s, as in PoiseForecastDef.
    double step;
} PoiseDesignDef;

/// A designed spring.
typedef struct PoiseDesignedSpring {
    PoiseNodeId node;
    PoiseSpring ik;
    bool at_lower; ///< the stiffness is at PoiseDesignDef.lower
    bool at_upper; ///< the stiffness is at PoiseDesignDef.upper
} PoiseDesignedSpring;

/// How a design ended.
typedef enum PoiseDesignEnd {
    POISE_DESIGN_MET = 0,     ///< each compliance is met within 1 %
    POISE_DESIGN_NEAREST = 1, ///< the springs are the nearest found to the wishes
    POISE_DESIGN_NO_REST = 2  ///< the rig does not settle, or no spring moves a point
} PoiseDesignEnd;

/// The result of a design.
typedef struct PoiseDesign {
    PoiseDesignEnd end;
    char why[POISE_FORECAST_WHY]; ///< one sentence; empty with POISE_DESIGN_MET
    int spring_count;
    /// Largest relative error of a compliance: |has / desired - 1|.
    double error;
    /// index of the wish that `error` belongs to; worst_axis 0 to 2: along, 3 to 5: about
    int worst_wish;
    int worst_axis;
    /// compliance of that wish about or along worst_axis, m/N or rad/(N m)
    double worst_compliance;
    /// Settling time of the slowest mode with the designed springs and dampers, s, without the
    /// numerical damping of the steps. 0 if neither a ratio nor a time is wished, and for rigs with
    /// feet, loops or stops.
    double settling_time;
} PoiseDesign;

/// Finds IK springs with which the points have the wished compliances at rest. The compliance may
/// be wished at another goal of the point. One set of springs meets all wishes. Minimises the sum
/// of log^2(C_aa / wish_a), then the compliance between different wished axes, then the change of
/// the springs. Gauss-Newton steps in the logarithms of the stiffnesses, from the present springs
/// and from the least-squares answer of the linear problem C = sum of J_i J_i^T / p_i.
///
/// Follows the rest while the springs change from the present ones to the designed ones. Set at
/// once, the new springs may lead the rig to another rest: set them, forecast the compliance, and
/// design again from there if it differs, as `poise design` does.
///
/// Fills springs[i] for i < design->spring_count; `capacity` is their room. The rig is not changed:
/// set the springs by poise_rig_set_ik. Of a joint that both turns and slides, the spring about its
/// axes is designed. Allocates.
///
/// Returns POISE_OK; the end is in `design`. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT
/// (a wish of 0, negative, infinite or of 1 m/N and more; no wish at all; a range that is empty;
/// too little room), POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY, POISE_ERROR_WRONG_KIND
/// (a node without an IK spring that the solver drives), and those of an update of the copy.
POISE_API PoiseStatus poise_rig_design(PoiseRig* rig, const PoiseDesignDef* def,
                                       PoiseDesignedSpring* springs, int capacity,
                                       PoiseDesign* design);

/// The arguments of poise_rig_design_natural.
typedef struct PoiseNaturalDef {
    PoisePointId point;
    PoisePose rest; ///< the wished rest of the point, world, m
    bool place;     ///< the position of `rest` is wished; `place` or `rotation` must be true
    bool rotation;
    /// The load on the point's link at the point, world, N. The rig feeds nothing forward for it.
    PoiseVec3 force;
    PoiseVec3 torque; ///< torque of that load, N m, world
    double step;      ///< length of the world's steps, s, as in PoiseForecastDef
} PoiseNaturalDef;

/// A designed natural posture.
typedef struct PoiseNaturalPosture {
    PoiseNodeId node;
    int count; ///< number of coordinates, as in poise_rig_set_natural_posture
    double posture[POISE_MAX_NQ];
} PoiseNaturalPosture;

/// The result of poise_rig_design_natural.
typedef struct PoiseNaturalDesign {
    PoiseDesignEnd end;
    char why[POISE_FORECAST_WHY]; ///< one sentence; empty with POISE_DESIGN_MET
    int count;                    ///< number of nodes whose natural postures are designed
    /// Distance to the wished rest under the load, m, with the natural postures found; 0 if the
    /// place is not wished.
    double miss;
    double angle_miss;        ///< angle to the wished rest, rad, likewise
    double miss_before;       ///< `miss` before the design, with the present natural postures
    double angle_miss_before; ///< `angle_miss` before the design
} PoiseNaturalDesign;

/// Finds natural postures n with which a point rests at a wished pose under a known load. Newton
/// steps: the smallest dn with J K^-1 df/dn dn = the remaining distance to the pose. Designs the
/// nodes with a spring to their natural posture that move the point. Torque limits and stops are
/// those of the present rest.
///
/// POISE_DESIGN_MET: within 1e-6 m and 1e-6 rad. Fills postures[i] for i < design->count;
/// `capacity` is their room. The rig is not changed: set them by poise_rig_set_natural_posture.
/// Allocates.
///
/// Returns POISE_OK; the end is in `design`. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT
/// (a pose, load or step that is not finite, nothing wished, too little room),
/// POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY, and those of an update of the copy.
POISE_API PoiseStatus poise_rig_design_natural(PoiseRig* rig, const PoiseNaturalDef* def,
                                               PoiseNaturalPosture* postures, int capacity,
                                               PoiseNaturalDesign* design);

#ifdef __cplusplus
}
#endif

#endif
