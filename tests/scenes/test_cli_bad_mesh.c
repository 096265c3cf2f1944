// SPDX-License-Identifier: MIT
// Robots with broken meshes. The robot runs, a warning at the mesh names the fault, and the link
// gets a box instead.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "program.h"
#include "sample.h"

static const char robot[] =
    "<robot name=\"r\">\n"
    "  <link name=\"base\"/>\n"
    "  <link name=\"arm\">\n"
    "    <inertial><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" "
    "iyz=\"0\" "
    "izz=\"0.01\"/></inertial>\n"
    "    <collision><geometry>\n"
    "      <mesh filename=\"%s\"%s/>\n"
    "    </geometry></collision>\n"
    "  </link>\n"
    "  <joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>"
    "<axis xyz=\"0 1 0\"/></joint>\n"
    "</robot>\n";

static const char model[] =
    "<mujoco>\n"
    "  <asset>\n"
    "    <mesh name=\"m\" file=\"%s\"/>\n"
    "  </asset>\n"
    "  <worldbody><body><joint axis=\"0 1 0\"/><geom type=\"mesh\" mesh=\"m\"/>"
    "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/></body></worldbody>\n"
    "</mujoco>\n";

#define TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
#define DAE(mesh)                                                                                  \
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "      \
    "version=\"1.4.1\">" mesh

typedef struct BadMesh {
    const char* name;
    const char* file;
    const char* bytes; ///< NULL: the file does not exist
    size_t size;       ///< 0: up to the closing 0
    const char* more;  ///< further attributes of the element
    const char* says;
} BadMesh;

#define LFS                                                                                        \
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\n"    \
    "size 12345\n"
#define BROKEN "cannot be read: its format is broken, or none of STL, OBJ, DAE, glTF and PLY"

static const BadMesh meshes[] = {
    {"no file", "nothing.stl", NULL, 0, "", "is not found: put its package's folder beside"},
    {"no package", "package://nobody/nothing.stl", NULL, 0, "", "is not found"},
    {"no name", "", NULL, 0, "", "the mesh '' is not found"},
    {"the folder above", "..", NULL, 0, "", "is not found"},
    {"a folder", "shelf", NULL, 0, "", "is not found"},
    {"nothing in it", "a.stl", "", 0, "", BROKEN},
    {"one byte", "a.stl", "s", 0, "", BROKEN},
    {"STL cut in its head", "a.stl", "binary\0\0\0\0", 10, "", "cannot be read"},
    {"STL of text cut in a facet", "a.stl",
     "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 0 0", 0, "", "cannot be read"},
    {"STL that is a page of the web", "a.stl", "<!DOCTYPE html><html><body>404</body></html>", 0,
     "", BROKEN},
    {"STL that Git keeps elsewhere", "a.stl", LFS, 0, "", "'git lfs pull' fetches it"},
    {"DAE that Git keeps elsewhere", "a.dae", LFS, 0, "", "'git lfs pull' fetches it"},
    {"OBJ of points alone", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", 0, "",
     "cannot be read"},
    {"OBJ with a corner that is not there", "a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n", 0, "",
     "cannot be read"},
    {"OBJ with a place that is no number", "a.obj",
     "v nan 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" TETRAHEDRON, 0, "",
     "has a point that is no number, or farther out than 1e5 m"},
    {"OBJ far out", "a.obj", "v 1e9 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" TETRAHEDRON, 0, "",
     "has a point that is no number, or farther out than 1e5 m"},
    {"OBJ that is flat", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n", 0, "",
     "has no volume"},
    {"OBJ of one point thrice", "a.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", 0, "",
     "has no volume"},
    {"OBJ scaled to nothing", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" TETRAHEDRON, 0,
     " scale=\"0 0 0\"", "has no volume"},
    {"DAE cut", "a.dae", DAE("<library_geometries><geometry id=\"g\"><mesh>"), 0, "", BROKEN},
    {"DAE with no shape", "a.dae", DAE("</COLLADA>"), 0, "", BROKEN},
    {"DAE that is no XML", "a.dae", "COLLADA", 0, "", BROKEN},
    {"glTF that is no JSON", "a.gltf", "{\"asset\":", 0, "", BROKEN},
    {"glTF whose bytes are not there", "a.gltf",
     "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"no.bin\",\"byteLength\":36}]}", 0,
     "", BROKEN},
    {"glTF with a length of its own", "a.glb", "glTF\2\0\0\0\xff\xff\xff\x7f", 12, "",
     "cannot be read"},
    {"PLY cut in its head", "a.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", 0, "",
     "cannot be read"},
    {"PLY with fewer points than it says", "a.ply",
     "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
     "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n",
     0, "", "cannot be read"},
    {"a format of another trade", "a.step", "ISO-10303-21;\nHEADER;\n", 0, "", BROKEN},
    // libassimp has readers for these formats, but Poise does not promise them
    {"OFF", "a.off", "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
     0, "", BROKEN},
    {"OFF that is called STL", "a.stl",
     "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", 0, "", BROKEN},
    {"DirectX", "a.x", "xof 0303txt 0032\nMesh m { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }\n", 0,
     "", BROKEN},
    {"a quake model", "a.mdl", "IDPO\6\0\0\0", 8, "", BROKEN},
    {"noise", "a.fbx", "Kaydara FBX Binary  \0\x1a\0\xff\xff\xff\xff\xff\xff", 29, "",
     "cannot be read"},
};

