// SPDX-License-Identifier: MIT
// Tests charts. Text of a file appears only as text in a picture. Curves lie where the ticks say.
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "document.h"
#include "loaded.h"
#include "program.h"

// -------------------------------------------------------------------------------- hostile files

#define ARM                                                                                        \
    "seconds: 0.2\nbodies:\n  upper: {capsule: 0.04, from: [0, 0, 1.4], to: [0, 0, 1.1]}\n"        \
    "joints:\n  shoulder: {ball: [0, 0, 1.4], between: [world, upper], ik: {spring: 600, "         \
    "damper: 40}}\ncontrol_points:\n  hand: {body: upper, at: [0, 0, 0.15], position: [0.3, "      \
    "0.1, 1.2]}\n"

#define LINK_B                                                                                     \
    "<link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\".1\" "         \
    "iyy=\".1\" izz=\".1\"/></inertial></link>"

// Lists the files of the scratch folder, each followed by a space.
static const char* list_scratch(char* text, size_t capacity) {
    struct dirent** entries = NULL;
    int count = scandir(scratch_folder(), &entries, NULL, alphasort);
    cr_assert_geq(count, 0);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        const char* name = entries[i]->d_name;
        if (name[0] != '.') {
            used += (size_t)snprintf(text + used, capacity - used, "%s ", name);
        }
        free(entries[i]);
    }
    free(entries);
    return text;
}

// Such texts once made gnuplot run commands.
PROGRAM_TEST(plot, no_text_of_a_file_is_a_command) {
    static const char titled[] =
        "poise: 1\ntitle: \"An arm\\nsystem \\\"touch pwned\\\"\\n#\"\n" ARM;
    static const char robot[] =
        "<robot name=\"arm&#10;system &quot;touch pwned&quot;&#10;#\">\n" LINK_B
        "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
        "</robot>\n";
    static const char joint[] =
        "<robot name=\"r\">" LINK_B "\n"
        "<joint name=\"j'&#10;system &quot;touch pwned&quot;&#10;\" type=\"continuous\">"
        "<parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n";
    static const char recorded[] =
        "poise: 1\nseconds: 0.1\nrobots: {r: {urdf: j.urdf, base: fixed}}\n"
        "record: [\"r/j'\\nsystem \\\"touch pwned\\\"\\n.angle\"]\n";
    write_scratch("t.yaml", titled);
    write_scratch("n.urdf", robot);
    write_scratch("j.urdf", joint);
    write_scratch("r.yaml", recorded);
    static const char* const rows[][3] = {{"t.yaml", "t.yaml:2:8: error: ", "U+000A"},
                                          {"n.urdf", "n.urdf:1:8: error: ", "U+000A"},
                                          {"j.urdf", "j.urdf:2:8: error: ", "U+000A"},
                                          {"r.yaml", "r.yaml:4:10: error: ", "U+000A"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run_program(outcome, "run %s --quiet --plot out.svg", rows[i][0]);
        cr_expect_eq(outcome->code, 3, "%s: %d", rows[i][0], outcome->code);
        const char* found = strstr(outcome->err, rows[i][1]);
        cr_expect(found && strstr(found, rows[i][2]), "%s: %s", rows[i][0], outcome->err);
    }
    char files[400] = "";
    cr_expect_str_eq(list_scratch(files, sizeof files), "j.urdf n.urdf r.yaml t.yaml ");
}

static bool is_well_formed(const char* text) {
    Arena* arena = kept_arena();
    Document document = {
        .arena = arena, .diagnostics = poise_diagnostics_create(NULL), .file = "out.svg"};
    bool fine = poise__xml_read(&document, text, strlen(text)) != NULL &&
                poise_diagnostics_size(document.diagnostics) == 0;
    poise_diagnostics_destroy(document.diagnostics);
    return fine;
}

PROGRAM_TEST(plot, letters_of_a_script_stay_letters) {
    static const char scene[] =
        "poise: 1\ntitle: \"$(touch p) `touch p` \\\"q\\\" 'q' <b>&]]> \\u00e5\"\n"
        "seconds: 0.1\nrobots: {r: {urdf: s.urdf, base: fixed}}\n"
        "control_points: {p: {body: 'r/b', position: [0, 0.1, 1]}}\n"
        "record: ['r/j<\"$(touch p)''</svg>.angle']\n";
    static const char robot[] =
        "<robot name=\"r\">" LINK_B
        "<joint name=\"j&lt;&quot;$(touch p)'&lt;/svg>\" type=\"continuous\"><parent link=\"a\"/>"
        "<child link=\"b\"/></joint></robot>\n";
    write_scratch("s.yaml", scene);
    write_scratch("s.urdf", robot);
    // no other program is started: PATH has none
    run_shell(outcome, "PATH=/nowhere \"$POISE\" run s.yaml --quiet --plot out.svg");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    char* svg = read_scratch("out.svg");
    static const char* const shown[] = {
        "$(touch p) `touch p` &quot;q&quot; &#39;q&#39; &lt;b&gt;&amp;]]&gt; \xc3\xa5</title>",
        ">p.error</text>", ">r/j&lt;&quot;$(touch p)&#39;&lt;/svg&gt;.angle</text>"};
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        cr_expect(strstr(svg, shown[i]) != NULL, "%s in %s", shown[i], svg);
    }
    cr_expect(is_well_formed(svg), "%s", svg);
    char files[400] = "";
    cr_expect_str_eq(list_scratch(files, sizeof files), "out.svg s.urdf s.yaml ");
}

