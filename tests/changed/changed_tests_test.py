"""scripts/changed-tests names the tests that a change concerns, in a small project of its own.

usage: changed_tests_test.py SCRIPTS CMAKE

SCRIPTS is the folder of the script, and of the one that it asks for the change.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# Of the two rooms, `report` is made of `model`. The tests of `report` include a header of a third, of which they link nothing,
# and one of other tests.
FILES = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
enable_testing()
add_subdirectory(src/heddle/model)
add_subdirectory(src/heddle/report)
add_subdirectory(tests/model)
add_subdirectory(tests/report)
""",
    "src/heddle/model/CMakeLists.txt": "add_library(heddle_model STATIC model.cpp)\n",
    "src/heddle/model/model.cpp": "",
    "src/heddle/report/CMakeLists.txt":
        "add_library(heddle_report STATIC report.cpp)\ntarget_link_libraries(heddle_report PRIVATE heddle_model)\n",
    "src/heddle/report/report.cpp": "",
    "src/heddle/headers/CMakeLists.txt": "",
    "src/heddle/headers/only.hpp": "",
    "tests/support/CMakeLists.txt": "",
    "tests/support/sample.hpp": "",
    "tests/python/CMakeLists.txt": "",
    "tests/python/test_it.py": "",
    "tests/recordings/one.rec": "",
    "docs/page.md": "",
    "README.md": "",
}
for room in ("model", "report"):
    FILES[f"tests/{room}/CMakeLists.txt"] = f"""add_executable({room}_test {room}_test.cpp)
set_target_properties({room}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${{PROJECT_BINARY_DIR}}/bin)
target_link_libraries({room}_test PRIVATE heddle_{room})
foreach(shard 1 2)
  add_test(NAME {room}_${{shard}} COMMAND {room}_test)
  set_tests_properties({room}_${{shard}} PROPERTIES LABELS "unit;threads")
endforeach()
add_test(NAME {room}_slow COMMAND {room}_test)
set_tests_properties({room}_slow PROPERTIES LABELS slow)
"""
FILES["tests/model/model_test.cpp"] = "int main() {}\n"
FILES["tests/report/report_test.cpp"] = """#include "heddle/headers/only.hpp"
#include "tests/support/sample.hpp"
int main() {}
"""
FILES["tests/report/CMakeLists.txt"] += """add_library(heddle_python MODULE ../../src/heddle/report/report.cpp)
add_test(NAME python_it COMMAND python3)
set_tests_properties(python_it PROPERTIES LABELS unit)
"""

MODEL = ("bin/model_test", "^(model_1|model_2)$")
REPORT = ("bin/report_test", "^(report_1|report_2)$")
PYTHON = ("heddle_python", "^(python_it)$")


def both(*chosen):
    return (" ".join(target for target, _ in chosen), "^(" + "|".join(tests[2:-2] for _, tests in chosen) + ")$")


class ChangedTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = Path(cls.scratch.name).resolve()
        for name, text in FILES.items():
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.root / name).write_text(text, encoding="utf-8")
        (cls.root / "scripts").mkdir()
        for script in ("changed-tests", "changed-files"):
            shutil.copy(Path(SCRIPTS) / script, cls.root / "scripts" / script)
        (cls.root / ".gitignore").write_text("/build/\n", encoding="utf-8")
        subprocess.run([CMAKE, "-G", "Ninja", "-S", cls.root, "-B", cls.root / "build"], check=True, stdout=subprocess.DEVNULL)
        cls.git("init", "--quiet")
        cls.git("add", "--all")
        cls.commit("2020-01-01 12:00")
        cls.change("README.md")
        cls.commit("2020-01-02 12:00")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def git(cls, *arguments, **environment):
        subprocess.run(["git", "-c", "user.name=one", "-c", "user.email=one@example.org", *arguments], cwd=cls.root, check=True,
                       env={**os.environ, **environment})

    @classmethod
    def commit(cls, when):
        cls.git("commit", "--quiet", "--all", "--message", "one", GIT_COMMITTER_DATE=f"{when}:00 +0000")

    @classmethod
    def change(cls, name):
        path = cls.root / name
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + "\n", encoding="utf-8")

    def named(self, *arguments):
        command = [sys.executable, self.root / "scripts" / "changed-tests", *arguments]
        return tuple(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=self.root).stdout.splitlines())

    def after(self, *changed):
        """What is named with these files changed."""
        for name in changed:
            self.change(name)
        found = self.named("build", "unit")
        self.git("checkout", "--quiet", ".")
        self.git("clean", "--quiet", "--force")
        return found

    def test_names_none_where_nothing_changed(self):
        self.assertEqual(self.after(), ())
        self.assertEqual(self.after("docs/page.md", "README.md"), ())

    def test_names_what_is_made_of_a_room(self):
        self.assertEqual(self.after("src/heddle/report/report.cpp"), both(REPORT, PYTHON))
        self.assertEqual(self.after("src/heddle/model/CMakeLists.txt"), both(MODEL, REPORT))
        self.assertEqual(self.after("src/heddle/model/new.hpp"), both(MODEL, REPORT))
        self.assertEqual(self.after("tests/model/model_test.cpp"), MODEL)

    def test_names_what_includes_headers(self):
        self.assertEqual(self.after("src/heddle/headers/only.hpp"), REPORT)
        self.assertEqual(self.after("tests/support/sample.hpp"), REPORT)

    def test_names_those_of_the_module(self):
        self.assertEqual(self.after("tests/python/test_it.py"), PYTHON)

    def test_names_all_where_any_may_be_concerned(self):
        everything = both(MODEL, REPORT, PYTHON)
        self.assertEqual(self.after("CMakeLists.txt"), everything)
        self.assertEqual(self.after("examples"), everything)
        self.assertEqual(self.after("tests/recordings/one.rec"), everything)
        self.assertEqual(self.named("--all", "build", "unit"), everything)

    def test_names_those_with_the_labels(self):
        self.assertEqual(self.named("--all", "build", "threads"), both(MODEL, REPORT))
        self.assertEqual(self.named("--all", "build", "slow", "threads"),
                         both(("bin/model_test", "^(model_1|model_2|model_slow)$"),
                              ("bin/report_test", "^(report_1|report_2|report_slow)$")))

    def test_looks_at_commits_of_the_four_hours_up_to_the_newest(self):
        self.git("tag", "before")
        self.addCleanup(self.git, "reset", "--quiet", "--hard", "before")
        for name, when, named in (("tests/model/model_test.cpp", "2020-01-03 12:00", MODEL),
                                  ("src/heddle/report/report.cpp", "2020-01-03 15:59", both(MODEL, REPORT, PYTHON)),
                                  ("docs/page.md", "2020-01-03 16:01", both(REPORT, PYTHON)),
                                  ("docs/page.md", "2020-01-03 20:00", ())):
            self.change(name)
            self.commit(when)
            self.assertEqual(self.named("build", "unit"), named)


if __name__ == "__main__":
    SCRIPTS, CMAKE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
