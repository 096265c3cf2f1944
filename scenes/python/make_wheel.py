# SPDX-License-Identifier: MIT
"""Packs the package as a wheel that stands alone, without network or build tools.

    make_wheel.py PACKAGE_FOLDER OUT_FOLDER VERSION LICENSE README FORBIDDEN_TEXT...

Bundles the shared libraries that the package's library needs, with their licences, except those that
manylinux allows from the system. The wheel's tag names the newest version of glibc that the libraries need.
The same folder gives the same bytes. Ends with an error if a FORBIDDEN_TEXT, like the path of the
source, is in the library.
"""
import base64
import hashlib
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from build_backend import metadata

# The earliest date of a ZIP file. With a constant date, equal contents give equal bytes.
DATE = (1980, 1, 1, 0, 0, 0)
# Libraries that manylinux expects on every system (PEP 600, auditwheel's policy).
OF_SYSTEM = re.compile(r"ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+|z|expat|atomic)\.so\.[0-9]+")
# Folder of the bundled libraries; the run path of the library names it.
LIBRARIES = "libs"


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(library):
    """Returns the names of the libraries that a file needs."""
    return re.findall(r"^\s*NEEDED\s+(\S+)", output_of("objdump", "-p", str(library)), re.M)


def bundle(library):
    """Returns the paths of all libraries to bundle, by name: also those that bundled libraries
    need."""
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", str(library)), re.M))
    found, ahead = {}, needed(library)
    while ahead:
        name = ahead.pop()
        if name not in found and not OF_SYSTEM.fullmatch(name):
            if name not in places:
                sys.exit(f"{library}: {name} is not found")
            found[name] = Path(places[name]).resolve()
            ahead += needed(found[name])
    return dict(sorted(found.items()))


def glibc_of(libraries):
    """Returns the newest version of glibc whose symbols a library needs, as (2, 35)."""
    versions = {(2, 17)}
    for library in libraries:
        for version in re.findall(r"\bGLIBC_([0-9]+\.[0-9]+)", output_of("objdump", "-T", str(library))):
            versions.add(tuple(int(part) for part in version.split(".")))
    return max(versions)


def licence_of(library):
    """Returns Debian's text about the licence of a library."""
    owner = output_of("dpkg", "-S", str(library)).split(":")[0]
    return Path("/usr/share/doc", owner, "copyright").read_bytes()


def add(wheel, records, name, data, mode=0o644):
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | mode) << 16
    wheel.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def main():
    package, out, version, licence, readme, *forbidden = sys.argv[1:]
    package = Path(package)
    library = package / "libpoise.so"
    for text in forbidden:
        if text.encode() in library.read_bytes():
            sys.exit(f"{library} holds '{text}'")
    if f"$ORIGIN/{LIBRARIES}" not in output_of("objdump", "-p", str(library)):
        sys.exit(f"{library}: its run path does not name the folder {LIBRARIES}")
    bundled = bundle(library)
    machine = sysconfig.get_platform().split("-")[-1]
    major, minor = glibc_of([library, *bundled.values()])
    tag = f"py3-none-manylinux_{major}_{minor}_{machine}"
    path = Path(out) / f"poise-{version}-{tag}.whl"
    info = f"poise-{version}.dist-info"
    records = []
    for old in Path(out).glob("poise-*.whl"):
        old.unlink()
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted(package.rglob("*")):
            inside = file.relative_to(package)
            if file.is_file() and "__pycache__" not in inside.parts:
                mode = 0o755 if file.suffix == ".so" else 0o644
                add(wheel, records, f"poise/{inside.as_posix()}", file.read_bytes(), mode)
        for name, file in bundled.items():
            add(wheel, records, f"poise/{LIBRARIES}/{name}", file.read_bytes(), 0o755)
            add(wheel, records, f"{info}/licences/{name}.txt", licence_of(file))
        add(wheel, records, f"{info}/LICENSE", Path(licence).read_bytes())
        add(wheel, records, f"{info}/METADATA", metadata(version, Path(readme).read_text()).encode())
        add(wheel, records, f"{info}/WHEEL", "\n".join([
            "Wheel-Version: 1.0", "Generator: poise", "Root-Is-Purelib: false", f"Tag: {tag}",
            ""]).encode())
        records.append(f"{info}/RECORD,,")
        entry = zipfile.ZipInfo(f"{info}/RECORD", DATE)
        entry.external_attr = 0o100644 << 16
        wheel.writestr(entry, "\n".join(records) + "\n")
    print(path)


if __name__ == "__main__":
    main()