Test(plot, text_is_drawn_whole_or_cut_between_letters) {
    static const struct {
        const char* text;
        int most;
        const char* written;
    } rows[] = {
        {"a<b>&\"'", 20, "a<b>&\"'"},
        {"", 20, ""},
        {"abc", 3, "abc"},
        {"abcd", 3, "abc..."},
        {"\xc3\xa5\xe2\x82\xac\xf0\x9f\xa6\xbe", 3, "\xc3\xa5\xe2\x82\xac\xf0\x9f\xa6\xbe"},
        {"\xc3\xa5\xc3\xa5", 1, "\xc3\xa5..."},
        // control characters; then invalid UTF-8: no first byte, a cut letter, an overlong form, a
        // surrogate, a noncharacter, a code point out of range
        {"a\x1b[2J\n\x7f", 20, "a\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc2\x9b", 20, "\xef\xbf\xbd"},
        {"\xff", 20, "\xef\xbf\xbd"},
        {"\xc3", 20, "\xef\xbf\xbd"},
        {"\xe2\x82", 20, "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc0\xbc", 20, "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", 20, "\xef\xbf\xbd"},
        {"\xef\xbf\xbf", 20, "\xef\xbf\xbd"},
        {"\xf4\x90\x80\x80", 20, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char written[CANVAS_TEXT] = "";
        canvas_clean(written, rows[i].text, rows[i].most);
        cr_expect_str_eq(written, rows[i].written, "row %zu: %s", i, written);
    }
}

// ------------------------------------------------------------------------------------- the curves

enum { POINTS = 50 };

static char* draw(const Chart* chart) {
    char* text = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    Canvas* canvas = chart_begin(out, CANVAS_SVG, "title", chart_height(chart));
    chart_draw(canvas, chart, 0.0);
    cr_expect(canvas->end(canvas));
    fclose(out);
    cr_expect(is_well_formed(text), "%s", text);
    return text;
}

// The numbers along an axis, given by two of its ticks.
typedef struct Ruler {
    double place[2];
    double value[2];
    int ticks;
} Ruler;

// Reads the first and the last tick of the axis, 'x' or 'y'.
static Ruler read_ruler(const char* svg, char axis) {
    Ruler ruler = {{0.0, 0.0}, {0.0, 0.0}, 0};
    for (const char* at = strstr(svg, "class=\"grid\""); at;
         at = strstr(at + 1, "class=\"grid\"")) {
        double x = 0.0, y = 0.0, to_x = 0.0, to_y = 0.0;
        cr_assert_eq(sscanf(at, "class=\"grid\" d=\"M%lf %lfL%lf %lf", &x, &y, &to_x, &to_y), 4);
        // lines across the axis
        if (axis == 'x' ? x == to_x : y == to_y) {
            const char* label = strchr(strstr(at, "text-anchor"), '>') + 1;
            int place = ruler.ticks++ > 0 ? 1 : 0;
            ruler.place[place] = axis == 'x' ? x : y;
            ruler.value[place] = strtod(label, NULL);
        }
    }
    cr_assert_geq(ruler.ticks, 2, "%s", svg);
    return ruler;
}

static double value_at(const Ruler* ruler, double place, bool logarithmic) {
    double low = logarithmic ? log10(ruler->value[0]) : ruler->value[0];
    double high = logarithmic ? log10(ruler->value[1]) : ruler->value[1];
    double value =
        low + (high - low) * (place - ruler->place[0]) / (ruler->place[1] - ruler->place[0]);
    return logarithmic ? pow(10.0, value) : value;
}

// Returns 0.012 units of the picture in the axis's unit (decades if logarithmic). The picture has
// two decimals, so two rounded numbers differ by at most 0.01.
static double resolution(const Ruler* ruler, bool logarithmic) {
    double low = logarithmic ? log10(ruler->value[0]) : ruler->value[0];
    double high = logarithmic ? log10(ruler->value[1]) : ruler->value[1];
    return 0.012 * fabs((high - low) / (ruler->place[1] - ruler->place[0]));
}

static void expect_curve(const char* svg, const Chart* chart, const char* name) {
    Ruler x = read_ruler(svg, 'x');
    Ruler y = read_ruler(svg, 'y');
    const char* at = strstr(strstr(svg, "class=\"curve\""), " d=\"M") + 4;
    const ChartCurve* curve = &chart->curves[0];
    for (int i = 0; i < chart->point_count; i++) {
        double left = 0.0, top = 0.0;
        int used = 0;
        cr_assert_eq(sscanf(at, "%*1[ML ]%lf %lf%n", &left, &top, &used), 2, "%s: %.40s", name, at);
        at += used;
        if (i == 0) {
            // the first point is also drawn to, so that it is a dot if it is alone
            double again = 0.0;
            cr_assert_eq(sscanf(at, "L%lf %*f%n", &again, &used), 1, "%s: %.40s", name, at);
            cr_assert_eq(again, left);
            at += used;
        }
        double across = curve->x[i * chart->stride];
        double up = curve->y[i * chart->stride];
        cr_expect_float_eq(value_at(&x, left, false), across, resolution(&x, false), "%s: x %d",
                           name, i);
        double read = value_at(&y, top, chart->logarithmic);
        double off = chart->logarithmic ? log10(read / fmax(up, chart->least)) : read - up;
        cr_expect_leq(fabs(off), resolution(&y, chart->logarithmic), "%s: y %d: %g, not %g", name,
                      i, read, up);
    }
}

Test(plot, curves_lie_where_the_ticks_say) {
    static const struct {
        const char name[24];
        double scale;
        double offset;
        bool logarithmic;
        bool equal;
    } rows[] = {
        {"metres", 1.0, 0.0, false, false},
        {"small", 1e-7, 0.0, false, false},
        {"large", 3e8, 0.0, false, false},
        {"far from 0", 1.0, 1000.0, false, false},
        {"decades", 1.0, 1.0, true, false},
        {"one decade", 0.1, 1.0, true, false},
        {"errors of nothing", 1e-20, 0.0, true, false},
        {"paths", 1.0, 0.3, false, true},
        {"a thin path", 1e-3, 0.0, false, true},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double data[2 * POINTS];
        for (int i = 0; i < POINTS; i++) {
            double phase = 0.13 * i;
            data[2 * i] = 0.1 * i;
            data[2 * i + 1] = rows[r].logarithmic
                                  ? rows[r].scale * pow(10.0, -6.0 * rows[r].offset * sin(phase))
                                  : rows[r].offset + rows[r].scale * sin(phase);
        }
        ChartCurve curve = {.x = data, .y = data + 1, .label = "c", .remark = ""};
        Chart chart = {.x_label = "x",
                       .y_label = "y",
                       .logarithmic = rows[r].logarithmic,
                       .least = 1e-12,
                       .equal = rows[r].equal,
                       .curves = &curve,
                       .curve_count = 1,
                       .point_count = POINTS,
                       .stride = 2};
        char* svg = draw(&chart);
        expect_curve(svg, &chart, rows[r].name);
        if (rows[r].equal) {
            Ruler x = read_ruler(svg, 'x');
            Ruler y = read_ruler(svg, 'y');
            double off = resolution(&x, false) / resolution(&y, false);
            cr_expect_float_eq(off, 1.0, 1e-3, "%s: %g", rows[r].name, off);
        }
        free(svg);
    }
}

// Curves that blow up, have no value or stay constant give a picture without NaN.
Test(plot, any_numbers_give_a_picture) {
    const double nan = (double)NAN;
    const double infinite = (double)INFINITY;
    const double rows[][6] = {
        {0, 0, 0, 0, 0, 0},           {nan, nan, nan, nan, nan, nan},
        {1, nan, 2, nan, nan, 3},     {1e308, -1e308, infinite, -infinite, 0, 1},
        {1e99, -1e99, 1e99, 0, 1, 2}, {-5, -5, -5, -5, -5, -5},
        {1e-300, 0, 1e-310, 0, 0, 0}, {1e9, 1e9 + 1e-6, 1e9, 1e9, 1e9, 1e9},
    };
    const double times[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (int kind = 0; kind < 3; kind++) {
            ChartCurve curve = {.x = times, .y = rows[r], .label = "c", .remark = "", .colour = 30};
            Chart chart = {.x_label = "",
                           .y_label = "",
                           .logarithmic = kind == 1,
                           .least = 1e-12,
                           .equal = kind == 2,
                           .curves = &curve,
                           .curve_count = 1,
                           .point_count = 6,
                           .stride = 1};
            char* svg = draw(&chart);
            cr_expect(!strstr(svg, "nan") && !strstr(svg, "inf"), "row %zu, %d: %s", r, kind, svg);
            cr_expect_lt(strlen(svg), 20000, "row %zu, %d", r, kind);
            free(svg);
        }
    }
}

// The curve has a piece before the gap and a piece after.
Test(plot, a_curve_breaks_where_there_is_no_value) {
    const double times[5] = {0.0, 1.0, 2.0, 3.0, 4.0};
    const double values[5] = {1.0, 2.0, (double)NAN, 4.0, 5.0};
    ChartCurve curve = {.x = times, .y = values, .label = "c", .remark = ""};
    Chart chart = {.x_label = "",
                   .y_label = "",
                   .curves = &curve,
                   .curve_count = 1,
                   .point_count = 5,
                   .stride = 1};
    char* svg = draw(&chart);
    const char* path = strstr(strstr(svg, "class=\"curve\""), " d=\"");
    int pieces = 0;
    for (const char* at = path; *at != '/'; at++) {
        pieces += *at == 'M' ? 1 : 0;
    }
    cr_expect_eq(pieces, 2, "%.200s", path);
    free(svg);
}

// A run with more steps than a picture shows is thinned out. The picture shows its end.
ARMS_TEST(plot, a_long_run_is_drawn_to_its_end) {
    run_program(outcome, "run arm.yaml --seconds 90 --quiet --json --plot long.svg");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    char* picture = read_scratch("long.svg");
    cr_expect_not_null(strstr(picture, ">80<"), "no tick at 80 s");
    cr_expect(strlen(picture) > 10000);
}

ARMS_TEST(plot, the_ending_of_its_name_says_its_format) {
    static const struct {
        const char* name;
        const char* begin;
    } rows[] = {{"a.svg", "<?xml"}, {"a.png", "\x89PNG\r\n"}, {"a.pdf", "%PDF-"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char command[100];
        snprintf(command, sizeof command, "run arm.yaml --quiet --seconds 0.1 --plot %s",
                 rows[i].name);
        run_program(outcome, "%s", command);
        if (canvas_format(rows[i].name) == CANVAS_NONE) {
            cr_expect_eq(outcome->code, 2, "without cairo: %s", outcome->err);
            continue;
        }
        cr_expect_eq(outcome->code, 0, "%s", outcome->err);
        char* text = read_scratch(rows[i].name);
        cr_expect_eq(strncmp(text, rows[i].begin, strlen(rows[i].begin)), 0, "%s: %.8s",
                     rows[i].name, text);
    }
    static const char* const others[] = {"a.gif", "a", "arm.yaml", "svg", "a.svg.txt"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        run_program(outcome, "run arm.yaml --seconds 0.1 --plot %s", others[i]);
        cr_expect_eq(outcome->code, 2, "%s: %s", others[i], outcome->err);
        EXPECT_HAS(outcome->err, "a name that ends in .svg, .png or .pdf is due, not '");
    }
}
