// SPDX-License-Identifier: MIT
// Reads tables of cells with commas between them.
#include "csv_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "poise/reading.h"

enum { NUMBER_LENGTH = 64, SHOWN = 40 };

// --------------------------------------------------------------------------------------- findings

static void report(Sheet* sheet, int line, int column, const char* format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

static void report(Sheet* sheet, int line, int column, const char* format, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    const PoiseMark mark = {sheet->path, line, column};
    // The text is copied into the diagnostics only now, so that a sheet without findings is not
    // copied.
    poise_diagnostics_add_source(sheet->diagnostics, sheet->path, sheet->text ? sheet->text : "",
                                 sheet->size);
    poise_diagnostics_add(sheet->diagnostics, POISE_ERROR, mark, text);
    sheet->errors++;
}

static void report_at(Sheet* sheet, int line, int column, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

static void report_at(Sheet* sheet, int line, int column, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(sheet, line, column, format, arguments);
    va_end(arguments);
}

void poise__sheet_error(Sheet* sheet, int column, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(sheet, sheet->line, column < 0 ? 1 : sheet->cells[column].column, format, arguments);
    va_end(arguments);
}

// ----------------------------------------------------------------------------------------- reading

// Reads the whole file into `text`, to be freed, and adds a closing 0. Returns the number of bytes;
// -1 with errno on failure.
static long read_all(char** text, FILE* file) {
    size_t capacity = 1 << 16, size = 0;
    *text = malloc(capacity);
    while (*text) {
        size += fread(*text + size, 1, capacity - 1 - size, file);
        (*text)[size] = '\0';
        if (size < capacity - 1) {
            return ferror(file) ? -1 : (long)size;
        }
        if (capacity > poise_table_most(NULL)) {
            errno = EFBIG;
            return -1;
        }
        capacity *= 2;
        char* grown = realloc(*text, capacity);
        if (!grown) {
            free(*text);
        }
        *text = grown;
    }
    errno = ENOMEM;
    return -1;
}

static bool is_space(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r';
}

// Splits the line at `next` into cells without surrounding spaces. Returns their number.
static int split_line(Sheet* sheet, SheetCell* cells) {
    const char* line = sheet->next;
    const char* end = strchr(line, '\n');
    end = end ? end : sheet->text + sheet->size;
    int count = 0;
    int letter = 1;
    for (const char* at = line;; at++) {
        const char* begin = at;
        const int first = letter;
        while (at < end && *at != ',') {
            // A letter of several bytes (UTF-8) is one column.
            letter += ((unsigned char)*at & 0xc0) != 0x80;
            at++;
        }
        letter++;
        const char* stop = at;
        int column = first;
        while (begin < stop && is_space(*begin)) {
            begin++;
            column++;
        }
        while (stop > begin && is_space(stop[-1])) {
            stop--;
        }
        if (count < SHEET_COLUMNS) {
            cells[count] = (SheetCell){begin, (int)(stop - begin), column};
        }
        count++;
        if (at == end) {
            break;
        }
    }
    sheet->next = *end == '\n' ? end + 1 : end;
    sheet->line++;
    // a line of spaces has no cells
    return count == 1 && cells[0].length == 0 ? 0 : count;
}

static bool is_past_end(const Sheet* sheet) {
    return *sheet->next == '\0';
}

static bool cell_is(const SheetCell* cell, const char* word, int length) {
    return length == cell->length && memcmp(cell->text, word, (size_t)length) == 0;
}

// Reports columns with the same name.
static bool names_differ(Sheet* sheet) {
    for (int i = 1; i < sheet->column_count; i++) {
        const SheetCell* name = &sheet->names[i];
        for (int k = 0; k < i && name->length > 0; k++) {
            if (cell_is(&sheet->names[k], name->text, name->length)) {
                const int shown = name->length < SHOWN ? name->length : SHOWN;
                poise__sheet_error(sheet, -1, "columns %d and %d are both named '%.*s'", k + 1,
                                   i + 1, shown, name->text);
                break;
            }
        }
    }
    return sheet->errors == 0;
}

bool poise__sheet_begin(Sheet* sheet, const char* path, const char* text, size_t size,
                        PoiseDiagnostics* diagnostics) {
    *sheet = (Sheet){.path = path, .diagnostics = diagnostics, .text = text, .row = -1};
    const char* zero = memchr(text, '\0', size);
    if (zero) {
        report_at(sheet, 0, 0, "is not text: there is a zero byte at byte %ld",
                  (long)(zero - text) + 1);
        return false;
    }
    sheet->size = size;
    sheet->next = text;
    while (sheet->column_count == 0 && !is_past_end(sheet)) {
        sheet->column_count = split_line(sheet, sheet->names);
    }
    if (sheet->column_count == 0 || sheet->column_count > SHEET_COLUMNS) {
        report_at(sheet, sheet->line > 0 ? sheet->line : 1, 1,
                  sheet->column_count == 0 ? "is empty: a head with the names of the columns is due"
                                           : "the head has more than 128 columns");
        return false;
    }
    return names_differ(sheet);
}

bool poise__sheet_open(Sheet* sheet, const char* path, PoiseDiagnostics* diagnostics) {
    *sheet = (Sheet){.path = path, .diagnostics = diagnostics};
    const char* why = NULL;
    const char* most = NULL;
    char* text = NULL;
    poise_table_most(&most);
    FILE* file = strcmp(path, "-") == 0 ? stdin : poise_table_open(path, &why);
    const long size = file ? read_all(&text, file) : -1;
    const int trouble = errno;
    why = why ? why : trouble == EFBIG ? most : strerror(trouble ? trouble : EIO);
    if (file && file != stdin) {
        poise_diagnostics_add_file(diagnostics, path);
        (void)fclose(file);
    }
    if (size < 0) {
        report_at(sheet, 0, 0, "cannot be read: %s", why);
    }
    const bool fine = size >= 0 && poise__sheet_begin(sheet, path, text, (size_t)size, diagnostics);
    sheet->owned = text;
    return fine;
}

void poise__sheet_close(Sheet* sheet) {
    free(sheet->owned);
    sheet->owned = NULL;
}

PoiseMark poise__sheet_mark(const Sheet* sheet, int column) {
    return (PoiseMark){sheet->path, sheet->line, column < 0 ? 1 : sheet->cells[column].column};
}

int poise__sheet_lines_left(const Sheet* sheet) {
    int lines = 1;
    for (const char* at = sheet->next; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    return lines;
}

int poise__sheet_column(const Sheet* sheet, const char* name) {
    for (int i = 0; i < sheet->column_count; i++) {
        if (cell_is(&sheet->names[i], name, (int)strlen(name))) {
            return i;
        }
    }
    return -1;
}

// True if the cell probably means the column `name`: the same name with capitals, or only the axis,
// as x, pos_x or "x [m]" for px.
static bool means(const SheetCell* cell, const char* name) {
    int length = 0;
    while (length < cell->length && cell->text[length] != ' ' && cell->text[length] != '[' &&
           cell->text[length] != '(') {
        length++;
    }
    if (length == (int)strlen(name) && strncasecmp(cell->text, name, (size_t)length) == 0) {
        return true;
    }
    const int axis = tolower((unsigned char)name[strlen(name) - 1]);
    return length > 0 && tolower((unsigned char)cell->text[length - 1]) == axis &&
           (length == 1 || cell->text[length - 2] == '_' || cell->text[length - 2] == '.');
}

// Returns the name of the separator that a head without commas seems to have ("tabs"), or NULL.
static const char* other_mark(const Sheet* sheet) {
    const SheetCell* first = &sheet->names[0];
    const size_t length = (size_t)first->length;
    return sheet->column_count != 1            ? NULL
           : memchr(first->text, ';', length)  ? "semicolons"
           : memchr(first->text, '\t', length) ? "tabs"
                                               : NULL;
}

// Writes a suggestion that names the head's most similar column, or "".
static const char* guess(const Sheet* sheet, const char* name, char* text, size_t capacity) {
    text[0] = '\0';
    for (int i = 0; i < sheet->column_count && text[0] == '\0'; i++) {
        const SheetCell* cell = &sheet->names[i];
        if (means(cell, name)) {
            snprintf(text, capacity, "; is it '%.*s'?", cell->length < SHOWN ? cell->length : SHOWN,
                     cell->text);
        }
    }
    return text;
}

int poise__sheet_need_column(Sheet* sheet, const char* name) {
    const int column = poise__sheet_column(sheet, name);
    const char* mark = column < 0 ? other_mark(sheet) : NULL;
    if (mark) {
        // Only the first missing column is reported: the others are probably missing for the same
        // reason.
        if (sheet->errors == 0) {
            report_at(sheet, sheet->line, 1, "the head has %s between its names: commas are due",
                      mark);
        }
    } else if (column < 0) {
        char text[100];
        report_at(sheet, sheet->line, 1, "the head has no column '%s'%s", name,
                  guess(sheet, name, text, sizeof text));
    }
    return column;
}

bool poise__sheet_next(Sheet* sheet) {
    while (!is_past_end(sheet)) {
        const int count = split_line(sheet, sheet->cells);
        if (count == sheet->column_count) {
            sheet->row++;
            return true;
        }
        if (count != 0) {
            report_at(sheet, sheet->line, 1, "the row has %d cells, the head has %d", count,
                      sheet->column_count);
        }
    }
    return false;
}

double poise__sheet_number(Sheet* sheet, int column, bool infinite) {
    const SheetCell* cell = &sheet->cells[column];
    char text[NUMBER_LENGTH];
    double value = 0.0;
    PoiseNumberKind kind = POISE_NUMBER_NONE;
    if (cell->length > 0 && cell->length < NUMBER_LENGTH) {
        memcpy(text, cell->text, (size_t)cell->length);
        text[cell->length] = '\0';
        kind = poise_number_read(text, &value);
    }
    if (kind == POISE_NUMBER_FINE || (kind == POISE_NUMBER_INFINITE && infinite)) {
        return value;
    }
    const int shown = cell->length < SHOWN ? cell->length : SHOWN;
    poise__sheet_error(sheet, column, "%.*s: a %snumber is due, not '%.*s'",
                       sheet->names[column].length, sheet->names[column].text,
                       kind == POISE_NUMBER_INFINITE ? "finite " : "", shown, cell->text);
    return 0.0;
}

bool poise__sheet_is(const Sheet* sheet, int column, const char* word) {
    return cell_is(&sheet->cells[column], word, (int)strlen(word));
}
