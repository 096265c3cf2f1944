// SPDX-License-Identifier: MIT
// Collects the findings in the files that were read, and prints them.
#include "diagnostics.h"

#include <string.h>

// Largest number of findings of a severity that are kept. Further ones are only counted.
#define FINDINGS_KEPT 500
// Largest number of letters of a source line that are printed, around the finding's column.
#define LINE_SHOWN 100
// A finding at a larger column is printed without its source line.
#define FARTHEST_COLUMN 10000
// Largest number of pairs of letters that are compared, over all guesses of what wrong names mean.
#define MAX_COMPARED_LETTERS 100000000L
#define MESSAGE_SIZE         1024

typedef struct Source {
    const char* file;
    const char* text;
    size_t size;
} Source;

// A kind of finding. Findings of one kind are printed once, at the place of the first, with their
// number.
typedef struct Kind {
    PoiseSeverity severity;
    const char* name;
    char* count_text; ///< end of the finding's text, where `count` is written
    int count;
} Kind;

// Largest number of bytes that the count adds to the text of a kind of finding.
#define COUNT_SIZE 32

struct PoiseDiagnostics {
    Arena arena;
    Kind* kinds;
    int kind_count;
    int kind_capacity;
    PoiseDiagnostic* findings;
    int count;
    int capacity;
    int counts[3];
    long compared; ///< number of letter pairs that guesses have compared
    Source* sources;
    int source_count;
    int source_capacity;
    ReadFile* files; ///< files that were read
    int file_count;
    int file_capacity;
};

PoiseDiagnostics* poise_diagnostics_create(const PoiseHost* host) {
    Arena arena;
    poise__arena_init(&arena, host);
    PoiseDiagnostics* diagnostics = poise__arena_allocate(&arena, 1, sizeof *diagnostics);
    if (!diagnostics) {
        return NULL;
    }
    diagnostics->arena = arena;
    return diagnostics;
}

void poise_diagnostics_destroy(PoiseDiagnostics* diagnostics) {
    if (diagnostics) {
        Arena arena = diagnostics->arena;
        poise__arena_finish(&arena);
    }
}

int poise_diagnostics_size(const PoiseDiagnostics* diagnostics) {
    return diagnostics ? diagnostics->count : 0;
}

int poise_diagnostics_count(const PoiseDiagnostics* diagnostics, PoiseSeverity severity) {
    bool known = severity >= POISE_NOTE && severity <= POISE_ERROR;
    return diagnostics && known ? diagnostics->counts[severity] : 0;
}

bool poise__diagnostics_lost(const PoiseDiagnostics* diagnostics) {
    return diagnostics->arena.failed;
}

PoiseDiagnostic poise_diagnostics_at(const PoiseDiagnostics* diagnostics, int index) {
    PoiseDiagnostic none = {POISE_NOTE, {"", 0, 0}, ""};
    bool inside = diagnostics && index >= 0 && index < diagnostics->count;
    return inside ? diagnostics->findings[index] : none;
}

Suggestion poise__suggestion_for(PoiseDiagnostics* diagnostics, const char* written) {
    Suggestion suggestion = poise__suggestion(written);
    if (diagnostics && diagnostics->count < FINDINGS_KEPT) {
        suggestion.compared = &diagnostics->compared;
        suggestion.most_compared = MAX_COMPARED_LETTERS;
    }
    suggestion.mute = !diagnostics || diagnostics->count >= FINDINGS_KEPT;
    return suggestion;
}

static int find_source(const PoiseDiagnostics* diagnostics, const char* file) {
    for (int i = 0; i < diagnostics->source_count; i++) {
        if (strcmp(diagnostics->sources[i].file, file) == 0) {
            return i;
        }
    }
    return -1;
}

void poise_diagnostics_add_source(PoiseDiagnostics* diagnostics, const char* file, const char* text,
                                  size_t size) {
    if (!diagnostics || !file || !text || find_source(diagnostics, file) >= 0) {
        return;
    }
    Source* sources =
        poise__arena_grow(&diagnostics->arena, &diagnostics->sources, diagnostics->source_count,
                          &diagnostics->source_capacity, sizeof *sources);
    if (!sources) {
        return;
    }
    Source* source = &sources[diagnostics->source_count];
    source->file = poise__arena_copy(&diagnostics->arena, file, strlen(file));
    source->text = poise__arena_copy(&diagnostics->arena, text, size);
    source->size = size;
    if (source->file && source->text) {
        diagnostics->source_count++;
    }
}

