# SPDX-License-Identifier: MIT
"""Builds the package for pip (PEP 517), by CMake: `pip install poise-VERSION.tar.gz`.

    build_backend.py sdist OUT_FOLDER       writes the source as OUT_FOLDER/poise-VERSION.tar.gz
"""
import gzip
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIRES = ["numpy>=1.21", "cffi>=1.14"]
PROJECT = """\
[build-system]
requires = ["cffi>=1.14"]
build-backend = "build_backend"
backend-path = ["scenes/python"]
"""


def version():
    return re.search(r"project\(poise VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata(number, readme):
    """Returns the description of the package, for a wheel or a source archive."""
    return "\n".join([
        "Metadata-Version: 2.1", "Name: poise", f"Version: {number}",
        "Summary: Inverse kinematics for physics simulations", "License: MIT",
        "Keywords: inverse kinematics,robotics,simulation,physics",
        "Classifier: Development Status :: 4 - Beta",
        "Classifier: Intended Audience :: Science/Research",
        "Classifier: License :: OSI Approved :: MIT License",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.9", *(f"Requires-Dist: {one}" for one in REQUIRES),
        "Provides-Extra: plot", "Requires-Dist: matplotlib; extra == 'plot'",
        "Description-Content-Type: text/markdown", "", readme])


def sources():
    """Returns the files of the source: those that git knows, or all except builds."""
    try:
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-coz", "--exclude-standard"], check=True, capture_output=True)
        names = [name for name in listed.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")
                 if path.is_file() and not path.relative_to(ROOT).parts[0].startswith("build")]
    return sorted(name for name in names if (ROOT / name).is_file())


def build_sdist(folder, config_settings=None):
    """Writes the source archive. Equal sources give equal bytes."""
    name = f"poise-{version()}"
    texts = {"pyproject.toml": PROJECT.encode(),
             "PKG-INFO": metadata(version(), (ROOT / "scenes/python/README.md").read_text()).encode()}
    texts.update((file, (ROOT / file).read_bytes()) for file in sources() if file not in texts)
    path = Path(folder) / f"{name}.tar.gz"
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for inside, data in sorted(texts.items()):
                entry = tarfile.TarInfo(f"{name}/{inside}")
                entry.size = len(data)
                runs = (ROOT / inside).exists() and (ROOT / inside).stat().st_mode & 0o100
                entry.mode = 0o755 if runs else 0o644
                archive.addfile(entry, io.BytesIO(data))
    return path.name


def build_wheel(folder, config_settings=None, metadata_directory=None):
    """Configures, compiles and packs. The system needs CMake and the libraries of .cmake/packages.txt."""
    with tempfile.TemporaryDirectory() as build:
        subprocess.run(["cmake", "--preset", "python", "-S", ".", "-B", build, f"-DPOISE_PYTHON={sys.executable}"],
                       cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", build, "--target", "wheel"], check=True)
        wheel = next(Path(build, "python").glob("poise-*.whl"))
        shutil.move(str(wheel), folder)
    return wheel.name


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "sdist":
        sys.exit(__doc__)
    print(Path(sys.argv[2]) / build_sdist(sys.argv[2]))


if __name__ == "__main__":
    main()
