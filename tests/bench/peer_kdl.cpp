// SPDX-License-Identifier: MIT
// Orocos KDL: its position solvers, restarted at random postures within the time budget, and its
// frames and Jacobian for the loop of peer_loop.c.
#include <algorithm>
#include <cmath>
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <memory>

#include "peers_internal.h"

namespace {

KDL::Frame frame_of(const double m[12]) {
    return KDL::Frame(KDL::Rotation(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]),
                      KDL::Vector(m[3], m[7], m[11]));
}

KDL::Frame frame_of(PoisePose pose) {
    return KDL::Frame(KDL::Rotation::Quaternion(pose.q.x, pose.q.y, pose.q.z, pose.q.w),
                      KDL::Vector(pose.p.x, pose.p.y, pose.p.z));
}

// Makes segments as a URDF reader does: the axis in the frame before, then the frame at angle 0.
KDL::Chain chain_of_arm(const Arm& arm) {
    KDL::Chain chain;
    for (int i = 0; i < arm.count; i++) {
        const ArmJoint& joint = arm.joints[i];
        const KDL::Frame origin = frame_of(joint.origin);
        const KDL::Vector axis =
            origin.M * KDL::Vector(joint.axis[0], joint.axis[1], joint.axis[2]);
        const KDL::Joint hinge("j", origin.p, axis, KDL::Joint::RotAxis);
        // the frame at angle 0: KDL's segment removes the joint's own transform
        const KDL::Frame tip = i == arm.count - 1 ? origin * frame_of(arm.tool) : origin;
        chain.addSegment(KDL::Segment("s", hinge, tip));
    }
    return chain;
}

struct Kdl {
    Arm arm;
    KDL::Chain chain;
    KDL::JntArray lower;
    KDL::JntArray upper;
    KDL::ChainFkSolverPos_recursive forward;
    KDL::ChainIkSolverVel_pinv velocity;
    std::unique_ptr<KDL::ChainIkSolverPos> solver;
    KDL::JntArray q;
    KDL::JntArray out;
    Random random;

    Kdl(const Arm& a, bool with_ranges)
        : arm(a), chain(chain_of_arm(a)), lower(static_cast<unsigned>(a.count)),
          upper(static_cast<unsigned>(a.count)), forward(chain), velocity(chain),
          q(static_cast<unsigned>(a.count)), out(static_cast<unsigned>(a.count)),
          random(random_from(1)) {
        for (int i = 0; i < a.count; i++) {
            lower(static_cast<unsigned>(i)) = a.joints[i].lower;
            upper(static_cast<unsigned>(i)) = a.joints[i].upper;
        }
        if (with_ranges) {
            solver = std::make_unique<KDL::ChainIkSolverPos_NR_JL>(chain, lower, upper, forward,
                                                                   velocity, 100, 1e-6);
        } else {
            // equal weights: the defaults would accept a rotation error of 1e-3 rad
            const Eigen::Matrix<double, 6, 1> equal_weights = Eigen::Matrix<double, 6, 1>::Ones();
            solver = std::make_unique<KDL::ChainIkSolverPos_LMA>(chain, equal_weights, 1e-6);
        }
    }
};

// Adds whole turns that bring angles into their ranges, if such turns exist.
void wrap(const Arm& arm, double* q) {
    const double turn = 6.283185307179586;
    for (int i = 0; i < arm.count; i++) {
        q[i] = std::remainder(q[i], turn);
        if (q[i] < arm.joints[i].lower) {
            q[i] += turn;
        } else if (q[i] > arm.joints[i].upper) {
            q[i] -= turn;
        }
    }
}

bool solve(void* user, PoisePose target, double* q) {
    Kdl* kdl = static_cast<Kdl*>(user);
    const double end = peer_clock() + PEER_BUDGET;
    const KDL::Frame goal = frame_of(target);
    for (int i = 0; i < kdl->arm.count; i++) {
        kdl->q(static_cast<unsigned>(i)) = q[i];
    }
    for (;;) {
        kdl->solver->CartToJnt(kdl->q, goal, kdl->out);
        for (int i = 0; i < kdl->arm.count; i++) {
            q[i] = kdl->out(static_cast<unsigned>(i));
        }
        wrap(kdl->arm, q);
        if (peer_is_met(&kdl->arm, q, target)) {
            return true;
        }
        if (peer_clock() > end) {
            return false;
        }
        for (int i = 0; i < kdl->arm.count; i++) {
            const ArmJoint& joint = kdl->arm.joints[i];
            kdl->q(static_cast<unsigned>(i)) =
                random_between(&kdl->random, joint.lower, joint.upper);
        }
    }
}

void step(void* user, PoisePose target, double* q) {
    Kdl* kdl = static_cast<Kdl*>(user);
    KDL::Frame tip;
    for (int i = 0; i < kdl->arm.count; i++) {
        kdl->q(static_cast<unsigned>(i)) = q[i];
    }
    kdl->forward.JntToCart(kdl->q, tip);
    kdl->velocity.CartToJnt(kdl->q, KDL::diff(tip, frame_of(target)), kdl->out);
    for (int i = 0; i < kdl->arm.count; i++) {
        q[i] += kdl->out(static_cast<unsigned>(i));
    }
}

void destroy(void* user) {
    delete static_cast<Kdl*>(user);
}

// KDL's frames and Jacobian for the loop of peer_loop.c.
struct KdlLoop {
    PeerLoop loop{}; // first member, so that a PeerLoop* can be cast to this struct
    KDL::Chain chain;
    KDL::ChainFkSolverPos_recursive forward;
    KDL::ChainJntToJacSolver differentiate;
    KDL::JntArray q;
    KDL::Jacobian jacobian;

    explicit KdlLoop(const Arm& arm)
        : chain(chain_of_arm(arm)), forward(chain), differentiate(chain),
          q(static_cast<unsigned>(arm.count)), jacobian(static_cast<unsigned>(arm.count)) {
        loop.arm = arm;
        loop.random = random_from(1);
        loop.forward = [](PeerLoop* user, const double* angles) {
            auto* kdl = reinterpret_cast<KdlLoop*>(user);
            KDL::Frame tip;
            std::copy_n(angles, kdl->loop.arm.count, kdl->q.data.data());
            kdl->forward.JntToCart(kdl->q, tip);
            PoisePose pose = {{tip.p.x(), tip.p.y(), tip.p.z()}, {}};
            tip.M.GetQuaternion(pose.q.x, pose.q.y, pose.q.z, pose.q.w);
            return pose;
        };
        loop.differentiate = [](PeerLoop* user) {
            auto* kdl = reinterpret_cast<KdlLoop*>(user);
            const int n = kdl->loop.arm.count;
            kdl->differentiate.JntToJac(kdl->q, kdl->jacobian);
            for (int r = 0; r < PEER_ROWS; r++) {
                for (int k = 0; k < n; k++) {
                    kdl->loop.jacobian[r * n + k] = kdl->jacobian.data(r, k);
                }
            }
        };
    }
};

} // namespace

Peer* peer_kdl_loop(const Arm* arm) {
    return peer_create(new KdlLoop(*arm), peer_loop_solve, peer_loop_track,
                       [](void* user) { delete static_cast<KdlLoop*>(user); });
}

Peer* peer_kdl_lma(const Arm* arm) {
    return peer_create(new Kdl(*arm, false), solve, step, destroy);
}

Peer* peer_kdl_nr_jl(const Arm* arm) {
    return peer_create(new Kdl(*arm, true), solve, step, destroy);
}
