// SPDX-License-Identifier: MIT
// Implements recorder.h with posix_spawn, a pipe and waitpid.
#define _DEFAULT_SOURCE // for mkstemps
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "png_file.h"

extern char** environ;

enum { MAX_PATH = 1024, MAX_ARGUMENTS = 40, FILM_DESCRIPTOR = 3 };

struct PoiseRecorder {
    int width;
    int height;
    int frame;
    pid_t encoder;
    /// Pipe to the encoder; -1 if the recorder writes PNGs.
    int pipe;
    /// Descriptor of the file that the encoder writes; -1: none. Its name `begun` has the ending of
    /// a film, since the encoder completes the film if this process is killed. In the end the file
    /// is renamed to `path`.
    int film;
    char begun[MAX_PATH];
    char path[MAX_PATH];
    /// The path that the caller gave, without its ending.
    char stem[MAX_PATH];
    struct sigaction old_pipe_action;
};

typedef struct Format {
    const char* ending;
    /// Encoder options, separated by spaces.
    const char* options;
} Format;

static const Format FORMATS[] = {
    // pads to an even size, which the pixel format needs
    {".mp4", "-f mp4 -vf pad=ceil(iw/2)*2:ceil(ih/2)*2 -c:v libx264 -preset medium -crf 17 "
             "-pix_fmt yuv420p -g 30 -movflags +frag_keyframe+empty_moov+default_base_moof"},
    {".webm", "-f webm -vf pad=ceil(iw/2)*2:ceil(ih/2)*2 -c:v libvpx-vp9 -crf 28 -b:v 0 -row-mt 1 "
              "-pix_fmt yuv420p"},
    {".gif", "-f gif -vf split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse="
             "dither=bayer:bayer_scale=4:diff_mode=rectangle -loop 0"},
};

static const Format* format_of(const char* path) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        size_t ending = strlen(FORMATS[i].ending);
        if (length > ending && strcmp(path + length - ending, FORMATS[i].ending) == 0) {
            return &FORMATS[i];
        }
    }
    return NULL;
}