// All commands read each READ_BY_ALL-th mesh; with POISE_WHOLE every mesh.
enum { READ_BY_ALL = 8 };

// Expects a warning at `place`, the line:column of the element. The commands check, info and run
// read a mesh by one function: check is run for each mesh, info and run for some of them.
static void expect_warned(Outcome* outcome, const char* file, const char* place,
                          const BadMesh* mesh) {
    static const char* const commands[] = {"check", "info", "run"};
    const bool by_all = (mesh - meshes) % sample_of(READ_BY_ALL, 1) == 0;
    for (int i = 0; i < (by_all ? 3 : 1); i++) {
        RUN_PROGRAM(outcome, commands[i], file);
        cr_expect_eq(outcome->code, 0, "%s: %s of %s ends with %d, signal %d: %s", mesh->name,
                     commands[i], file, outcome->code, outcome->signal, outcome->err);
        const char* text = i == 0 ? outcome->out : outcome->err;
        char begin[80];
        snprintf(begin, sizeof begin, "%s:%s: warning: ", file, place);
        cr_expect_not_null(strstr(text, begin), "%s: no '%s' by %s in: %s", mesh->name, begin,
                           commands[i], text);
        cr_expect_not_null(strstr(text, mesh->says), "%s: no '%s' by %s in: %s", mesh->name,
                           mesh->says, commands[i], text);
    }
}

Test(cli_bad_mesh, a_robot_runs_without_a_bad_mesh_and_says_why) {
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        const BadMesh* mesh = &meshes[i];
        Outcome* outcome = outcome_create();
        char text[2000];
        cr_assert_eq(mkdir("shelf", 0700), 0);
        if (mesh->bytes) {
            write_scratch_bytes(mesh->file, mesh->bytes,
                                mesh->size ? mesh->size : strlen(mesh->bytes));
        }
        snprintf(text, sizeof text, robot, mesh->file, mesh->more);
        write_scratch("r.urdf", text);
        expect_warned(outcome, "r.urdf", "6:7", mesh);
        // a model names a mesh by the same function
        if (i % (size_t)sample_of(4, 1) == 0 && !mesh->more[0] && mesh->file[0] &&
            !strstr(mesh->file, "package:")) {
            snprintf(text, sizeof text, model, mesh->file);
            write_scratch("r.xml", text);
            expect_warned(outcome, "r.xml", "3:5", mesh);
        }
        outcome_destroy(outcome);
    }
}

// Two thousand million points of 12 bytes are either more than the file holds, or more than the
// memory holds.
PROGRAM_TEST(cli_bad_mesh, lack_of_memory_and_a_wrong_size_have_different_messages) {
#ifdef __SANITIZE_ADDRESS__
    cr_skip("a sanitizer takes address space of its own");
#endif
    static const char ply[] =
        "ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n";
    static const struct {
        long memory;
        int code;
        const char* says;
    } rows[] = {
        {0, 0, "r.urdf:6:7: warning: the mesh 'a.ply' cannot be read: what it says of its size is"},
        {400L << 20, 3, "r.urdf: error: memory is short"}};
    char text[2000];
    snprintf(text, sizeof text, robot, "a.ply", "");
    write_scratch("r.urdf", text);
    write_scratch_bytes("a.ply", ply, sizeof ply - 1);
    for (int i = 0; i < 2; i++) {
        const char* const arguments[] = {"check", "r.urdf", NULL};
        const ProgramCall call = {.arguments = arguments, .memory = rows[i].memory};
        call_program(outcome, &call);
        cr_expect_eq(outcome->code, rows[i].code, "%d: %s", outcome->code, outcome->out);
        cr_expect_not_null(strstr(outcome->out, rows[i].says), "%s", outcome->out);
        cr_expect_eq(strstr(outcome->out, "memory") != NULL, i == 1, "%s", outcome->out);
    }
}
