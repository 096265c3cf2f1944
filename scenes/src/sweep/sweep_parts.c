// SPDX-License-Identifier: MIT
// The rows of an unfinished study, in files of a folder next to the table. Each file is written by
// one process, as whole lines in any order. An incomplete last line is ignored.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep.h"

// First line of a file of rows, with the study's fingerprint.
#define HEAD "# poise sweep %016" PRIx64 "\n"
enum { MOST_FILES = 100000 };

// The rows of all files, by run.
typedef struct Rows {
    char** texts; ///< of the files
    int text_count;
    const char** row; ///< of each run; NULL: none
    int* length;
} Rows;

static bool is_part(const char* name) {
    const size_t length = strlen(name);
    return strncmp(name, "part-", 5) == 0 && length > 4 && strcmp(name + length - 4, ".csv") == 0;
}

static char* read_whole(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    struct stat about;
    char* text = NULL;
    if (file && fstat(fileno(file), &about) == 0) {
        text = malloc((size_t)about.st_size + 1);
        *size = text ? fread(text, 1, (size_t)about.st_size, file) : 0;
    }
    if (text) {
        text[*size] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

// Records the rows in one file's text. Returns false with a message for rows of another study.
static bool take_rows(const Sweep* sweep, const char* name, const char* text, Rows* rows) {
    char head[64];
    snprintf(head, sizeof head, HEAD, poise_study_fingerprint(sweep->study));
    const size_t begun = strlen(head);
    if (strncmp(text, head, begun) != 0) {
        // killed before its first line was complete: no rows
        if (strchr(text, '\n') == NULL) {
            return true;
        }
        fprintf(stderr,
                "poise: %s/%s: its rows are of another study, or of this one before it, a file "
                "that it reads or poise was changed; --again begins anew\n",
                sweep->parts, name);
        return false;
    }
    const char* line = text + begun;
    for (const char* end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char* after = NULL;
        const long run = strtol(line, &after, 10);
        if (after != line && *after == ',' && run >= 0 &&
            run < poise_study_run_count(sweep->study)) {
            sweep->done[run] = true;
            if (rows->row) {
                rows->row[run] = line;
                rows->length[run] = (int)(end - line) + 1;
            }
        }
    }
    return true;
}

static void free_rows(Rows* rows) {
    for (int i = 0; i < rows->text_count; i++) {
        free(rows->texts[i]);
    }
    free(rows->texts);
    free(rows->row);
    free(rows->length);
}

// Reads all files of rows. `keep`: keeps the texts, which the rows point into.
static bool scan(const Sweep* sweep, Rows* rows, bool keep) {
    DIR* folder = opendir(sweep->parts);
    bool fine = folder || errno == ENOENT;
    const struct dirent* entry = NULL;
    if (!fine) {
        fprintf(stderr, "poise: %s: cannot be read: %s\n", sweep->parts, strerror(errno));
    }
    while (folder && fine && (entry = readdir(folder)) != NULL) {
        char path[2048];
        size_t size = 0;
        if (!is_part(entry->d_name) || rows->text_count >= MOST_FILES) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", sweep->parts, entry->d_name);
        char* text = read_whole(path, &size);
        const bool gone = !text && errno == ENOENT; // merged by another shard just now
        fine = gone || (text && take_rows(sweep, entry->d_name, text, rows));
        if (gone) {
            continue;
        }
        if (!text) {
            fprintf(stderr, "poise: %s: cannot be read: %s\n", path, strerror(errno));
        } else if (keep) {
            rows->texts[rows->text_count++] = text;
        } else {
            free(text);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return fine;
}

bool poise__parts_scan(Sweep* sweep) {
    Rows rows = {NULL, 0, NULL, NULL};
    memset(sweep->done, 0, (size_t)poise_study_run_count(sweep->study) * sizeof *sweep->done);
    const bool fine = scan(sweep, &rows, false);
    sweep->done_count = 0;
    for (int i = 0; i < poise_study_run_count(sweep->study); i++) {
        sweep->done_count += sweep->done[i] ? 1 : 0;
    }
    return fine;
}

int poise__parts_open(const Sweep* sweep) {
    if (mkdir(sweep->parts, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "poise: %s: cannot be made: %s\n", sweep->parts, strerror(errno));
        return -1;
    }
    for (int number = 1; number < MOST_FILES; number++) {
        char path[2048];
        snprintf(path, sizeof path, "%s/part-%dof%d-%d.csv", sweep->parts, sweep->shard,
                 sweep->shards, number);
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
        if (file >= 0) {
            char head[64];
            const int length =
                snprintf(head, sizeof head, HEAD, poise_study_fingerprint(sweep->study));
            if (write(file, head, (size_t)length) == length) {
                return file;
            }
            close(file);
        }
        if (errno != EEXIST) {
            fprintf(stderr, "poise: %s: cannot be written: %s\n", path, strerror(errno));
            return -1;
        }
    }
    return -1;
}

bool poise__parts_forget(const Sweep* sweep) {
    DIR* folder = opendir(sweep->parts);
    const struct dirent* entry = NULL;
    if (!folder && errno != ENOENT) {
        fprintf(stderr, "poise: %s: cannot be removed: %s\n", sweep->parts, strerror(errno));
        return false;
    }
    while (folder && (entry = readdir(folder)) != NULL) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", sweep->parts, entry->d_name);
        if (is_part(entry->d_name)) {
            unlink(path);
        }
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(sweep->parts);
    return true;
}

// True if every run has a row.
static bool is_whole(const PoiseStudy* study, const Rows* rows) {
    int there = 0;
    for (int i = 0; i < poise_study_run_count(study); i++) {
        there += rows->row[i] ? 1 : 0;
    }
    return there == poise_study_run_count(study);
}

bool poise__parts_merge(const Sweep* sweep) {
    const PoiseStudy* study = sweep->study;
    Rows rows = {calloc(MOST_FILES, sizeof *rows.texts), 0,
                 calloc((size_t)poise_study_run_count(study) + 1, sizeof *rows.row),
                 calloc((size_t)poise_study_run_count(study) + 1, sizeof *rows.length)};
    PoiseOutput output = {0};
    bool fine = rows.texts && rows.row && rows.length && scan(sweep, &rows, true);
    if (fine && !is_whole(study, &rows)) {
        // Another shard ended at the same time. Its table is complete, and the rows are removed.
        free_rows(&rows);
        return true;
    }
    const char* trouble = fine ? poise_output_open(&output, sweep->out) : "memory is short";
    if (!trouble) {
        poise__sweep_head(study, output.file);
        for (int i = 0; i < poise_study_run_count(study); i++) {
            fwrite(rows.row[i], 1, (size_t)rows.length[i], output.file);
        }
        trouble = poise_output_close(&output);
    }
    poise_output_drop(&output);
    if (trouble && fine) {
        fprintf(stderr, "poise: %s: cannot be written: %s\n", sweep->out, trouble);
    }
    fine = fine && !trouble;
    free_rows(&rows);
    return fine && poise__parts_forget(sweep);
}
