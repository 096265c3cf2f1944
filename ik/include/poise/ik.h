// SPDX-License-Identifier: MIT
// Inverse kinematics of a tree of joints.
//
// A node is a joint that the solver may move, together with the link it carries. A control point
// ("point") is a place on a link that should reach a goal. Registering a node with a point lets the
// node move to serve it. One step goes, each line a function one can call alone:
//
//     poise_forward, or poise_node_measure for every node      fill the frames
//     poise_solve                                              J, v -> omega (eqs. 2-23)
//     poise_advance                                            theta <- theta + omega
//
// A tree is used by one thread at a time; different trees in parallel. Functions that take a
// `const PoiseTree*` may run together. World frame, SI units and radians unless a name says
// otherwise; "eq." and "sec." are those of the Springhead2 paper (see ik/README.md).
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
