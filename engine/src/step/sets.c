// SPDX-License-Identifier: MIT
// Follows changes of the tree's sets (its nodes, points and registrations): updates which joints
// follow the solve, their ranges, and the reserved memory. First stage of an update.

#include "press.h"
#include "step.h"

static void follow_sets(PoiseRig* rig) {
    poise__drop_destroyed(rig);
    poise__drop_stances(rig);
    poise__closures_drop(rig);
    poise__closures_find(rig);
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        binding->follows_ik = poise__binding_takes_part(rig, binding) &&
                              poise_node_points(rig->state.tree, binding->node, NULL, 0) > 0;
        poise__binding_read_limits(binding, rig->state.tree);
    }
    rig->state.press.reserved = false;
}

PoiseStatus poise__read_sets(PoiseRig* rig) {
    const uint64_t revision = poise_tree_revision(rig->state.tree);
    if (!rig->revision_known || rig->tree_revision != revision) {
        follow_sets(rig);
        rig->tree_revision = revision;
        rig->revision_known = true;
    }
    const bool needed = rig->state.pressing || rig->keeps_press || rig->closure_count > 0;
    if (needed && rig->binding_count > 0 && !poise__press_fits(&rig->state) &&
        poise__press_reserve(&rig->state) < 0) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY,
                               "poise_rig_update: no memory for the forces of %d points",
                               poise_tree_point_count(rig->state.tree));
    }
    if (rig->keeps_search && rig->binding_count > 0 && poise__reconfigure_fit(rig) < 0) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY,
                               "poise_rig_update: no memory to search another posture of %d joints",
                               rig->binding_count);
    }
    return POISE_OK;
}

// Sets a flag of the rig that reserves memory, and allocates that memory.
static PoiseStatus reserve(PoiseRig* rig, bool* flag, const char* call) {
    *flag = true;
    return rig->state.tree ? poise__read_sets(rig)
                           : poise__rig_fail(rig, POISE_ERROR_GONE,
                                             "%s: the rig's tree has been destroyed", call);
}

PoiseStatus poise_rig_reserve_forces(PoiseRig* rig) {
    return rig ? reserve(rig, &rig->keeps_press, "poise_rig_reserve_forces")
               : POISE_ERROR_INVALID_ARGUMENT;
}

PoiseStatus poise_rig_reserve_search(PoiseRig* rig) {
    return rig ? reserve(rig, &rig->keeps_search, "poise_rig_reserve_search")
               : POISE_ERROR_INVALID_ARGUMENT;
}
