"""scripts/check-prose finds the words that are planted here, where they stand, and nothing else.

usage: check_prose_test.py CHECK-PROSE
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = """# One page

The worker that is idle takes the task. What does it cost? Nothing, so it is left to `somebody`.

```
somebody, anew
```
[the page](docs/anew.md)
"""
SOURCE = """#include "at hand.hpp"
// Somebody reads this comment.
/* Nobody reads
   this one. */
const char* raw() { return R"(somebody)"; }
const long million = 1'000'000;
const char* text() { return "the worker takes " + std::string("what it needs."); }
"""
ACTS = "name what acts: the worker, the engine, the policy"


class CheckProse(unittest.TestCase):
    def check(self, page=PAGE, source=SOURCE):
        """The status and the lines for a repository with this README and this source."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src" / "heddle" / "cli").mkdir(parents=True)
            (root / "README.md").write_text(page, encoding="utf-8")
            (root / "src" / "heddle" / "cli" / "run.cpp").write_text(source, encoding="utf-8")
            done = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_accepts_plain_words_code_and_comments(self):
        self.assertEqual(self.check(), (0, []))

    def test_finds_a_word_in_a_page(self):
        self.assertEqual(self.check(page=PAGE + "It wakes\nSomebody up.\n"), (1, [f"README.md:10:Somebody: {ACTS}"]))

    def test_finds_a_construction_that_runs_over_lines(self):
        self.assertEqual(self.check(page=PAGE + "The device is at\nhand.\n"),
                         (1, ["README.md:9:at hand: available"]))
        self.assertEqual(self.check(page=PAGE + "\nIt runs. What it reads\nis lost.\n"),
                         (1, ["README.md:10:What it reads is lost.: start the sentence with what acts"]))

    def test_finds_a_word_in_a_string_literal(self):
        planted = '\nconst char* message = "\\"x\\" is of\\nnobody";  // nobody\n'
        self.assertEqual(self.check(source=SOURCE + planted), (1, [f"src/heddle/cli/run.cpp:9:nobody: {ACTS}"]))

    def test_reads_adjacent_literals_as_one(self):
        self.assertEqual(self.check(source=SOURCE + 'const char* message =\n    "as a "\n    "rule";\n'),
                         (1, ["src/heddle/cli/run.cpp:9:as a rule: usually"]))
        self.assertEqual(self.check(source=SOURCE + 'auto pair = std::pair("as a ", "rule");\n'), (0, []))


if __name__ == "__main__":
    CHECKER = sys.argv.pop(1)
    unittest.main()
