// SPDX-License-Identifier: MIT
// Saves and restores snapshots, after checks. The parts of a snapshot are, in order: header, bodies
// (snapshot_body.c), joints, rigs (snapshot_rig.c).
#include <math.h>
#include <stdio.h>

#include "convert.h"
#include "saving.h"
#include "shared/saved.h"
#include "world_internal.h"

enum { COOKIE_SNAPSHOT = 0x50530002 };

// "POSEWRLD" in the bytes of a little-endian machine
static const uint64_t KIND = 0x444c525745534f50;

enum { VERSION = 4 };

typedef struct Header {
    PoiseSavedHead head;
    // PoiseWorld.steps, which seeds ODE's random numbers; ODE's seed for a world of the user
    uint64_t seed;
    int32_t own_world;
    int32_t body_count;
    int32_t joint_count;
    int32_t rig_count;
} Header;

PoiseSnapshotDef poise_default_snapshot_def(void) {
    PoiseSnapshotDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_SNAPSHOT;
    return def;
}

// ------------------------------------------------------------------------------------------ checks

static PoiseStatus fail(const PoiseSnapshotDef* def, PoiseStatus status, const char* call,
                        const char* why) {
    if (def && def->cookie == COOKIE_SNAPSHOT && def->rig_count > 0 && def->rigs && def->rigs[0]) {
        return poise__rig_fail(def->rigs[0], status, "%s: %s", call, why);
    }
    const PoiseWorld* world = def && def->cookie == COOKIE_SNAPSHOT ? def->world : NULL;
    if (world && world->def.host.log) {
        char text[200];
        snprintf(text, sizeof text, "%s: %s", call, why);
        world->def.host.log(POISE_ERROR, text, world->def.host.user);
    }
    return status;
}

typedef struct Verdict {
    PoiseStatus status;
    const char* why;
} Verdict;

static Verdict check_lists(const PoiseSnapshotDef* def) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    if (!def || def->cookie != COOKIE_SNAPSHOT) {
        return (Verdict){bad, "the def was not made by poise_default_snapshot_def()"};
    }
    if (def->body_count < 0 || def->joint_count < 0 || def->rig_count < 0 ||
        (!def->bodies && def->body_count > 0) || (!def->joints && def->joint_count > 0) ||
        (!def->rigs && def->rig_count > 0)) {
        return (Verdict){bad, "a count is negative, or a list NULL that should have members"};
    }
    for (int i = 0; i < def->body_count; i++) {
        if (!def->bodies[i]) {
            return (Verdict){bad, "a body in the list is NULL"};
        }
    }
    for (int i = 0; i < def->joint_count; i++) {
        if (!def->joints[i]) {
            return (Verdict){bad, "a joint in the list is NULL"};
        }
    }
    for (int i = 0; i < def->rig_count; i++) {
        if (!def->rigs[i] || !def->rigs[i]->state.tree) {
            return (Verdict){bad, "a rig in the list is NULL, or without its tree"};
        }
    }
    return (Verdict){POISE_OK, NULL};
}

static Verdict check(const PoiseSnapshotDef* def) {
    Verdict verdict = check_lists(def);
    for (int i = 0; verdict.status == POISE_OK && i < def->body_count; i++) {
        dBodyID body = def->bodies[i];
        if (def->world && dBodyGetWorld(body) != def->world->ode) {
            return (Verdict){POISE_ERROR_FOREIGN_WORLD, "a body is of another world"};
        }
    }
    for (int i = 0; verdict.status == POISE_OK && i < def->rig_count; i++) {
        if (def->world && def->rigs[i]->world != def->world->ode) {
            return (Verdict){POISE_ERROR_FOREIGN_WORLD, "a rig is of another world"};
        }
        if (poise__rig_may_keep(def->rigs[i]) != POISE_OK) {
            return (Verdict){POISE_ERROR_GONE,
                             "a body or joint that a rig has bound is gone; unbind it"};
        }
    }
    return verdict;
}

// ------------------------------------------------------------------------------------------ bodies

static Header header_of(const PoiseSnapshotDef* def) {
    size_t sizes[2 + RIG_SIZES] = {sizeof(Header), sizeof(BodyState)};
    poise__rig_sizes(&sizes[2]);
    Header header;
    memset(&header, 0, sizeof header);
    header.head = poise_saved_head(KIND, VERSION, sizes, 2 + RIG_SIZES);
    header.seed = def->world ? (uint64_t)def->world->steps : (uint64_t)dRandGetSeed();
    header.own_world = def->world != NULL;
    header.body_count = def->body_count;
    header.joint_count = def->joint_count;
    header.rig_count = def->rig_count;
    return header;
}

// Returns the number of bytes of the header, the bodies and the joints.
static size_t size_before_rigs(const PoiseSnapshotDef* def) {
    return sizeof(Header) + (size_t)def->body_count * sizeof(BodyState) +
           (size_t)def->joint_count * sizeof(int32_t);
}

size_t poise_snapshot_size(const PoiseSnapshotDef* def) {
    if (check_lists(def).status != POISE_OK) {
        return 0;
    }
    size_t size = size_before_rigs(def);
    for (int i = 0; i < def->rig_count; i++) {
        size += poise__rig_size(def->rigs[i]);
    }
    return (size + 7) / 8 * 8;
}

