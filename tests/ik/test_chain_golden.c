// SPDX-License-Identifier: MIT
// Checks that every compiler and build type gives the same bits, for each path.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "works.h"

enum { CHAINS = 12, TARGETS = 20 };

typedef struct Golden {
    PoiseChainPath path;
    uint64_t solves;
    uint64_t tracks;
    uint64_t batches;
} Golden;

static const Golden golden[CHAIN_PATHS] = {
    {POISE_CHAIN_SCALAR, 0xc139bc9ada8f2609u, 0x8942414166ba283eu, 0xc139bc9ada8f2609u},
    {POISE_CHAIN_AVX2, 0x9da3c2659cfd47cbu, 0x4b8d0b712193fea3u, 0x3665ad501dbe0a3au},
    {POISE_CHAIN_AVX512, 0x5c2623e719c522aau, 0x9e38c5c639d0540bu, 0x3665ad501dbe0a3au},
};

// Adds numbers to an FNV-1a hash of their bits.
static void add_bits(uint64_t* hash, const double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        *hash = (*hash ^ bits) * 0x100000001b3u;
    }
}

static Golden run(PoiseChainPath path) {
    const uint64_t begin = 0xcbf29ce484222325u;
    Golden out = {path, begin, begin, begin};
    Random random = random_from(77);
    for (int c = 0; c < CHAINS; c++) {
        Model model = chain_random_model(&random, 6 + c % 3, c % 2 == 1);
        PoiseChain* chain = chain_of(&model, path);
        const int size = poise_chain_posture_size(chain);
        PoiseChainSolveDef def = poise_default_chain_solve_def();
        double postures[TARGETS * POISE_CHAIN_MAX_POSTURE];
        PoisePose targets[TARGETS];
        def.goal = (PoiseChainGoal)(c % 3);
        for (int t = 0; t < TARGETS; t++) {
            double* posture = &postures[t * size];
            chain_draw(chain, &random, posture);
            targets[t] = poise_chain_forward(chain, posture);
            // every fifth target is out of reach
            targets[t].p.x += t % 5 == 4 ? 20.0 : 0.0;
            WORKS(poise_chain_middle(chain, posture));
            WORKS(poise_chain_solve(chain, &def, targets[t], posture, NULL));
            add_bits(&out.solves, posture, size);
            PoisePose near = poise_chain_forward(chain, posture);
            near.p.y += 0.01;
            WORKS(poise_chain_track(chain, &def, near, posture, NULL));
            add_bits(&out.tracks, posture, size);
            WORKS(poise_chain_middle(chain, posture));
        }
        const PoiseChainBatch batch = {TARGETS, targets, postures, NULL};
        WORKS(poise_chain_solve_batch(chain, &def, &batch));
        add_bits(&out.batches, postures, TARGETS * size);
        poise_chain_destroy(chain);
        model_finish(&model);
    }
    return out;
}

static void expect_golden(const Golden* expected) {
    SKIP_WITHOUT_PATH(expected->path);
    const Golden got = run(expected->path);
    cr_expect(got.solves == expected->solves && got.tracks == expected->tracks &&
                  got.batches == expected->batches,
              "%s gave 0x%016llxu, 0x%016llxu, 0x%016llxu", poise_chain_path_name(got.path),
              (unsigned long long)got.solves, (unsigned long long)got.tracks,
              (unsigned long long)got.batches);
}

Test(chain_golden, scalar) {
    expect_golden(&golden[0]);
}

Test(chain_golden, avx2) {
    expect_golden(&golden[1]);
}

Test(chain_golden, avx512) {
    expect_golden(&golden[2]);
}
