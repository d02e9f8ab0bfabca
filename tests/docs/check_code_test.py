"""scripts/check-code finds what does not hold, and no more."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = sys.argv.pop(1)

PAGE = """# Page

```
$ echo one; echo two
one
two
$ seq 9
1
...
9
```

```
$ printf 'policy  decided in\\nheft  0.25 ms\\n\\nheft is best: 3.000 ms\\ndecided in 2.5 s\\n'
policy  decided in
heft  0.30 ms

heft is best: 3.000 ms
decided in 1.2 s
```

<!-- numbers vary -->
```
$ echo 'residual 1.23e-4'
residual 7
```

<!-- file: made.txt -->
<!-- check: grep -q made made.txt -->
```
made
```

<!-- status: 1 -->
```
$ cat made.txt && false
made
```

<!-- not run: it fails -->
```
$ false
```

```cpp
int main() {
  std::printf("%d apples\\n", 7);  // 7 apples
}
```
"""


class CheckCode(unittest.TestCase):
    def check(self, page):
        """The status and what is printed for a repository with this README."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "README.md").write_text(page, encoding="utf-8")
            done = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True,
                                  env={**os.environ, "HEDDLE_PAGES": folder})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_accepts_what_holds(self):
        self.assertEqual(self.check(PAGE), (0, ""))

    def test_finds_what_does_not(self):
        for right, wrong in (("one\ntwo\n", "one\nthree\n"), ("one\ntwo\n", "one\n"), ("1\n...\n9", "2\n...\n9"),
                             ("best: 3.000 ms", "best: 3.001 ms"), ("residual 7", "rest 7"), ("status: 1", "status: 0"),
                             ("status: 1", "status: 2"), ("grep -q made", "grep -q other"), ("```cpp", "```"),
                             ("<!-- not run: it fails -->", "<!-- numbers vary -->"),
                             ("<!-- file: made.txt -->\n<!-- check: grep -q made made.txt -->\n", "")):
            with self.subTest(wrong):
                self.assertIn(right, PAGE)
                status, printed = self.check(PAGE.replace(right, wrong, 1))
                self.assertEqual(status, 1)
                self.assertRegex(printed, r"^README\.md:\d+: ")

    def test_writes_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "README.md").write_text(PAGE, encoding="utf-8")
            done = subprocess.run([sys.executable, CHECKER, "--programs", folder], capture_output=True, text=True,
                                  env={**os.environ, "HEDDLE_PAGES": folder})
            self.assertEqual(done.stdout, "readme_1\t7 apples\n")
            self.assertIn("printf", (Path(folder) / "readme_1.cpp").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
