"""scripts/mutate on a project with one room: it notices, lists, continues, tries again, and leaves the sources alone."""

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
include_directories(src)
add_library(toy STATIC src/heddle/toy/toy.cpp)
add_executable(toy_test test.cpp)
target_link_libraries(toy_test toy)
"""
HEADER = """#pragma once
int smaller(int a, int b);
int unseen(int a, int b);
inline int half(int a) { return a / 2; }
"""
CODE = """// a < b is not code here
#include "heddle/toy/toy.hpp"
int smaller(int a, int b) { return a < b; }
int unseen(int a, int b) { return a > b; }
"""
TEST = """#include "heddle/toy/toy.hpp"
int main() { return smaller(2, 2) || half(2) == 4; }
"""
WHOLE_TEST = TEST.replace(";", " || unseen(2, 2);")


class Mutate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        (self.root / "src/heddle/toy/part").mkdir(parents=True)
        (self.root / "scripts").mkdir()
        (self.root / "tests/mutate").mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts/mutate")
        self.write("CMakeLists.txt", CMAKE)
        self.write("src/heddle/toy/toy.hpp", HEADER)
        self.write("src/heddle/toy/toy.cpp", CODE)
        self.write("test.cpp", TEST)
        subprocess.run(["cmake", "-G", "Ninja", "-B", "build/release"], cwd=self.root, check=True, stdout=subprocess.DEVNULL)

    def write(self, path, text):
        (self.root / path).write_text(text, encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def mutate(self, *arguments):
        return subprocess.run([sys.executable, "scripts/mutate", "--room", "toy", "--seed", "3", *arguments], cwd=self.root,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_tells_what_the_test_does_not_notice(self):
        first = self.mutate("--count", "1")
        whole = self.mutate()
        self.assertEqual(whole.returncode, 1, whole.stdout)
        found = first.stdout + whole.stdout
        self.assertIn("toy.cpp:3: noticed\n  - int smaller(int a, int b) { return a < b; }\n"
                      "  + int smaller(int a, int b) { return a <= b; }", found)
        self.assertIn("toy.cpp:4: survived", found)
        self.assertIn("toy.hpp:4: noticed\n  - inline int half(int a) { return a / 2; }\n", found)
        self.assertEqual(found.count("return a <= b"), 1, "it continues behind what the journal holds")
        self.assertIn("toy: 2 of 3 faults noticed (67 %), 0 equivalent, 0 do not compile\n", whole.stdout)
        self.assertEqual((self.root / "src/heddle/toy/toy.cpp").read_text(), CODE)
        self.assertEqual((self.root / "src/heddle/toy/toy.hpp").read_text(), HEADER)

    def test_tries_again_what_survived(self):
        self.assertIn("toy: 2 of 3 faults noticed", self.mutate().stdout)
        self.write("test.cpp", WHOLE_TEST)
        again = self.mutate()
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("toy.cpp:4: noticed", again.stdout)
        self.assertNotIn("toy.cpp:3", again.stdout)
        self.assertIn("toy: 3 of 3 faults noticed (100 %), 0 equivalent, 0 do not compile\n", again.stdout)

    def test_does_not_count_what_is_listed(self):
        self.write("tests/mutate/equivalent.txt", "src/heddle/toy/toy.cpp | int unseen(int a, int b) { return a > b; } | "
                   "int unseen(int a, int b) { return a >= b; } | nothing calls it\n")
        listed = self.mutate()
        self.assertEqual(listed.returncode, 0, listed.stdout)
        self.assertIn("toy: 2 of 2 faults noticed (100 %), 1 equivalent, 0 do not compile\n", listed.stdout)

    def test_takes_the_subfolders_of_a_room(self):
        self.write("src/heddle/toy/part/twice.hpp", "#pragma once\ninline int twice(int a) { return a * 2; }\n")
        self.write("test.cpp", '#include "heddle/toy/part/twice.hpp"\n' + WHOLE_TEST.replace(";", " || twice(3) != 6;"))
        self.assertIn("src/heddle/toy/part/twice.hpp:2: noticed\n  - inline int twice(int a) { return a * 2; }\n",
                      self.mutate().stdout)

    def test_tells_the_same_of_a_room_that_is_compiled_as_one(self):
        subprocess.run(["cmake", "-DCMAKE_UNITY_BUILD=ON", "build/release"], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        done = self.mutate()
        self.assertIn("toy.cpp:3: noticed", done.stdout)
        self.assertIn("toy.cpp:4: survived", done.stdout)
        self.assertIn("toy: 2 of 3 faults noticed (67 %), 0 equivalent, 0 do not compile\n", done.stdout)

    def test_says_when_a_source_is_not_compiled(self):
        self.write("src/heddle/toy/left_out.cpp", "int left_out(int a) { return a * 2; }\n")
        done = self.mutate()
        self.assertEqual(done.returncode, 1)
        self.assertIn("src/heddle/toy/left_out.cpp is not compiled in ", done.stdout)

    def test_says_when_the_folder_is_no_build(self):
        done = self.mutate("--build", "src")
        self.assertEqual(done.returncode, 1)
        self.assertIn("src has no build.ninja; expected a folder that cmake --preset release makes", done.stdout)

    def test_says_when_there_is_no_such_room(self):
        done = subprocess.run([sys.executable, "scripts/mutate", "--room", "none"], cwd=self.root, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("src/heddle/none holds no code", done.stderr)


if __name__ == "__main__":
    unittest.main()
