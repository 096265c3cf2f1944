// SPDX-License-Identifier: MIT
// `--plot`: the history of a run as SVG, drawn by gnuplot as a child process: the errors over time,
// the points' paths against their goals, and what the scene records.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

extern char** environ;

// errors below this are drawn on it: a logarithm has no place for 0, m and rad
#define LEAST_ERROR 1e-12

typedef struct Child {
    pid_t process;
    FILE* input;
} Child;

// ------------------------------------------------------------------------------------- the child

static bool start_gnuplot(Child* child) {
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    char program[] = "gnuplot";
    char* arguments[] = {program, NULL};
    int failed = posix_spawnp(&child->process, program, &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[0]);
    child->input = failed ? NULL : fdopen(ends[1], "w");
    if (!child->input) {
        close(ends[1]);
        errno = failed ? failed : errno;
    }
    return child->input != NULL;
}

static bool finish_gnuplot(Child* child) {
    bool written = fclose(child->input) == 0;
    int status = 0;
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR) {
    }
    return written && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ------------------------------------------------------------------------------------ the script

static int find_column(const SeriesList* columns, SeriesKind kind, int index, int component) {
    for (int i = 0; i < columns->count; i++) {
        const Series* series = &columns->items[i];
        if (series->kind == kind && series->index == index && series->component == component) {
            return i;
        }
    }
    return -1;
}

// gnuplot doubles quotes in '...', and takes names with _ and ^ for formulas unless told not to
static void print_quoted(FILE* out, const char* text) {
    fputc('\'', out);
    for (; *text; text++) {
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    }
    fputc('\'', out);
}

static void print_data(const Run* run, const SeriesList* columns, FILE* out) {
    const History* history = &run->history;
    fputs("$data << POISE_END\n", out);
    for (int i = 0; i < history->count; i++) {
        for (int j = 0; j < columns->count; j++) {
            double value = history->rows[(size_t)i * (size_t)history->width + (size_t)j];
            SeriesKind kind = columns->items[j].kind;
            if ((kind == SERIES_ERROR || kind == SERIES_ANGLE_ERROR) && value < LEAST_ERROR) {
                value = LEAST_ERROR;
            }
            if (isfinite(value)) {
                fprintf(out, "%.8g ", value);
            } else {
                fputs("NaN ", out);
            }
        }
        fputc('\n', out);
    }
    fputs("POISE_END\n", out);
}

// how far the columns of one kind reach along an axis
static double find_extent(const Run* run, const SeriesList* columns, SeriesKind kind, int axis) {
    const History* history = &run->history;
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (int j = 0; j < columns->count; j++) {
        const Series* series = &columns->items[j];
        bool counted = series->kind == kind && series->component == axis;
        for (int i = 0; counted && i < history->count; i++) {
            double value = history->rows[(size_t)i * (size_t)history->width + (size_t)j];
            low = isfinite(value) ? fmin(low, value) : low;
            high = isfinite(value) ? fmax(high, value) : high;
        }
    }
    return high > low ? high - low : 0.0;
}

// the axis along which least is to be seen: the goals say it, the paths where these stand still
static int find_least_axis(const Run* run, const SeriesList* columns) {
    static const double goals_first = 1e6;
    int least = 0;
    double smallest = (double)INFINITY;
    for (int axis = 2; axis >= 0; axis--) {
        double extent = goals_first * find_extent(run, columns, SERIES_GOAL, axis) +
                        find_extent(run, columns, SERIES_PLACE, axis);
        if (extent < smallest) {
            smallest = extent;
            least = axis;
        }
    }
    return least;
}

static void print_curves(const SeriesList* columns, const SeriesKind* kinds, int kind_count,
                         FILE* out) {
    const char* separator = "plot ";
    for (int j = 0; j < columns->count; j++) {
        bool drawn = false;
        for (int k = 0; k < kind_count; k++) {
            drawn = drawn || columns->items[j].kind == kinds[k];
        }
        if (drawn) {
            fprintf(out, "%s$data using 1:%d with lines lw 1.5 title ", separator, j + 1);
            print_quoted(out, columns->items[j].label);
            separator = ", ";
        }
    }
    fputc('\n', out);
}

static int count_kinds(const SeriesList* columns, const SeriesKind* kinds, int kind_count) {
    int count = 0;
    for (int j = 0; j < columns->count; j++) {
        for (int k = 0; k < kind_count; k++) {
            count += columns->items[j].kind == kinds[k] ? 1 : 0;
        }
    }
    return count;
}