static int start_encoder(PoiseRecorder* recorder, char* const arguments[], int read_end,
                         int write_end) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, read_end, STDIN_FILENO);
    posix_spawn_file_actions_addclose(&files, write_end);
    posix_spawn_file_actions_adddup2(&files, recorder->film, FILM_DESCRIPTOR);
    // gives the child process the default action for SIGPIPE, which this process ignores
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error =
        posix_spawnp(&recorder->encoder, arguments[0], &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/// Splits `options` at its spaces, in place, and appends the words to `arguments`. Returns their
/// number.
static int add_options(char** arguments, int count, char* options) {
    for (char* word = options; *word != '\0' && count < MAX_ARGUMENTS - 2;) {
        arguments[count++] = word;
        word += strcspn(word, " ");
        if (*word == ' ') {
            *word++ = '\0';
        }
    }
    return count;
}

/// Starts the encoder. Returns 0 or an error number of errno.h.
static int spawn(PoiseRecorder* recorder, const PoiseRecorderDef* def, const Format* format) {
    char input[128];
    char options[256];
    char path[32];
    char program[MAX_PATH];
    snprintf(input, sizeof input,
             "-y -xerror -loglevel error -f rawvideo -pix_fmt rgb24 -s %dx%d -r %d -i - -an",
             def->width, def->height, def->frames_per_second);
    snprintf(options, sizeof options, "%s", format->options);
    // Passes the open file and not its name, since the encoder must not create the file again after
    // it was removed.
    snprintf(path, sizeof path, "file:/dev/fd/%d", FILM_DESCRIPTOR);
    snprintf(program, sizeof program, "%s", def->encoder ? def->encoder : "ffmpeg");
    char* arguments[MAX_ARGUMENTS] = {program};
    int count = add_options(arguments, 1, input);
    count = add_options(arguments, count, options);
    arguments[count++] = path;
    arguments[count] = NULL;

    int ends[2];
    if (pipe(ends) != 0) {
        return errno;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = start_encoder(recorder, arguments, ends[0], ends[1]);
    close(ends[0]);
    if (error != 0) {
        close(ends[1]);
        return error;
    }
    recorder->pipe = ends[1];
    return 0;
}

static void say_pngs(const PoiseRecorder* recorder, const PoiseRecorderDef* def, PoiseNote* note) {
    poise__note_fail(note,
                     "ffmpeg is not installed (apt install ffmpeg): writing %s_0001.png and so on. "
                     "Later: ffmpeg -framerate %d -i %s_%%04d.png %s",
                     recorder->stem, def->frames_per_second, recorder->stem, def->path);
}

/// Creates the film's file in the folder of its path, whose links are followed. Returns 0 or an
/// error number of errno.h.
static int open_film(PoiseRecorder* recorder, const char* path, const char* ending) {
    char* whole = realpath(path, NULL);
    struct stat status;
    const bool there = whole && stat(whole, &status) == 0;
    const mode_t mask = umask(0);
    umask(mask);
    snprintf(recorder->path, sizeof recorder->path, "%s", whole ? whole : path);
    free(whole);
    const int stem = (int)(strlen(recorder->path) - strlen(ending));
    if (there && (!S_ISREG(status.st_mode) || access(recorder->path, W_OK) != 0)) {
        return S_ISDIR(status.st_mode) ? EISDIR : EACCES;
    }
    snprintf(recorder->begun, sizeof recorder->begun, "%.*s.XXXXXX%s", stem, recorder->path,
             ending);
    recorder->film = mkstemps(recorder->begun, (int)strlen(ending));
    return recorder->film < 0 || fchmod(recorder->film, 0666 & ~mask) != 0 ? errno : 0;
}

/// Closes the film's file, and renames it to its path if the film is `whole`. Returns 0 or an error
/// number of errno.h.
static int close_film(PoiseRecorder* recorder, bool whole) {
    if (recorder->film < 0) {
        return 0;
    }
    int error = whole && fsync(recorder->film) != 0 ? errno : 0;
    error = close(recorder->film) != 0 && error == 0 ? errno : error;
    recorder->film = -1;
    if (whole && error == 0 && rename(recorder->begun, recorder->path) == 0) {
        return 0;
    }
    error = error != 0 || !whole ? error : errno;
    unlink(recorder->begun);
    return error;
}

PoiseRecorder* poise__recorder_create(const PoiseRecorderDef* def, PoiseNote* note) {
    const Format* format = format_of(def->path);
    if (!format || strlen(def->path) >= MAX_PATH - 16) {
        poise__note_fail(note, "%s is no film: its name should end in .mp4, .webm or .gif",
                         def->path);
        return NULL;
    }
    PoiseRecorder* recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        poise__note_fail(note, "out of memory");
        return NULL;
    }
    recorder->width = def->width;
    recorder->height = def->height;
    recorder->pipe = recorder->film = -1;
    snprintf(recorder->stem, sizeof recorder->stem, "%.*s",
             (int)(strlen(def->path) - strlen(format->ending)), def->path);
    // SIGPIPE would end the process if the encoder ends early, which must be reported as an error
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &recorder->old_pipe_action);
    const int unopened = open_film(recorder, def->path, format->ending);
    const int unstarted = unopened == 0 ? spawn(recorder, def, format) : 0;
    if (unstarted == ENOENT) {
        close_film(recorder, false); // removes the film's file, since the film becomes pictures
        say_pngs(recorder, def, note);
        return recorder;
    }
    if (unopened == 0 && unstarted == 0) {
        return recorder;
    }
    if (unopened != 0) {
        poise__note_fail(note, "cannot write %s: %s", def->path, strerror(unopened));
    } else {
        poise__note_fail(note, "cannot start ffmpeg: %s", strerror(unstarted));
    }
    close_film(recorder, false);
    sigaction(SIGPIPE, &recorder->old_pipe_action, NULL);
    free(recorder);
    return NULL;
}

const char* poise__recorder_begun(const PoiseRecorder* recorder) {
    return recorder->film >= 0 ? recorder->begun : "";
}

static bool write_all(int file, const unsigned char* bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool poise__recorder_add(PoiseRecorder* recorder, const unsigned char* rgb, PoiseNote* note) {
    recorder->frame++;
    if (recorder->pipe < 0) {
        char path[MAX_PATH + 32];
        snprintf(path, sizeof path, "%s_%04d.png", recorder->stem, recorder->frame);
        return poise__png_write(path, rgb, recorder->width, recorder->height, note);
    }
    size_t size = (size_t)recorder->width * (size_t)recorder->height * 3;
    return write_all(recorder->pipe, rgb, size) ||
           poise__note_fail(note, "ffmpeg ended at frame %d; its messages are above",
                            recorder->frame);
}

bool poise__recorder_finish(PoiseRecorder* recorder, PoiseNote* note) {
    if (!recorder) {
        return true;
    }
    bool whole = true;
    if (recorder->pipe >= 0) {
        int status = 0;
        close(recorder->pipe);
        while (waitpid(recorder->encoder, &status, 0) < 0 && errno == EINTR) {
        }
        const bool encoded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        const int error = close_film(recorder, encoded);
        whole = encoded && error == 0;
        if (!encoded) {
            poise__note_fail(note, "ffmpeg did not finish the film; its messages are above");
        } else if (error != 0) {
            poise__note_fail(note, "the film cannot be written: %s", strerror(error));
        }
    }
    sigaction(SIGPIPE, &recorder->old_pipe_action, NULL);
    free(recorder);
    return whole;
}
