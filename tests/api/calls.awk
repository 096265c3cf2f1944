# SPDX-License-Identifier: MIT
# Writes the table of calls (calls.h) from the public headers: every function with the types and
# names of its parameters and a call by pointers to them, and every number, handle, pointer and
# enumerator of every struct, inner ones too, with its offset.
#     awk -f calls.awk HEADER... > calls.c

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
    sub(/.*\/poise\//, "", header)
    print "#include \"poise/" header "\""
    inside = 0
    extern_c = 0
}
{ sub(/\/\/.*/, "") }
/^typedef struct [A-Za-z]+ \{/ || /^struct [A-Za-z]+ \{/ { inside = 1; body = ""; structure = $0; sub(/ \{.*/, "", structure); sub(/.* /, "", structure); next }
inside && /^\}/ { inside = 0; members[structure] = body; structures[++structure_count] = structure; next }
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
    if (t in members) {
        leaves(t, n ".", root)
    } else {
        printf "    {\"%s\", sizeof(%s), \"%s\", \"%s\", offsetof(%s, %s)},\n", root, root, n,
            t in enums ? "enum" : t, root, n
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
        printf "    result->index1 = %s(%s).index1;\n}\n", function_name, given
    } else if (gives == "void") {
        printf "    (void)result;\n    %s(%s);\n}\n", function_name, given
    } else {
        printf "    (void)result;\n    (void)%s(%s);\n}\n", function_name, given
    }
    table = table sprintf("    {\"%s\", \"%s\", %s, %d, {%s}, call_%s},\n", function_name, from[i],
        ending(gives), many, rows, function_name)
}

END {
    print "#include \"calls.h\"\n\n#define ARGUMENT(type, i) (*(type const*)a[i])\n"
    for (i = 1; i <= count; i++) { write_call(i) }
    print "const Call calls[] = {\n" table "};\nconst int call_count = (int)(sizeof calls / sizeof *calls);\n"
    print "const Leaf leaves[] = {"
    for (s = 1; s <= structure_count; s++) { leaves(structures[s], "", structures[s]) }
    print "};\nconst int leaf_count = (int)(sizeof leaves / sizeof *leaves);"
}