PoiseStatus poise_snapshot_save(const PoiseSnapshotDef* def, void* memory, size_t size) {
    const char* call = "poise_snapshot_save";
    Verdict verdict = check(def);
    if (verdict.status != POISE_OK) {
        return fail(def, verdict.status, call, verdict.why);
    }
    if (!memory || size < poise_snapshot_size(def)) {
        return fail(def, POISE_ERROR_INVALID_ARGUMENT, call,
                    "the memory is NULL or smaller than poise_snapshot_size()");
    }
    for (int i = 0; i < def->body_count; i++) {
        if (!poise__body_is_finite(def->bodies[i])) {
            return fail(def, POISE_ERROR_INVALID_ARGUMENT, call, "a body is not finite");
        }
    }
    const size_t used = poise_snapshot_size(def);
    const Header header = header_of(def);
    char* to = memory;
    memset(&to[used - 8], 0, 8); // clear the last 8 bytes, which may have padding
    poise__put(&to, &header, sizeof header);
    for (int i = 0; i < def->body_count; i++) {
        poise__body_keep(def->bodies[i], &to);
    }
    for (int i = 0; i < def->joint_count; i++) {
        const int32_t enabled = dJointIsEnabled(def->joints[i]);
        poise__put(&to, &enabled, sizeof enabled);
    }
    for (int i = 0; i < def->rig_count; i++) {
        poise__rig_keep(def->rigs[i], &to);
    }
    return poise_saved_seal(&header.head, memory, used);
}

static const char* check_header(const PoiseSnapshotDef* def, const void* memory, size_t size,
                                Header* header) {
    const Header own = header_of(def);
    PoiseSavedHead head;
    const char* wrong = poise_saved_problem(&own.head, memory, size, &head);
    if (wrong || head.size < sizeof *header) {
        return wrong ? wrong : "the snapshot is damaged or cut short";
    }
    memcpy(header, memory, sizeof *header);
    if (header->own_world != own.own_world) {
        return "one of the two worlds is ours, the other is not";
    }
    if (header->body_count != own.body_count || header->joint_count != own.joint_count ||
        header->rig_count != own.rig_count) {
        return "the snapshot has another number of bodies, joints or rigs";
    }
    return NULL;
}

// Returns why the memory cannot be restored, or NULL if it can. Fills `header` from the memory.
static const char* match(const PoiseSnapshotDef* def, const void* memory, size_t size,
                         Header* header) {
    const char* wrong = check_header(def, memory, size, header);
    if (wrong) {
        return wrong;
    }
    const char* from = memory;
    const char* end = from + header->head.size;
    if (header->head.size < size_before_rigs(def)) {
        return "the snapshot is cut short";
    }
    from += sizeof *header;
    for (int i = 0; i < def->body_count && !wrong; i++) {
        wrong = poise__body_problem(def->bodies[i], &from);
    }
    from += (size_t)def->joint_count * sizeof(int32_t);
    for (int i = 0; i < def->rig_count && !wrong; i++) {
        wrong = poise__rig_match(def->rigs[i], &from, (size_t)(end - from));
    }
    return wrong;
}

const char* poise_snapshot_problem(const PoiseSnapshotDef* def, const void* memory, size_t size) {
    Verdict verdict = check(def);
    Header header;
    return verdict.why ? verdict.why : match(def, memory, size, &header);
}

static void restore_lists(const PoiseSnapshotDef* def, const char** from) {
    for (int i = 0; i < def->body_count; i++) {
        poise__body_put(def->bodies[i], from);
    }
    for (int i = 0; i < def->joint_count; i++) {
        int32_t enabled;
        poise__take(from, &enabled, sizeof enabled);
        (enabled ? dJointEnable : dJointDisable)(def->joints[i]);
    }
}

PoiseStatus poise_snapshot_restore(const PoiseSnapshotDef* def, const void* memory, size_t size) {
    const char* call = "poise_snapshot_restore";
    Verdict verdict = check(def);
    if (verdict.status != POISE_OK) {
        return fail(def, verdict.status, call, verdict.why);
    }
    Header header;
    const char* wrong = match(def, memory, size, &header);
    if (wrong) {
        return fail(def, POISE_ERROR_INVALID_ARGUMENT, call, wrong);
    }
    // restore trees first, because only they may need memory, and so fail
    const char* from = (const char*)memory + size_before_rigs(def);
    for (int i = 0; i < def->rig_count; i++) {
        PoiseStatus status = poise__rig_put_tree(def->rigs[i], &from);
        if (status < 0) {
            return fail(def, status, call, "no memory for the state of a tree");
        }
    }
    from = (const char*)memory + sizeof header;
    restore_lists(def, &from);
    for (int i = 0; i < def->rig_count; i++) {
        poise__rig_put(def->rigs[i], &from);
    }
    if (def->world) {
        poise__world_drop_contacts(def->world);
        def->world->contact_count = 0;
        def->world->collided = false;
        def->world->lost = NULL;
        def->world->steps = (unsigned long)header.seed;
    } else {
        dRandSetSeed((unsigned long)header.seed);
    }
    return POISE_OK;
}
