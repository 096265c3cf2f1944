#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_links.py SITE: checks that each link of a folder of HTML names a file, and an anchor in that file.

A page may link to another host for the reader to follow. It may take no picture, script, style, font or
frame from there: opening it asks this folder alone.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

# by tag and attribute: what a browser fetches when it shows the page
FETCHED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"),
           ("embed", "src"), ("object", "data"), ("video", "poster"), ("img", "srcset"), ("source", "srcset"),
           ("image", "href"), ("use", "href"), ("input", "src"), ("track", "src"), ("form", "action")}
FETCHED_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload", "manifest"}
STYLE_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(html.parser.HTMLParser):
    """The anchors of a page, and its links: target, and True if a browser fetches it."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.in_style = {"", "top"}, [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.in_style = tag == "style"
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        relations = set((given.get("rel") or "").split())
        for name, value in attributes:
            name = name.removeprefix("xlink:")
            if (tag, name) in FETCHED or (tag == "link" and name == "href" and relations & FETCHED_RELATIONS):
                targets = [part.split()[0] for part in value.split(",")] if name == "srcset" else [value or ""]
                self.links += [(target, True) for target in targets]
            elif name == "href":
                self.links.append((value or "", False))
            elif name == "style":
                self.take_style(value or "")

    def handle_data(self, data):
        if self.in_style:
            self.take_style(data)

    def handle_endtag(self, tag):
        self.in_style = False

    def take_style(self, text):
        self.links += [(found[1] or found[2], True) for found in STYLE_URL.finditer(text)]


def fault_of(target, fetched, path, root, pages):
    """Returns what is wrong with a link of the file `path`, or None."""
    parts = urllib.parse.urlsplit(target)
    if parts.scheme in ("data", "mailto", "javascript", "blob"):
        return None
    if parts.scheme or parts.netloc:
        return "is fetched from another host" if fetched else None
    # the page of missing files has links from the root
    base = root if parts.path.startswith("/") else path.parent
    wanted = (base / urllib.parse.unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    if wanted.is_dir():
        wanted /= "index.html"
    if not wanted.is_relative_to(root):
        return "is outside the site"
    if not wanted.is_file():
        return "names no file"
    # the page that runs in the browser reads its own fragments
    anchor = urllib.parse.unquote(parts.fragment)
    if wanted in pages and anchor not in pages[wanted].anchors and not anchor.startswith("scene="):
        return f"names no anchor of {wanted.relative_to(root)}"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(errors="replace")) for path in sorted(root.rglob("*.html"))}
    links = [(path, *link) for path, page in pages.items() for link in page.links]
    for path in sorted(root.rglob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(errors="replace"), flags=re.S)
        links += [(path, found[1] or found[2], True) for found in STYLE_URL.finditer(text)]
    faults = set()
    for path, target, fetched in links:
        fault = fault_of(target, fetched, path, root, pages)
        if fault:
            faults.add(f"{path.relative_to(root)}: {target} {fault}")
    for fault in sorted(faults):
        print(fault)
    print(f"{len(pages)} pages, {len(links)} links, {len(faults)} faults")
    sys.exit(1 if faults or not pages else 0)


main()
