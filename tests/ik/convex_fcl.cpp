// SPDX-License-Identifier: MIT
// Asks libfcl for the distance of two shapes.
#include "convex_fcl.h"

#include <fcl/narrowphase/distance.h>
#include <memory>

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry geometry_of(const PoiseConvex& shape) {
    if (shape.kind == POISE_CONVEX_SPHERE) {
        return std::make_shared<fcl::Sphered>(shape.radius);
    }
    if (shape.kind == POISE_CONVEX_CAPSULE) {
        return std::make_shared<fcl::Capsuled>(shape.radius, 2.0 * shape.half_length);
    }
    if (shape.kind == POISE_CONVEX_CYLINDER) {
        return std::make_shared<fcl::Cylinderd>(shape.radius, 2.0 * shape.half_length);
    }
    return std::make_shared<fcl::Boxd>(2.0 * shape.half.x, 2.0 * shape.half.y, 2.0 * shape.half.z);
}

fcl::Transform3d transform_of(const PoisePose& pose) {
    fcl::Transform3d out = fcl::Transform3d::Identity();
    out.linear() = fcl::Quaterniond(pose.q.w, pose.q.x, pose.q.y, pose.q.z).toRotationMatrix();
    out.translation() = fcl::Vector3d(pose.p.x, pose.p.y, pose.p.z);
    return out;
}

} // namespace

bool fcl_is_there(void) {
    return true;
}

double fcl_distance(const PoiseConvex* a, PoisePose a_link, const PoiseConvex* b,
                    PoisePose b_link) {
    fcl::CollisionObjectd first(geometry_of(*a), transform_of(poise_pose_mul(a_link, a->pose)));
    fcl::CollisionObjectd second(geometry_of(*b), transform_of(poise_pose_mul(b_link, b->pose)));
    fcl::DistanceRequestd request;
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    return fcl::distance(&first, &second, request, result);
}
