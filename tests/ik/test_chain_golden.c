// SPDX-License-Identifier: MIT
// Checks that every compiler and build type gives the same bits, for each path of the code.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "works.h"

enum { CHAINS = 12, TARGETS = 20 };

typedef struct Golden {
    PoiseBodyPath path;
    uint64_t solves;
    uint64_t tracks;
    uint64_t batches;
} Golden;

static const Golden golden[] = {
    {POISE_BODY_EXACT, 0x001f1629f06b12ddu, 0x70751591834a248bu, 0x5a6e8f37e20101bau},
    {POISE_BODY_FUSED, 0x2b5079df1e148996u, 0x44e42305c0570942u, 0x3665ad501dbe0a3au},
};

// Adds numbers to an FNV-1a hash of their bits.
static void add_bits(uint64_t* hash, const double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        *hash = (*hash ^ bits) * 0x100000001b3u;
    }
}

static Golden run(PoiseBodyPath path) {
    const uint64_t begin = 0xcbf29ce484222325u;
    Golden out = {path, begin, begin, begin};
    Random random = random_from(77);
    for (int c = 0; c < CHAINS; c++) {
        Model model = chain_random_model(&random, 6 + c % 3, c % 2 == 1);
        Chain chain = chain_of(&model, path);
        const int size = poise_body_posture_size(chain.body);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
        def.all.iterations = 1000;
        double postures[TARGETS * CHAIN_POSTURE];
        PoisePose targets[TARGETS];
        def.goal = (PoiseBodyGoal)(c % 3);
        for (int t = 0; t < TARGETS; t++) {
            double* posture = &postures[t * size];
            chain_draw(chain, &random, posture);
            targets[t] = poise_body_forward(chain.body, posture, 0);
            // every fifth target is out of reach
            targets[t].p.x += t % 5 == 4 ? 20.0 : 0.0;
            WORKS(poise_body_middle(chain.body, posture));
            WORKS(chain_solve(chain, &def, targets[t], posture, NULL));
            add_bits(&out.solves, posture, size);
            PoisePose near = poise_body_forward(chain.body, posture, 0);
            near.p.y += 0.01;
            WORKS(chain_track(chain, &def, near, posture, NULL));
            add_bits(&out.tracks, posture, size);
            WORKS(poise_body_middle(chain.body, posture));
        }
        const ChainBatch batch = {TARGETS, targets, postures, NULL};
        WORKS(chain_solve_batch(chain, &def, &batch));
        add_bits(&out.batches, postures, TARGETS * size);
        chain_destroy(chain);
        model_finish(&model);
    }
    return out;
}

static void expect_golden(const Golden* expected) {
    const Golden got = run(expected->path);
    cr_expect(got.solves == expected->solves && got.tracks == expected->tracks &&
                  got.batches == expected->batches,
              "%s gave 0x%016llxu, 0x%016llxu, 0x%016llxu", chain_path_name(got.path),
              (unsigned long long)got.solves, (unsigned long long)got.tracks,
              (unsigned long long)got.batches);
}

Test(chain_golden, answers_of_the_exact_path_have_the_recorded_bits) {
    expect_golden(&golden[0]);
}

Test(chain_golden, answers_of_the_fused_path_have_the_recorded_bits) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        expect_golden(&golden[1]);
        return;
    }
#endif
    cr_skip("this processor has no fused operations that Poise uses");
}
