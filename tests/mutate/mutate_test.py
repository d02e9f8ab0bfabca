"""scripts/mutate on a repository with one room: it notices, lists, continues, and leaves the sources alone."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1))

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY bin)
add_executable(toy_test src/heddle/toy/toy.cpp)
"""
# The test does not look at the second function.
CODE = """// a < b is not code here
int smaller(int a, int b) { return a < b; }
int unseen(int a, int b) { return a > b; }
int main() { return smaller(2, 2); }
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        (self.root / "src/heddle/toy").mkdir(parents=True)
        (self.root / "scripts").mkdir()
        (self.root / "tests/mutate").mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts/mutate")
        (self.root / "CMakeLists.txt").write_text(CMAKE)
        (self.root / "src/heddle/toy/toy.cpp").write_text(CODE)
        (self.root / ".gitignore").write_text("build\n")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "toy")

    def tearDown(self):
        self.folder.cleanup()

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, check=True)

    def mutate(self, *arguments):
        return subprocess.run([sys.executable, "scripts/mutate", "--room", "toy", "--seed", "3", *arguments], cwd=self.root,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_tells_what_the_test_does_not_notice(self):
        first = self.mutate("--count", "1")
        whole = self.mutate()
        self.assertEqual(whole.returncode, 1, whole.stdout)
        found = first.stdout + whole.stdout
        self.assertIn("toy.cpp:2: noticed\n  - int smaller(int a, int b) { return a < b; }\n"
                      "  + int smaller(int a, int b) { return a <= b; }", found)
        self.assertIn("toy.cpp:3: survived", found)
        self.assertEqual(found.count("return a <= b"), 1, "it continues behind what the journal holds")
        self.assertIn("toy: 1 of 2 faults noticed (50 %), 0 equivalent, 0 do not compile\n", whole.stdout)
        self.assertEqual((self.root / "src/heddle/toy/toy.cpp").read_text(), CODE)

        (self.root / "tests/mutate/equivalent.txt").write_text(
            "src/heddle/toy/toy.cpp | int unseen(int a, int b) { return a > b; } | "
            "int unseen(int a, int b) { return a >= b; } | nothing calls it\n")
        shutil.rmtree(self.root / "build")
        self.git("worktree", "prune")
        listed = self.mutate()
        self.assertEqual(listed.returncode, 0, listed.stdout)
        self.assertIn("toy: 1 of 1 faults noticed (100 %), 1 equivalent, 0 do not compile\n", listed.stdout)

    def test_says_when_there_is_no_such_room(self):
        done = subprocess.run([sys.executable, "scripts/mutate", "--room", "none"], cwd=self.root, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("src/heddle/none holds no code", done.stderr)


if __name__ == "__main__":
    unittest.main()
