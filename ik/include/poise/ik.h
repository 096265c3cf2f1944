// SPDX-License-Identifier: MIT
// Inverse kinematics of a tree of joints: the headers that most callers need.
//
// A *node* is a joint together with the link that it carries. A *control point* ("point") is a
// position, a frame, an axis or a centre of mass on a link that should reach a *goal*. Registering
// a node with a point lets the solver move the node for that point. The *posture* theta holds the
// coordinates of all joints. The *frames* of joints and links follow from it.
//
// **The loop.** Each line is a stage that can be called alone:
//
//     poise_forward      posture -> frames; a simulation calls poise_node_set_frames instead
//     poise_solve        frames, goals -> J, v -> omega, the step of the joints (eqs. 2-23)
//     poise_advance      theta <- theta + omega; the frames are stale until they are filled again
//
// poise_reach repeats these stages until the goals are met and says why it ended. An arm of one
// hinge that turns its tip to a goal:
//
//     PoiseTreeDef tree_def = poise_default_tree_def();
//     PoiseTree* tree = poise_tree_create(&tree_def);
//     PoiseNodeDef hinge_def = poise_default_hinge_def();      // about z, angle 0, no range
//     PoiseNodeId hinge = poise_node_create(tree, &hinge_def);
//     PoisePointDef point_def = poise_default_position_def();
//     point_def.link = hinge;
//     point_def.in_link.p = poise_vec3(1, 0, 0);               // the tip is 1 m from the hinge
//     PoisePointId tip = poise_point_create(tree, &point_def);
//     poise_register_chain(tree, tip, hinge);
//     poise_point_set_position(tree, tip, poise_vec3(0, 1, 0));
//     PoiseStatus status = poise_reach(tree, NULL, NULL);      // POISE_OK
//     double angle = poise_node_angle(tree, hinge);            // 1.5708 rad
//     poise_tree_destroy(tree);
//
// **Units.** SI units and radians, unless a name says otherwise. A point's position rows are in m,
// its orientation rows in rad. Quaternions are (w, x, y, z).
//
// **Frames.** World frame, unless a name or comment says otherwise. Along a branch of the tree,
// link = parent link * joint_in_parent * motion * link_in_joint (PoiseNodeDef).
//
// **Defs.** Each object is made from a def that a poise_default_*_def function filled. A def that
// was not is refused. The comment of a member names its unit, its range and its default.
//
// **Errors.** A status of 0 is success. Above 0 the best result is stored, with a remark. Below 0
// the call was refused and has changed nothing. Handles are checked in every call. The tree keeps
// its first error (poise_tree_status, poise_tree_message), so a set-up of many calls needs one
// check.
//
// **Memory and threads.** All memory comes from the PoiseHost of the tree. A step allocates none
// while the nodes, points and registrations stay the same. One thread at a time uses a tree.
// Different trees may be used in parallel, and functions that take a `const PoiseTree*` may run
// together.
//
// **Other headers.** poise/body.h compiles one limb or several for speed.
// poise/task.h serves tasks of many kinds at once. poise/limb.h and poise/person.h have closed
// forms, poise/dh.h Denavit-Hartenberg tables, poise/rotation.h conversions of rotations,
// poise/spring.h the sum of two springs.
//
// "eq." and "sec." are those of the Springhead2 paper (see ik/README.md).
#ifndef POISE_IK_H
#define POISE_IK_H

#include "poise/follow.h"
#include "poise/forces.h"
#include "poise/node.h"
#include "poise/point.h"
#include "poise/reach.h"
#include "poise/solve.h"
#include "poise/stages.h"
#include "poise/tree.h"

#endif
