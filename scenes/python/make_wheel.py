# SPDX-License-Identifier: MIT
"""Packs a folder as a wheel, without network or build tools.

    make_wheel.py PACKAGE_FOLDER OUT_FOLDER VERSION LICENSE README

The wheel has a shared library, but nothing compiled against Python. Its tag is py3-none-PLATFORM. The
same folder gives the same bytes.
"""
import base64
import hashlib
import sys
import sysconfig
import zipfile
from pathlib import Path

# The earliest date of a ZIP file. With a constant date, equal contents give equal bytes.
DATE = (1980, 1, 1, 0, 0, 0)
REQUIRES = ["numpy>=1.21", "cffi>=1.14"]


def add(wheel, records, name, data, mode=0o644):
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | mode) << 16
    wheel.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def main():
    package, out, version, licence, readme = sys.argv[1:]
    package = Path(package)
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"py3-none-{platform}"
    path = Path(out) / f"poise-{version}-{tag}.whl"
    info = f"poise-{version}.dist-info"
    records = []
    metadata = "\n".join([
        "Metadata-Version: 2.1", "Name: poise", f"Version: {version}",
        "Summary: Inverse kinematics for physics simulations", "License: MIT",
        "Requires-Python: >=3.9", *(f"Requires-Dist: {one}" for one in REQUIRES),
        "Description-Content-Type: text/markdown", "", Path(readme).read_text()])
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted(package.iterdir()):
            if file.is_file():
                mode = 0o755 if file.suffix == ".so" else 0o644
                add(wheel, records, f"poise/{file.name}", file.read_bytes(), mode)
        add(wheel, records, f"{info}/LICENSE", Path(licence).read_bytes())
        add(wheel, records, f"{info}/METADATA", metadata.encode())
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
