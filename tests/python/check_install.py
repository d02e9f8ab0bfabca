#!/usr/bin/env python3
"""Installs the module with pip into a new environment, as its README says, and uses it there.

usage: check_install.py ROOT BUILD_FOLDER HEDDLE    the checkout, a build of it whose extension is taken, and the command
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import heddle, json, sys
instance = heddle.generate("cholesky:tiles=6", platform="mirage")
schedule = heddle.schedule(instance, "heft")
assert heddle.validate(instance, schedule)
assert sys.prefix in heddle.__file__, heddle.__file__
print(json.dumps([heddle.__version__, schedule.makespan, schedule.ratio]))
"""


def main(root, build, command):
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"  # of links, so that the build leaves nothing in the sources
        checkout.mkdir()
        for entry in Path(root).iterdir():
            if entry.name not in ("build", "python", ".git"):
                (checkout / entry.name).symlink_to(entry)
        (checkout / "python").mkdir()
        for entry in (Path(root) / "python").iterdir():
            (checkout / "python" / entry.name).symlink_to(entry)
        environment = {**os.environ, "HEDDLE_BUILD_FOLDER": build}
        environment.pop("PYTHONPATH", None)

        def run(*words):
            return subprocess.run(words, cwd=checkout, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

        run(sys.executable, "-m", "venv", "--system-site-packages", "env")
        run("env/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", ".")
        used = subprocess.run([checkout / "env/bin/python", "-c", PROGRAM], cwd=folder, env=environment, check=True,
                              stdout=subprocess.PIPE)
        version, makespan, ratio = json.loads(used.stdout)
        said = json.loads(run(command, "schedule", "cholesky:tiles=6", "--platform", "mirage", "--policy", "heft", "--json"))
        assert (said["version"], said["makespan"], said["ratio"]) == (version, makespan, ratio), said


if __name__ == "__main__":
    main(*sys.argv[1:])