static void print_paths(const Run* run, const SeriesList* columns, FILE* out) {
    static const char* const names[] = {"x", "y", "z"};
    int least = find_least_axis(run, columns);
    int across = least == 0 ? 1 : 0;
    int up = least == 2 ? 1 : 2;
    fprintf(out, "unset logscale\nset size ratio -1\nset xlabel '%s, m'\nset ylabel '%s, m'\n",
            names[across], names[up]);
    const char* separator = "plot ";
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        int x = find_column(columns, SERIES_PLACE, i, across);
        int y = find_column(columns, SERIES_PLACE, i, up);
        int goal_x = find_column(columns, SERIES_GOAL, i, across);
        int goal_y = find_column(columns, SERIES_GOAL, i, up);
        const char* name = poise_simulation_point(run->simulation, i).name;
        if (goal_x >= 0) {
            fprintf(out,
                    "%s$data using %d:%d with linespoints lw 4 pt 6 ps 0.3 lc rgb '#bbbbbb' "
                    "title ",
                    separator, goal_x + 1, goal_y + 1);
            char title[160];
            snprintf(title, sizeof title, "%.100s: goal", name);
            print_quoted(out, title);
            separator = ", ";
        }
        fprintf(out, "%s$data using %d:%d with lines lw 1.5 lc %d title ", separator, x + 1, y + 1,
                i + 1);
        print_quoted(out, name);
        separator = ", ";
    }
    fputs("\nset size noratio\n", out);
}

static void print_script(const Run* run, const SeriesList* columns, const char* path, FILE* out) {
    static const SeriesKind errors[] = {SERIES_ERROR, SERIES_ANGLE_ERROR};
    static const SeriesKind angles[] = {SERIES_JOINT_ANGLE, SERIES_JOINT_TARGET};
    static const SeriesKind torques[] = {SERIES_JOINT_TORQUE};
    bool has_errors = count_kinds(columns, errors, 2) > 0;
    bool has_points = poise_simulation_point_count(run->simulation) > 0;
    bool has_angles = count_kinds(columns, angles, 2) > 0;
    bool has_torques = count_kinds(columns, torques, 1) > 0;
    int panels = has_errors + has_points + has_angles + has_torques;
    print_data(run, columns, out);
    fprintf(out, "set terminal svg size 900,%d dynamic background rgb 'white' noenhanced\n",
            80 + 380 * (panels > 0 ? panels : 1));
    fputs("set output ", out);
    print_quoted(out, path);
    fprintf(out, "\nset multiplot layout %d,1 title ", panels > 0 ? panels : 1);
    print_quoted(out, run->scene->title[0] ? run->scene->title : run->scene->file);
    fputs("\nset grid\nset key outside right top\nset xlabel 'time, s'\n", out);
    if (has_errors) {
        fputs("set logscale y\nset format y '%g'\nset ylabel 'error, m and rad'\n", out);
        print_curves(columns, errors, 2, out);
        fputs("unset logscale\nset format y\n", out);
    }
    if (has_angles) {
        fputs("set ylabel 'angle, rad; slider, m'\n", out);
        print_curves(columns, angles, 2, out);
    }
    if (has_torques) {
        fputs("set ylabel 'torque, N m; slider, N'\n", out);
        print_curves(columns, torques, 1, out);
    }
    if (has_points) {
        print_paths(run, columns, out);
    }
    fputs("unset multiplot\nunset output\n", out);
}

// ------------------------------------------------------------------------------------- the data

// where the picture cannot be drawn its data is kept beside it
static int keep_data(const Run* run, const SeriesList* columns, const char* path,
                     const char* reason) {
    size_t length = strlen(path);
    char* name = malloc(length + 5);
    FILE* file = NULL;
    if (name) {
        bool svg = length > 4 && strcmp(path + length - 4, ".svg") == 0;
        snprintf(name, length + 5, "%.*s.csv", (int)(svg ? length - 4 : length), path);
        file = fopen(name, "w");
    }
    const History* history = &run->history;
    for (int i = 0; file && i < columns->count; i++) {
        fprintf(file, "%s%s", i > 0 ? "," : "", columns->items[i].label);
    }
    for (int i = 0; file && i < history->count; i++) {
        for (int j = 0; j < history->width; j++) {
            double value = history->rows[(size_t)i * (size_t)history->width + (size_t)j];
            fprintf(file, isfinite(value) ? "%s%.10g" : "%s", j > 0 ? "," : "\n", value);
        }
    }
    bool kept = file && fputc('\n', file) != EOF;
    kept = file && fclose(file) == 0 && kept;
    fprintf(stderr, "poise: --plot: %s%s%s\n", reason, kept ? "; the data is in " : "",
            kept ? name : "");
    free(name);
    return EXIT_INPUT;
}

int poise__plot_write(const Run* run, const SeriesList* columns, const char* path) {
    Child child;
    if (!start_gnuplot(&child)) {
        return keep_data(run, columns, path,
                         errno == ENOENT ? "gnuplot is not installed (Debian: gnuplot-nox)"
                                         : strerror(errno));
    }
    print_script(run, columns, path, child.input);
    if (!finish_gnuplot(&child)) {
        return keep_data(run, columns, path, "gnuplot could not draw it");
    }
    return EXIT_DONE;
}
