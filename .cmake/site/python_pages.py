# SPDX-License-Identifier: MIT
"""The reference of the Python package as a page of Markdown, read from its source: nothing is imported."""
import ast
import re

SUBJECTS = [("Robots and chains", ["robot", "chain", "answers"]), ("Tasks without physics", ["ik", "tasks"]),
            ("Scenes with physics", ["scene", "design", "fitting"]), ("Studies", ["sweep", "study"]),
            ("Errors and version", ["_library"])]

# functions of modules that users import, beside those of the package
MORE = {("study", "load"), ("study", "save")}


def prose(text):
    """Returns a docstring as Markdown: indented lines are code."""
    out = []
    for line in (text or "").split("\n"):
        if not line.startswith("    "):
            parts = line.split("`")
            parts[::2] = [re.sub(r"([*_<|])", r"\\\1", part) for part in parts[::2]]
            line = "`".join(parts)
        out.append(line)
    return "\n".join(out)


def signature(function):
    """Returns the arguments and the result of a function as its source has them."""
    arguments = ast.unparse(function.args)
    arguments = re.sub(r"^self(, )?", "", arguments)
    result = ast.unparse(function.returns) if function.returns else "None"
    return f"({arguments}) -> {result}".replace("npt.", "")


def has(function, name):
    return any(ast.unparse(one).split(".")[-1] == name for one in function.decorator_list)


def comments(lines, member):
    """Returns the #: comment above a member of a class."""
    out = []
    for line in reversed(lines[:member.lineno - 1]):
        found = re.match(r"\s*#: ?(.*)", line)
        if not found:
            break
        out.insert(0, found[1])
    return " ".join(out)


def class_parts(lines, body):
    """Returns the rows of a class's attributes, and the text of its methods."""
    rows, methods, shared = [], [], ""
    for member in body:
        name = getattr(member, "name", None) or ast.unparse(getattr(member, "target", ast.Name("_")))
        if name.startswith("_") and name not in ("__getitem__", "__setitem__"):
            continue
        if isinstance(member, ast.AnnAssign):
            # one comment serves the members below it, as far as the next comment
            shared = comments(lines, member) or shared
            kind = ast.unparse(member.annotation).replace("npt.", "").replace("|", "\\|")
            rows.append(f"| `{name}` | `{kind}` | {prose(shared)} |")
        elif isinstance(member, ast.FunctionDef) and has(member, "property"):
            kind = ast.unparse(member.returns).replace("npt.", "").replace("|", "\\|") if member.returns else ""
            says = " ".join(prose(ast.get_docstring(member)).split())
            rows.append(f"| `{name}` | `{kind}` | {says} |")
        elif isinstance(member, ast.FunctionDef) and not has(member, "overload") and not has(member, "setter"):
            says = prose(ast.get_docstring(member))
            methods.append(f"#### `{name}`\n\n```python\n{name}{signature(member)}\n```\n\n{says}\n")
    return rows, methods


def class_page(lines, node):
    out = [f"### {node.name}\n"]
    constructor = [one for one in node.body if getattr(one, "name", "") == "__init__"]
    if constructor:
        text = signature(constructor[0]).removesuffix(" -> None")
        out.append(f"```python\npoise.{node.name}{text}\n```\n")
    if node.bases:
        out.append("Base: " + ", ".join(f"`{ast.unparse(base)}`" for base in node.bases) + "\n")
    out.append(prose(ast.get_docstring(node)) + "\n")
    rows, methods = class_parts(lines, node.body)
    if rows:
        out.append("| member | type | what |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(out + methods)


def reference(folder):
    """Returns the page of the package in `folder`. Ends the program if a public name is not found."""
    front = ast.parse((folder / "__init__.py").read_text())
    names = next(ast.literal_eval(node.value) for node in front.body
                 if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    out = ["# Python reference\n", prose(ast.get_docstring(front)), ""]
    missing = set(names)
    for title, modules in SUBJECTS:
        out.append(f"## {title}\n")
        for module in modules:
            text = (folder / f"{module}.py").read_text()
            lines = text.split("\n")
            for node in ast.parse(text).body:
                name = getattr(node, "name", None)
                public = name in names
                if isinstance(node, ast.ClassDef) and public:
                    out.append(class_page(lines, node))
                elif isinstance(node, ast.FunctionDef) and (public or (module, name) in MORE):
                    path = "poise." if public else f"poise.{module}."
                    out.append(f"### {name}\n\n```python\n{path}{name}{signature(node)}\n```\n\n"
                               f"{prose(ast.get_docstring(node))}\n")
                elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names:
                    name = ast.unparse(node.targets[0])
                    says = prose(comments(lines, node))
                    out.append(f"### {name}\n\n```python\npoise.{ast.unparse(node)}\n```\n\n{says}\n")
                missing.discard(name)
    if missing:
        raise SystemExit(f"the reference of Python lacks {', '.join(sorted(missing))}")
    return "\n".join(out)
