"""scripts/check-links finds the mistakes that are planted here, and nothing else.

usage: check_links_test.py CHECK-LINKS
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = """# One page

[a page](docs/other.md), [a heading](docs/other.md#two-words-twice), [here](#one-page), `docs/other.md`, `docs/*.md`,
`docs/NAME.md`, `src`, [outside](https://example.org/nothing)

```
[no link](nothing.md) `docs/nothing.md`
```
"""


class CheckLinks(unittest.TestCase):
    def check(self, page):
        """The status and the lines for a repository with this README."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "README.md").write_text(page, encoding="utf-8")
            (root / "docs" / "other.md").write_text("## `Two` words, twice\n", encoding="utf-8")
            done = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_accepts_what_exists(self):
        self.assertEqual(self.check(PAGE), (0, []))

    def test_finds_each_mistake(self):
        for mistake in ("[gone](docs/gone.md)", "[gone](docs/other.md#gone)", "[gone](#gone)", "`docs/gone.md`",
                        "`docs/gone/`", "[away](../README.md)"):
            with self.subTest(mistake):
                status, lines = self.check(PAGE + mistake + "\n")
                self.assertEqual(status, 1)
                self.assertEqual(len(lines), 1)
                self.assertTrue(lines[0].startswith(f"README.md:{PAGE.count(chr(10)) + 1}: "), lines[0])


if __name__ == "__main__":
    CHECKER = sys.argv.pop(1)
    unittest.main()
