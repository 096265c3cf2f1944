#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_site.py SOURCE BUILD: makes the site in BUILD/site from the pages of SOURCE.

BUILD/reference/html has doxygen's pages of the headers. BUILD/site-docs is filled with the READMEs, the
front pages beside this file, and pages made from the scenes, the notebook and the Python package;
mkdocs turns them into HTML. Links keep their meaning: a link to a file of the source goes to a page
with its text, a link to a header to doxygen's page. If viewer/web/build has made the page, the site
has it; else a line says that it is left out. Nothing is read from a network.
"""
import ast
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import python_pages

HERE = pathlib.Path(__file__).resolve().parent
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".yaml": "yaml", ".sh": "bash", ".json": "json",
             ".urdf": "xml", ".xml": "xml", ".txt": "text", ".script": "text", ".csv": "text"}
BEGIN, END = "<!-- poise format -->", "<!-- end of poise format -->"
REFERENCE = "scenes/reference.md"
LINK = re.compile(r"(!?\[(?:[^][]|\[[^][]*\])*\])\(([^()\s]+)\)")


def slug(title):
    """Returns the anchor of a heading, as GitHub and the site name it."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


class Site:
    """The pages of the site while they are gathered."""

    def __init__(self, source, build):
        self.source, self.build, self.docs = source, build, build / "site-docs"
        self.code = set() # files of the source whose text becomes a page
        self.folders = set() # folders without a README whose list becomes a page
        text = (source / "scenes/README.md").read_text()
        self.generated = text[text.index(BEGIN):text.index(END)]
        self.anchors = {slug(title) for title in re.findall(r"(?m)^#+ (.+)$", self.generated)}

    def write(self, place, text):
        path = self.docs / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def copy(self, file):
        path = self.docs / file
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.source / file, path)

    def place_of(self, file):
        """Returns the page for a file of the source, by their paths."""
        if file == "README.md":
            return "overview.md"
        if file.startswith(".github/"):
            return "project/" + file[len(".github/"):]
        if file == "scenes/python/poise.ipynb":
            return "notebook.md"
        scene = re.fullmatch(r"scenes/(\w+)\.yaml", file)
        if scene:
            return f"gallery/{scene[1]}.md"
        if re.fullmatch(r"\w+/include/poise", file):
            return "c.md"
        header = re.fullmatch(r"\w+/include/poise/(\w+)\.h", file)
        if header:
            return f"c/{header[1].replace('_', '__')}_8h.html"
        path = self.source / file
        if path.is_dir():
            if (path / "README.md").exists():
                return file + "/README.md"
            self.folders.add(file)
            return file + "/files.md"
        if path.suffix in LANGUAGES or not path.suffix:
            self.code.add(file)
            return file + ".md"
        if path.suffix != ".md":
            self.copy(file)
        return file

    def target_of(self, target, file, place):
        """Returns the target of a link in a page of the source, as the site's page `place` has it."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, _, anchor = target.partition("#")
        wanted = os.path.normpath(os.path.join(os.path.dirname(file), path))
        if not (self.source / wanted).exists():
            sys.exit(f"{file}: there is no {target}")
        page = REFERENCE if wanted == "scenes/README.md" and anchor in self.anchors else self.place_of(wanted)
        return os.path.relpath(page, os.path.dirname(place) or ".") + (f"#{anchor}" if anchor else "")

    def rewrite(self, text, file, place):
        """Returns a page with the links of the site, and with empty lines before its lists."""
        out, fenced = [], False
        for line in text.split("\n"):
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced:
                item = re.match(r"[-*] |\d+\. ", line)
                if item and out and out[-1].strip() and not re.match(r"[-*] |\d+\. | ", out[-1]):
                    out.append("")
                line = re.sub(r"^  (?=[-*] )", "    ", line)
                line = LINK.sub(lambda m: f"{m[1]}({self.target_of(m[2], file, place)})", line)
            out.append(line)
        return "\n".join(out)

    def page(self, file):
        """Adds a README or another page of the source."""
        place = self.place_of(file)
        text = (self.source / file).read_text()
        if file == "scenes/README.md":
            # the reference of the keys is a page of its own; links into it go there
            self.scene_reference(file)
            for anchor in self.anchors:
                text = text.replace(f"](#{anchor})", f"](README.md#{anchor})")
            before, after = text.split(self.generated)
            name = os.path.basename(REFERENCE)
            self.write(place, self.rewrite(before, file, place) + f"[All keys]({name}) are a page of their own.\n\n"
                       + self.rewrite(after, file, place))
            return
        self.write(place, self.rewrite(text, file, place))

    def scene_reference(self, file):
        """Adds the reference of all keys, which the README `file` has from the tables that read scenes."""
        body = self.rewrite(self.generated.replace(BEGIN, ""), file, REFERENCE)
        for anchor in set(re.findall(r"\]\(#([^)]+)\)", body)) - self.anchors:
            body = body.replace(f"](#{anchor})", f"](README.md#{anchor})")
        self.write(REFERENCE, "# Scenes: all keys\n\nMade from the tables that read scenes. The same as a [JSON Schema]"
                   "(scene.schema.json), for editors. [How a scene is written](README.md).\n\n"
                   + re.sub(r"(?m)^##(#+ )", r"#\1", body))
        self.copy("scenes/scene.schema.json")

    def text_pages(self):
        """Adds a page for each file and folder that other pages link to."""
        for folder in sorted(self.folders):
            files = sorted(one.name for one in (self.source / folder).iterdir() if one.is_file())
            links = [f"- [{name}]({os.path.relpath(self.place_of(f'{folder}/{name}'), folder)})" for name in files]
            self.write(folder + "/files.md", f"# {folder}\n\n" + "\n".join(links) + "\n")
        for file in sorted(self.code):
            text = (self.source / file).read_text()
            language = LANGUAGES.get(pathlib.Path(file).suffix, "bash")
            self.write(file + ".md", f"# {file}\n\n``````{language}\n{text.rstrip()}\n``````\n")

    def gallery(self, playable):
        """Adds the page of each scene, and the gallery of them all."""
        cards, others = [], []
        for path in sorted((self.source / "scenes").glob("*.yaml")):
            name, text = path.stem, path.read_text()
            title = re.search(r"(?m)^title: *\"?(.*?)\"?$", text)
            title = title[1] if title else name
            picture = f"scenes/pictures/{name}.png"
            shown = (self.source / picture).exists()
            film = f"![{name}](../{picture})\n\n" if shown else ""
            if shown:
                self.copy(picture)
            if (self.source / f"scenes/pictures/{name}.gif").exists():
                self.copy(f"scenes/pictures/{name}.gif")
                film = f"![{name}](../scenes/pictures/{name}.gif)\n\n"
            play = f"[Move it by hand](../play/index.html#scene={name})\n\n" if name in playable else ""
            self.write(f"gallery/{name}.md", f"# {name}\n\n{title}\n\n{film}{play}"
                       f"```\nbuild/poise run {name}\nbuild/poise-view {name}\n```\n\n## The file\n\n"
                       f"``````yaml\n{text.rstrip()}\n``````\n")
            if shown:
                cards.append(f"[![{name}]({picture})](gallery/{name}.md)\n**{name}**: {title}\n")
            else:
                others.append(f"- [{name}](gallery/{name}.md): {title}")
        robots = []
        for path in sorted((self.source / "scenes/pictures/robots").glob("*.png")):
            self.copy(f"scenes/pictures/robots/{path.name}")
            picture = f"scenes/pictures/robots/{path.name}"
            robots.append(f"[![{path.stem}]({picture})](scenes/README.md#robots)\n{path.stem}\n")
        self.write("gallery.md", "---\nhide: [navigation, toc]\n---\n# Gallery\n\nEach scene is a text file; its "
                   "page has the text.\n\n<div class=\"cards\" markdown>\n\n" + "\n".join(cards) + "\n</div>\n\nChains like those above:\n\n"
                   + "\n".join(others) + "\n\n## Robots of "
                   "others\n\nTheir files are read as they are.\n\n<div class=\"cards\" markdown>\n\n"
                   + "\n".join(robots) + "\n</div>\n")

    def play(self):
        """Adds the page that runs in the browser, if it is built. Returns the names of its scenes."""
        built = self.source / "build-web/page"
        head = "---\nhide: [navigation, toc]\n---\n# Try it\n\n"
        if not (built / "poise-view.wasm").exists():
            print("the page is left out: viewer/web/build makes it")
            self.write("play.md", head + "This copy of the site was made without the page that runs in the browser. "
                       "`viewer/web/build` makes that page; `poise-view` is [the window](viewer/README.md) itself.\n")
            return []
        shutil.copytree(built, self.docs / "play")
        self.write("play.md", head + "Drag a red ring. The springs of the joints pull the body after it, by the same "
                   "code and with the same bits as on your machine. [The whole page](play/index.html)\n\n"
                   "<iframe class=\"play\" src=\"play/index.html\" title=\"Poise in the browser\"></iframe>\n")
        scenes = re.search(r"const SCENES = (\[.*?\]);", (built / "page.js").read_text(), re.S)
        return ast.literal_eval(scenes[1]) if scenes else []

    def notebook(self):
        """Adds the notebook with its outputs."""
        parts = []
        for cell in json.loads((self.source / "scenes/python/poise.ipynb").read_text())["cells"]:
            text = "".join(cell["source"])
            parts.append(self.rewrite(text, "scenes/python/poise.ipynb", "notebook.md")
                         if cell["cell_type"] == "markdown" else f"``````python\n{text}\n``````")
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "image/png" in data:
                    picture = f"notebook/{len(parts)}.png"
                    self.write(picture, "")
                    (self.docs / picture).write_bytes(base64.b64decode("".join(data["image/png"])))
                    parts.append(f"![What the cell draws]({picture})")
                else:
                    parts.append("``````text\n" + "".join(data.get("text/plain", output.get("text", ""))) + "\n``````")
        self.write("notebook.md", "\n\n".join(parts) + "\n")

    def headers(self):
        """Adds doxygen's pages, and a list of the headers by layer."""
        shutil.copytree(self.build / "reference/html", self.docs / "c")
        out = ["# C reference\n\nEvery function has its units, frames, ranges and errors. "
               "[All types](c/annotated.html), "
               "[all functions](c/globals_func.html).\n"]
        titles = {"ik": "Kinematics", "engine": "The rig", "scenes": "Scenes and robots"}
        for layer, title in titles.items():
            out.append(f"## {title}\n\n| header | what |\n|---|---|")
            for path in sorted((self.source / layer / "include/poise").glob("*.h")):
                head = re.match(r"// SPDX.*\n((?://.*\n)*)", path.read_text())
                says = " ".join(line[2:].strip() for line in head[1].split("\n")) if head else ""
                says = re.match(r".*?[.:](?= |$)|.*", says)[0].replace("|", "\\|").rstrip(":")
                place = self.place_of(str(path.relative_to(self.source)))
                out.append(f"| [`poise/{path.name}`]({place}) | {says} |")
            out.append("")
        self.write("c.md", "\n".join(out))


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    for folder in ("site-docs", "site"):
        shutil.rmtree(build / folder, ignore_errors=True)
    site = Site(source, build)
    for name in ("index.md", "ja.md"):
        text = (HERE / name).read_text()
        for target in re.findall(r"\]\(([^)\s]+\.(?:png|gif|webp))\)", text):
            site.copy(target)
        site.write(name, text)
    site.write("site.css", (HERE / "site.css").read_text())
    shutil.copyfile(source / ".cmake/desktop/poise-view.svg", build / "site-docs/mark.svg")
    shutil.copyfile(HERE / "mkdocs.yml", build / "mkdocs.yml")
    site.headers()
    site.gallery(site.play())
    pages = ["README.md", "ik/README.md", "ik/examples/README.md", "ik/examples/gauss_seidel.md", "engine/README.md",
             "scenes/README.md", "scenes/README.ja.md", "scenes/full_body.md", "scenes/python/README.md",
             "viewer/README.md", "tests/README.md", "tests/DOCUMENTS.md"]
    for file in pages + [f".github/{path.name}" for path in sorted((source / ".github").glob("[A-Z]*.md"))]:
        site.page(file)
    site.notebook()
    site.write("python.md", python_pages.reference(source / "scenes/python/poise"))
    site.text_pages()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(["mkdocs", "build", "--quiet", "--strict"], cwd=build, check=True, env=environment)
    print(build / "site/index.html")


if __name__ == "__main__":
    main()
