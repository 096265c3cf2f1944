# SPDX-License-Identifier: MIT
# Writes the tables of calls.h from the public headers and stage.h: every function with the types
# and names of its parameters and a call by pointers to them; every number, handle, pointer and
# enumerator of every struct, inner ones too, with its offset; every member of the stage.
#     awk -f calls.awk HEADER... stage.h > calls.c

# stripped(text): removes comments and reduces each gap to one blank
function stripped(text) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

# split_declaration(text): sets type and name; an array is a pointer (of a parameter), or its first
function split_declaration(text) {
    is_array = match(text, /(\[[^\]]*\])+$/)
    bounds = ""
    if (is_array) {
        bounds = substr(text, RSTART)
        text = substr(text, 1, RSTART - 1)
    }
    match(text, /[A-Za-z_0-9]+$/)
    name = substr(text, RSTART)
    type = stripped(substr(text, 1, RSTART - 1))
}

FNR == 1 {
    header = FILENAME
    sub(/.*\/poise\//, "poise/", header)
    sub(/.*\/stage.h/, "stage.h", header)
    print "#include \"" header "\""
    sub(/poise\//, "", header)
    inside = 0
    extern_c = 0
}
{ sub(/\/\/.*/, "") }
/^typedef struct [A-Za-z0-9]+ \{/ || /^struct [A-Za-z0-9]+ \{/ { inside = 1; body = ""; structure = $0; sub(/ \{.*/, "", structure); sub(/.* /, "", structure); next }
inside && /^\}/ {
    inside = 0
    members[structure] = body
    if (structure !~ /^Stage/) { structures[++structure_count] = structure }
    next
}
inside { body = body " " $0; next }
/^typedef enum / { enums[$3] = 1 }
/^(POISE_API|POISE_NODISCARD)/ { declaration = ""; open = 1 }
open {
    declaration = declaration " " $0
    if ($0 !~ /;/) { next }
    open = 0
    gsub(/POISE_API|POISE_NODISCARD/, "", declaration)
    declaration = stripped(declaration)
    declarations[++count] = declaration
    from[count] = header
}

# leaves(structure, path, root): writes a row for each scalar member of a struct
function leaves(inner, path, root, parts, many, i, t, n, last) {
    many = split(members[inner], parts, ";")
    for (i = 1; i <= many; i++) {
        if (parts[i] !~ /[a-z]/ || parts[i] ~ /\(/) { continue }
        split_declaration(stripped(parts[i]))
        t = type
        n = path name
        last = bounds
        if (last != "") {
            // the first and the last of an array
            gsub(/\[/, "[(", last)
            gsub(/\]/, ") - 1]", last)
            gsub(/\[[^\]]*\]/, "[0]", bounds)
            member(t, n bounds, root)
            n = n last
        }
        member(t, n, root)
    }
}

function member(t, n, root) {
    # a host is copied as a whole too
    if (!(t in members) || t ~ /Id$|^PoiseHost$/) {
        printf "    {\"%s\", sizeof(%s), \"%s\", \"%s\", offsetof(%s, %s)},\n", root, root, n,
            t in enums ? "enum" : t, root, n
    }
    if (t in members && t !~ /Id$/) {
        leaves(t, n ".", root)
    }
}

# returns the kind of a function's result
function ending(type) {
    if (type == "PoiseStatus") { return "CALL_GIVES_STATUS" }
    if (type == "const char*") { return "CALL_GIVES_TEXT" }
    if (type ~ /\*$/ || type ~ /ID$/) { return "CALL_GIVES_POINTER" }
    if (type == "PoiseNodeId" || type == "PoisePointId") { return "CALL_GIVES_HANDLE" }
    return "CALL_GIVES_VALUE"
}

# writes a row for each member of a struct of the stage
function things(structure, path, parts, many, i) {
    many = split(members[structure], parts, ";")
    for (i = 1; i <= many; i++) {
        if (parts[i] !~ /[a-z]/) { continue }
        split_declaration(stripped(parts[i]))
        printf "    {\"%s\", \"%s\", offsetof(Stage, %s), sizeof(((Stage*)0)->%s%s)},\n", name, type,
            path name, path name, is_array ? "[0]" : ""
    }
}

function write_call(i, text, gives, function_name, many, parts, k, given, rows) {
    text = declarations[i]
    match(text, /poise_[a-z0-9_]+\(/)
    function_name = substr(text, RSTART, RLENGTH - 1)
    gives = stripped(substr(text, 1, RSTART - 1))
    text = substr(text, RSTART + RLENGTH)
    sub(/\) ?;.*/, "", text)
    if (text == "void") { return }
    many = split(text, parts, ",")
    given = ""
    rows = ""
    for (k = 1; k <= many; k++) {
        split_declaration(stripped(parts[k]))
        if (is_array) { type = type "*" }
        given = given (k > 1 ? ", " : "") "ARGUMENT(" type ", " (k - 1) ")"
        rows = rows sprintf("{\"%s\", \"%s\"}, ", type in enums ? "enum" : type, name)
    }
    printf "static void call_%s(const void* const* a, CallResult* result) {\n", function_name
    if (ending(gives) == "CALL_GIVES_STATUS") {
        printf "    result->status = %s(%s);\n}\n", function_name, given
    } else if (ending(gives) ~ /POINTER|TEXT/) {
        printf "    result->pointer = (const void*)%s(%s);\n}\n", function_name, given
    } else if (ending(gives) == "CALL_GIVES_HANDLE") {
        printf "    const %s value = %s(%s);\n", gives, function_name, given
        print "    result->index1 = value.index1;\n    KEEP(result, value);\n}"
    } else if (gives == "void") {
        printf "    (void)result;\n    %s(%s);\n}\n", function_name, given
    } else {
        printf "    const %s value = %s(%s);\n    KEEP(result, value);\n}\n", gives, function_name, given
    }
    table = table sprintf("    {\"%s\", \"%s\", %s, \"%s\", %d, {%s}, call_%s},\n", function_name, from[i],
        ending(gives), gives in enums ? "enum" : gives, many, rows, function_name)
}

END {
    print "#include <string.h>\n\n#include \"calls.h\"\n\n#define ARGUMENT(type, i) (*(type const*)a[i])"
    print "#define KEEP(result, value) \\"
    print "    memcpy((result)->bytes, &(value), (result)->size = sizeof(value))"
    if ("PoiseRigSettings" in members) print "_Static_assert(sizeof(PoiseRigSettings) <= CALL_LARGEST_RESULT, \"too small\");\n"
    for (i = 1; i <= count; i++) { write_call(i) }
    print "const Call calls[] = {\n" table "};\nconst int call_count = (int)(sizeof calls / sizeof *calls);\n"
    print "const Leaf leaves[] = {"
    for (s = 1; s <= structure_count; s++) { leaves(structures[s], "", structures[s]) }
    print "};\nconst int leaf_count = (int)(sizeof leaves / sizeof *leaves);"
    if (!("Stage" in members)) exit
    print "const Thing things[] = {"
    things("Stage", "")
    things("StageWrong", "wrong.")
    print "};\nconst int thing_count = (int)(sizeof things / sizeof *things);"
}