void poise_diagnostics_add(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                           const char* text) {
    if (text && severity >= POISE_NOTE && severity <= POISE_ERROR) {
        mark.file = mark.file ? mark.file : "";
        poise__diagnose(diagnostics, severity, mark, "%s", text);
    }
}

// ------------------------------------------------------------------------- files that were read

uint64_t poise__hash(uint64_t hash, const void* bytes, size_t size) {
    const unsigned char* byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void poise__diagnostics_add_read(PoiseDiagnostics* diagnostics, const ReadFile* file) {
    for (int i = 0; diagnostics && i < diagnostics->file_count; i++) {
        ReadFile* known = &diagnostics->files[i];
        if (known->device == file->device && known->inode == file->inode &&
            strcmp(known->path, file->path) == 0) {
            known->hash = file->hash ? file->hash : known->hash;
            return;
        }
    }
    ReadFile* files = diagnostics ? poise__arena_grow(&diagnostics->arena, &diagnostics->files,
                                                      diagnostics->file_count,
                                                      &diagnostics->file_capacity, sizeof *files)
                                  : NULL;
    char* path =
        files ? poise__arena_copy(&diagnostics->arena, file->path, strlen(file->path)) : NULL;
    if (path) {
        ReadFile* added = &files[diagnostics->file_count++];
        *added = *file;
        added->path = path;
    }
}

const ReadFile* poise__diagnostics_read(const PoiseDiagnostics* diagnostics, int index) {
    const bool inside = diagnostics && index >= 0 && index < diagnostics->file_count;
    return inside ? &diagnostics->files[index] : NULL;
}

const char* poise_diagnostics_file(const PoiseDiagnostics* diagnostics, int index) {
    const ReadFile* file = poise__diagnostics_read(diagnostics, index);
    return file ? file->path : NULL;
}

uint64_t poise_diagnostics_hash(const PoiseDiagnostics* diagnostics) {
    uint64_t hash = diagnostics ? POISE_HASH_BEGIN : 0;
    const ReadFile* file = NULL;
    for (int i = 0; (file = poise__diagnostics_read(diagnostics, i)) != NULL; i++) {
        if (file->hash != 0) {
            hash = poise__hash(hash, &file->hash, sizeof file->hash);
        }
    }
    return hash;
}

// --------------------------------------------------------------------------------------- findings

// Returns a copy of the file's name that lives as long as the diagnostics. The caller may free its
// own text earlier.
static const char* copy_file_name(PoiseDiagnostics* diagnostics, const char* file) {
    if (!file) {
        return "";
    }
    int source = find_source(diagnostics, file);
    if (source < 0) {
        poise_diagnostics_add_source(diagnostics, file, "", 0);
        source = find_source(diagnostics, file);
    }
    return source < 0 ? "" : diagnostics->sources[source].file;
}

static bool comes_before(const PoiseDiagnostics* diagnostics, const PoiseDiagnostic* a,
                         const PoiseDiagnostic* b) {
    int file_a = find_source(diagnostics, a->mark.file);
    int file_b = find_source(diagnostics, b->mark.file);
    if (file_a != file_b) {
        return file_a < file_b;
    }
    return a->mark.line != b->mark.line ? a->mark.line < b->mark.line
                                        : a->mark.column < b->mark.column;
}

static bool continues_letter(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t poise__control_character(const char* text, size_t size, unsigned* code) {
    static const struct {
        unsigned first;
        unsigned last;
    } controls[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                    {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};
    const unsigned char* bytes = (const unsigned char*)text;
    const size_t length = size == 0 || bytes[0] < 0x80 ? 1 : bytes[0] < 0xe0 ? 2 : 3;
    if (length > size) {
        return 0;
    }
    unsigned letter = length == 1 ? bytes[0] : bytes[0] & (length == 2 ? 0x1fu : 0x0fu);
    // Letters of four bytes and bytes that begin no letter are no control characters.
    bool known = bytes[0] < 0x80 || (bytes[0] >= 0xc2 && bytes[0] < 0xf0);
    for (size_t i = 1; i < length; i++) {
        letter = letter << 6 | (bytes[i] & 0x3fu);
        known = known && continues_letter((char)bytes[i]);
    }
    for (size_t i = 0; known && i < sizeof controls / sizeof controls[0]; i++) {
        if (letter >= controls[i].first && letter <= controls[i].last) {
            *code = letter;
            return length;
        }
    }
    return 0;
}

unsigned poise__hide_control_characters(char* text, size_t size) {
    unsigned first = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        unsigned code = 0;
        const size_t length = poise__control_character(text + i, size - i, &code);
        if (length > 0) {
            first = first == UINT32_MAX ? code : first;
            memset(text + i, '?', length);
        }
    }
    return first;
}

static bool is_known(const PoiseDiagnostics* diagnostics, const PoiseDiagnostic* finding) {
    for (int i = 0; i < diagnostics->count; i++) {
        const PoiseDiagnostic* other = &diagnostics->findings[i];
        if (other->mark.line == finding->mark.line && other->mark.column == finding->mark.column &&
            other->severity == finding->severity && strcmp(other->text, finding->text) == 0 &&
            strcmp(other->mark.file, finding->mark.file) == 0) {
            return true;
        }
    }
    return false;
}

static void insert(PoiseDiagnostics* diagnostics, const PoiseDiagnostic* finding) {
    PoiseDiagnostic* findings =
        poise__arena_grow(&diagnostics->arena, &diagnostics->findings, diagnostics->count,
                          &diagnostics->capacity, sizeof *findings);
    if (!findings) {
        return;
    }
    int place = diagnostics->count++;
    while (place > 0 && comes_before(diagnostics, finding, &findings[place - 1])) {
        findings[place] = findings[place - 1];
        place--;
    }
    findings[place] = *finding;
}

// Adds a finding. Returns its text, with COUNT_SIZE bytes of space after it; NULL if the same
// finding exists already, or the limit of its severity is reached.
static char* add_finding(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                         const char* format, va_list arguments) POISE_PRINTF(4, 0);

static char* add_finding(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                         const char* format, va_list arguments) {
    char text[MESSAGE_SIZE + COUNT_SIZE] = "";
    vsnprintf(text, MESSAGE_SIZE, format, arguments);
    poise__hide_control_characters(text, strlen(text));
    PoiseDiagnostic finding = {severity, mark, text};
    finding.mark.file = copy_file_name(diagnostics, mark.file);
    // A YAML anchor that ten places use would report the same finding ten times.
    const bool full = diagnostics->counts[severity] >= FINDINGS_KEPT;
    if (!full && is_known(diagnostics, &finding)) {
        return NULL;
    }
    diagnostics->counts[severity]++;
    if (full) {
        return NULL;
    }
    char* kept = poise__arena_copy(&diagnostics->arena, text, strlen(text) + COUNT_SIZE);
    finding.text = kept;
    if (kept) {
        insert(diagnostics, &finding);
    }
    return kept;
}

void poise__diagnose(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                     const char* format, ...) {
    if (diagnostics) {
        va_list arguments;
        va_start(arguments, format);
        (void)add_finding(diagnostics, severity, mark, format, arguments);
        va_end(arguments);
    }
}

void poise__diagnose_kind(PoiseDiagnostics* diagnostics, FindingKind kind, PoiseMark mark,
                          const char* format, ...) {
    for (int i = 0; diagnostics && i < diagnostics->kind_count; i++) {
        Kind* known = &diagnostics->kinds[i];
        if (known->severity == kind.severity && strcmp(known->name, kind.name) == 0) {
            snprintf(known->count_text, COUNT_SIZE, " (%d of these)", ++known->count);
            return;
        }
    }
    Kind* kinds = diagnostics ? poise__arena_grow(&diagnostics->arena, &diagnostics->kinds,
                                                  diagnostics->kind_count,
                                                  &diagnostics->kind_capacity, sizeof *kinds)
                              : NULL;
    char* name =
        kinds ? poise__arena_copy(&diagnostics->arena, kind.name, strlen(kind.name)) : NULL;
    if (!name) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char* text = add_finding(diagnostics, kind.severity, mark, format, arguments);
    va_end(arguments);
    if (text) {
        Kind added = {kind.severity, name, text + strlen(text), 1};
        kinds[diagnostics->kind_count++] = added;
    }
}

const char* poise_diagnostics_left_out(const PoiseDiagnostics* diagnostics, char* text,
                                       size_t capacity) {
    static const char begin[] = "left out: ";
    size_t length = 0;
    if (!text || capacity == 0) {
        return "";
    }
    text[0] = '\0';
    for (int i = 0; diagnostics && i < diagnostics->kind_count; i++) {
        const Kind* kind = &diagnostics->kinds[i];
        if (strncmp(kind->name, begin, strlen(begin)) != 0 || length >= capacity) {
            continue;
        }
        const int added =
            snprintf(text + length, capacity - length, "%s%s (%d)", length == 0 ? begin : ", ",
                     kind->name + strlen(begin), kind->count);
        length += added > 0 ? (size_t)added : 0;
    }
    return text;
}

// ------------------------------------------------------------------------------------- printing

// The line found last. The search for the next line starts there.
typedef struct Cursor {
    const Source* source;
    int line;
    const char* start;
} Cursor;

// Returns line number `line` (from 1) without its newline; NULL past the last line.
static const char* find_line(Cursor* cursor, const Source* source, int line, size_t* length) {
    const bool onward = cursor->source == source && cursor->line <= line;
    const char* start = onward ? cursor->start : source->text;
    const char* end = source->text + source->size;
    for (int i = onward ? cursor->line : 1; i < line && start < end; i++) {
        const char* newline = memchr(start, '\n', (size_t)(end - start));
        start = newline ? newline + 1 : end;
    }
    *cursor = (Cursor){source, line, start};
    if (start >= end) {
        return NULL;
    }
    const char* newline = memchr(start, '\n', (size_t)(end - start));
    *length = (size_t)((newline ? newline : end) - start);
    return start;
}

static void print_source_line(const char* line, size_t length, int column, FILE* out) {
    // A column is a number of letters, of which each may take several bytes in UTF-8.
    int first = column > LINE_SHOWN ? column - LINE_SHOWN / 2 : 1;
    int letter = 0;
    size_t bytes = 1;
    fputs("    ", out);
    for (size_t i = 0; i < length && letter < first + LINE_SHOWN; i += bytes) {
        unsigned code = 0;
        const size_t control = poise__control_character(line + i, length - i, &code);
        bytes = control > 0 ? control : 1;
        letter += continues_letter(line[i]) ? 0 : 1;
        if (letter >= first && letter < first + LINE_SHOWN) {
            fputc(control > 0 ? ' ' : line[i], out);
        }
    }
    fputc('\n', out);
    if (column > 0) {
        fprintf(out, "    %*s^\n", column - first, "");
    }
}

static void print_finding(const PoiseDiagnostics* diagnostics, Cursor* cursor,
                          const PoiseDiagnostic* finding, FILE* out) {
    static const char* const words[] = {"note", "warning", "error"};
    PoiseMark mark = finding->mark;
    if (mark.line > 0) {
        fprintf(out, "%s:%d:%d: ", mark.file, mark.line, mark.column > 0 ? mark.column : 1);
    } else if (mark.file[0]) {
        fprintf(out, "%s: ", mark.file);
    }
    fprintf(out, "%s: %s\n", words[finding->severity], finding->text);

    int source = find_source(diagnostics, mark.file);
    size_t length = 0;
    const char* line = source >= 0 && mark.line > 0 && mark.column <= FARTHEST_COLUMN
                           ? find_line(cursor, &diagnostics->sources[source], mark.line, &length)
                           : NULL;
    if (line) {
        print_source_line(line, length, mark.column, out);
    }
}

void poise_diagnostics_print(const PoiseDiagnostics* diagnostics, PoiseSeverity least, FILE* out) {
    if (!diagnostics) {
        return;
    }
    Cursor cursor = {NULL, 0, NULL};
    for (int i = 0; i < diagnostics->count; i++) {
        if (diagnostics->findings[i].severity >= least) {
            print_finding(diagnostics, &cursor, &diagnostics->findings[i], out);
        }
    }
    int found = diagnostics->counts[0] + diagnostics->counts[1] + diagnostics->counts[2];
    if (found > diagnostics->count) {
        fprintf(out, "and %d findings more\n", found - diagnostics->count);
    }
}
