// SPDX-License-Identifier: MIT
// A file as a tree of scalars, maps and lists, each with its place. YAML and XML are both read into
// this form. An XML element is a map with its attributes as scalars; text between elements is
// omitted.
#ifndef POISE_DOCUMENT_H
#define POISE_DOCUMENT_H

#include "arena.h"
#include "diagnostics.h"

typedef enum ElementKind { ELEMENT_SCALAR, ELEMENT_MAP, ELEMENT_LIST } ElementKind;

typedef struct Element Element;

struct Element {
    ElementKind kind;
    const char* key; ///< key in the parent map; NULL in a list and at the root
    PoiseMark key_mark;
    const char* text; ///< text of a scalar, "" if empty
    bool quoted;
    PoiseMark mark;
    PoiseMark end;
    Element** children;
    int child_count;
    int child_capacity;
    /// Number of elements of the subtree after every alias is replaced by its content.
    size_t weight;
};

/// Cost of reading the meshes of a scene until now.
typedef struct MeshCost {
    int triangles;
    size_t bytes;   ///< size of the files, bytes
    double seconds; ///< processor time, s
    /// True once a warning said that the system could not isolate the process that reads meshes.
    bool unguarded;
} MeshCost;

typedef struct Document {
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    const char* file;
    /// Folder (poise__input_folder) outside of which this file may not name files; NULL: no limit.
    const char* fence;
    /// Folders in which packages of meshes are searched, separated by colons; NULL: none.
    const char* packages;
    /// True if meshes of a robot collide as their convex hulls, else as fitted primitives.
    bool hulls;
    /// Folder of the cache of meshes (mesh.h); NULL: none.
    const char* mesh_cache;
    /// Cost of reading the meshes of all robots of the scene; NULL: meshes are not read.
    MeshCost* mesh_cost;
} Document;

/// Reads the whole file and adds a final 0. Returns NULL with an error at `mark` on failure. A mark
/// with line 0 means that the user named the file; a file named by another file must be a regular
/// file.
char* poise__file_read(Arena* arena, const char* path, size_t* size, PoiseMark mark,
                       PoiseDiagnostics* diagnostics);

/// Reads a text into a tree; NULL with findings if the text is not well-formed. `file` of the
/// document is the name in marks and must live as long as the arena.
Element* poise__yaml_read(Document* document, const char* text, size_t size);
Element* poise__xml_read(Document* document, const char* text, size_t size);

Element* poise__element_create(Document* document, ElementKind kind, PoiseMark mark);
/// Adds a child; false if memory is short.
bool poise__element_add(Document* document, Element* parent, Element* child);

/// Sets a scalar's text to a copy. A byte 0 or a control character is an error at the scalar's mark
/// and becomes '?', so that a file cannot control the terminal that shows it. False if memory is
/// short.
bool poise__element_set_text(Document* document, Element* element, const char* text, size_t size);

/// Returns the first child with the key, or NULL.
Element* poise__element_find(const Element* parent, const char* key);

/// True for an element without content: an empty plain scalar or null.
bool poise__element_is_empty(const Element* element);

/// Returns a description for messages: "a list", "a map", "'text'".
const char* poise__element_describe(const Element* element, char* text, size_t capacity);

#endif
