"""What pip calls to build the Python module: CMake builds the extension, in a folder of its own.

With HEDDLE_BUILD_FOLDER in the environment, it takes that folder, which CMake has configured, and what is built there.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class BuildWithCMake(build_ext):
    """Builds the target heddle_python and copies the extension to where setuptools wants it."""

    def build_extension(self, extension):
        folder = os.environ.get("HEDDLE_BUILD_FOLDER")
        if folder is None:
            folder = Path(self.build_temp).resolve()
            self.call("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                      "-DHEDDLE_BUILD_TESTS=OFF", "-DHEDDLE_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}")
        self.call("cmake", "--build", folder, "--target", "heddle_python")
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        built = Path(folder) / "python" / "heddle" / target.name
        if not built.exists():
            raise SystemExit(f"CMake did not build {built.name}; expected it in {built.parent}")
        self.copy_file(built, target)

    @staticmethod
    def call(*command):
        try:
            subprocess.run([str(word) for word in command], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"{error}; scripts/install-dependencies build python installs what is needed on Debian") from error


version = re.search(r"project\(heddle VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
setup(version=version, ext_modules=[Extension("heddle._heddle", sources=[])], cmdclass={"build_ext": BuildWithCMake})
