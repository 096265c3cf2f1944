// SPDX-License-Identifier: MIT
// A file as a tree of scalars, maps and lists, each with its place: what YAML and XML both become.
// An XML element is a map, its attributes are scalars in it; text between elements is left out.
#ifndef POISE_DOCUMENT_H
#define POISE_DOCUMENT_H

#include "arena.h"
#include "diagnostics.h"

typedef enum ElementKind { ELEMENT_SCALAR, ELEMENT_MAP, ELEMENT_LIST } ElementKind;

typedef struct Element Element;

struct Element {
    ElementKind kind;
    const char* key; ///< NULL in a list and at the root
    PoiseMark key_mark;
    const char* text; ///< of a scalar, "" where nothing stands
    bool quoted;
    PoiseMark mark;
    PoiseMark end;
    Element** children;
    int child_count;
    int child_capacity;
    /// How many elements it would be with every alias written out.
    size_t weight;
};

/// What reading the meshes of a scene has taken so far.
typedef struct MeshCost {
    int triangles;
    size_t bytes;   ///< of their files
    double seconds; ///< of processor time
    /// True once a warning says that the system could not shut in the process that reads meshes.
    bool unguarded;
} MeshCost;

typedef struct Document {
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    const char* file;
    /// The folder, poise__input_folder, that files named by this one must lie below; NULL:
    /// anywhere.
    const char* fence;
    /// Folders of packages, with colons between them; NULL: none.
    const char* packages;
    /// A robot's meshes touch as their convex hulls, not as the primitives that fit them.
    bool hulls;
    /// Of all robots of the scene; NULL: no mesh is read.
    MeshCost* mesh_cost;
} Document;

/// The whole file, with a closing 0; NULL with an error at `mark` when it cannot be read. Line 0:
/// the file that a person asked for, else one that another file names there, which must be a
/// regular one.
char* poise__file_read(Arena* arena, const char* path, size_t* size, PoiseMark mark,
                       PoiseDiagnostics* diagnostics);

/// The tree of a text, NULL with findings when it is not well-formed. `file` names it in marks and
/// must live as long as the arena.
Element* poise__yaml_read(Document* document, const char* text, size_t size);
Element* poise__xml_read(Document* document, const char* text, size_t size);

Element* poise__element_create(Document* document, ElementKind kind, PoiseMark mark);
/// False when memory is short.
bool poise__element_add(Document* document, Element* parent, Element* child);

/// Gives a scalar its text, a copy. An error at its mark where a byte of it is 0 or it holds a
/// control character, which is then '?': no text of a file may steer what shows it. False when
/// memory is short.
bool poise__element_set_text(Document* document, Element* element, const char* text, size_t size);

/// The first child with the key, NULL if there is none.
Element* poise__element_find(const Element* parent, const char* key);

/// Nothing was written: an empty plain scalar or one that says null.
bool poise__element_is_empty(const Element* element);

/// "a list", "a map", "'text'": for messages.
const char* poise__element_describe(const Element* element, char* text, size_t capacity);

#endif
