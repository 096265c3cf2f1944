// SPDX-License-Identifier: MIT
// `mpirun -n N poise-sweep STUDY.yaml`: `poise sweep` with one shard for each rank, on any number
// of machines that share the table's folder. The last rank to end writes the table.
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "poise/ode_memory.h"
#include "sweep.h"

static void ignore_message(int number, const char* text, va_list arguments) {
    (void)number, (void)text, (void)arguments;
}

// Runs this rank's part of the study in one process.
static int sweep_part(int argc, char** argv, int rank, int ranks) {
    static char name[] = "poise-sweep";
    static char shard_option[] = "--shard";
    static char jobs_option[] = "--jobs";
    static char one[] = "1";
    static char quiet[] = "--quiet";
    char shard[40];
    snprintf(shard, sizeof shard, "%d/%d", rank + 1, ranks);
    char** all = calloc((size_t)argc + 6, sizeof *all);
    if (!all) {
        return EXIT_INPUT;
    }
    int count = 0;
    all[count++] = name;
    for (int i = 1; i < argc; i++) {
        all[count++] = argv[i];
    }
    all[count++] = shard_option;
    all[count++] = shard;
    all[count++] = jobs_option;
    all[count++] = one;
    if (rank > 0) {
        all[count++] = quiet;
    }
    const int code = poise__command_sweep(count, all);
    free(all);
    return code;
}

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    poise_ode_memory_guard("poise-sweep", EXIT_INPUT);
    dSetMessageHandler(ignore_message);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int code = sweep_part(argc, argv, rank, ranks);
    int worst = code;
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
