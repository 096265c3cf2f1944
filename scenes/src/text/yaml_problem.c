// SPDX-License-Identifier: MIT
// Explains errors of libyaml. libyaml reports a missing bracket at the next unexpected token, often
// lines below. The report here names the place of the open bracket.
#include "yaml_problem.h"

#include <string.h>

// Maximal depth of nested brackets.
#define DEEPEST 128

typedef struct Problem {
    const Document* document;
    const yaml_parser_t* parser;
    const char* text;
    const char* end;
} Problem;

static PoiseMark mark_of(const Problem* problem, yaml_mark_t mark) {
    return (PoiseMark){problem->document->file, (int)mark.line + 1, (int)mark.column + 1};
}

// Returns the position of the mark in the text, at most the text's end.
static const char* find_mark(const Problem* problem, yaml_mark_t mark) {
    const char* place = problem->text;
    for (size_t line = 0; line < mark.line && place < problem->end; line++) {
        const char* newline = memchr(place, '\n', (size_t)(problem->end - place));
        place = newline ? newline + 1 : problem->end;
    }
    for (size_t column = 0; place < problem->end; place++) {
        // A column is a letter, which has several bytes in UTF-8.
        if (((unsigned char)*place & 0xc0) != 0x80 && column++ == mark.column) {
            break;
        }
    }
    return place;
}

static bool stands_at(const Problem* problem, yaml_mark_t mark, const char* letters) {
    const char* place = find_mark(problem, mark);
    return place < problem->end && *place && strchr(letters, *place);
}

// True if the bracket at `place` is closed.
static bool is_closed(const char* place, const char* end) {
    char open[DEEPEST];
    int depth = 0;
    char before = ' '; // last letter before `place` that is not a blank
    while (place < end) {
        char letter = *place;
        if ((letter == '"' || letter == '\'') && strchr("[{,: ", before)) {
            // Skips the quoted text that begins at `place`.
            char quote = *place++;
            while (place < end && *place != quote) {
                place += *place == '\\' && quote == '"' && place + 1 < end ? 2 : 1;
            }
            place = place < end ? place + 1 : end;
            before = letter;
            continue;
        }
        if (letter == '#' && (place[-1] == ' ' || place[-1] == '\n' || place[-1] == '\t')) {
            const char* newline = memchr(place, '\n', (size_t)(end - place));
            place = newline ? newline : end;
            continue;
        }
        if ((letter == '[' || letter == '{') && depth < DEEPEST) {
            open[depth++] = letter;
        } else if (letter == ']' || letter == '}') {
            if (open[depth - 1] != (letter == ']' ? '[' : '{')) {
                return false;
            }
            if (--depth == 0) {
                return true;
            }
        }
        before = strchr(" \t\r\n", letter) ? before : letter;
        place++;
    }
    return false;
}

// Reports an error inside [...] or {...}. Returns false if libyaml's message is at least as good.
static bool report_bracket(const Problem* problem) {
    const yaml_parser_t* parser = problem->parser;
    PoiseDiagnostics* diagnostics = problem->document->diagnostics;
    yaml_mark_t opening = parser->context_mark;
    yaml_mark_t noticed = parser->problem_mark;
    if (!parser->context || strncmp(parser->context, "while parsing a flow", 20) != 0 ||
        !stands_at(problem, opening, "[{")) {
        return false;
    }
    const char* place = find_mark(problem, opening);
    if (noticed.line == opening.line && stands_at(problem, noticed, "]}")) {
        poise__diagnose(diagnostics, POISE_ERROR, mark_of(problem, noticed),
                        "not YAML: '%c' cannot close the '%c' of column %d",
                        *find_mark(problem, noticed), *place, (int)opening.column + 1);
        return true;
    }
    if (is_closed(place, problem->end)) {
        return false;
    }
    char where[48] = "the file ends";
    if (find_mark(problem, noticed) < problem->end) {
        snprintf(where, sizeof where, "line %d cannot stand in it", (int)noticed.line + 1);
    }
    poise__diagnose(diagnostics, POISE_ERROR, mark_of(problem, opening),
                    "not YAML: this '%c' is not closed: %s", *place, where);
    return true;
}

static bool report_quote(const Problem* problem) {
    const yaml_parser_t* parser = problem->parser;
    if (!parser->context || strcmp(parser->context, "while scanning a quoted scalar") != 0 ||
        find_mark(problem, parser->problem_mark) < problem->end) {
        return false;
    }
    REFUSE(problem->document, mark_of(problem, parser->context_mark),
           "not YAML: the text that begins with this quote does not end");
    return true;
}

void poise__yaml_problem_report(const Document* document, const yaml_parser_t* parser,
                                const char* text, size_t size) {
    Problem problem = {document, parser, text, text + size};
    bool scanner = parser->error == YAML_SCANNER_ERROR;
    if (parser->error == YAML_MEMORY_ERROR) {
        document->arena->failed = true;
        return;
    }
    if (scanner && stands_at(&problem, parser->problem_mark, "\t")) {
        REFUSE(document, mark_of(&problem, parser->problem_mark),
               "not YAML: a tab; indent by spaces");
        return;
    }
    if (parser->error == YAML_PARSER_ERROR && report_bracket(&problem)) {
        return;
    }
    if (scanner && report_quote(&problem)) {
        return;
    }
    // After an encoding error, parser->mark is the only valid mark.
    bool bytes = parser->error == YAML_READER_ERROR;
    REFUSE(document, mark_of(&problem, bytes ? parser->mark : parser->problem_mark),
           "not YAML: %s%s%s", parser->problem ? parser->problem : "unreadable",
           parser->context ? ", " : "", parser->context ? parser->context : "");
}
