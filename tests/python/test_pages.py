"""The blocks of the pages and the docstrings run, and print what the pages say; examples and benchmarks run."""

import contextlib
import doctest
import io
import os
import re
import runpy
import sys
from pathlib import Path

import pytest

import heddle
import heddle.graph
import heddle.linalg
import heddle.runtime
import heddle.sweeps

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.M | re.S)


def evened(text):
    """Without what depends on the widths of columns."""
    return re.sub(r" +", " ", re.sub("─+", "─", text)).strip()


def matches(said, printed):
    """Whether `printed` is what is said, where ... stands for anything."""
    pattern = ".*".join(re.escape(part) for part in evened(said).split("..."))
    return re.fullmatch(pattern, evened(printed), flags=re.S)


@pytest.mark.parametrize("page", ["python/README.md", "docs/python.md"])
def test_blocks_of_the_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed, compared = {"__name__": page}, "", 0
    for language, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, page, "exec"), names)
            printed = output.getvalue()
        elif printed:
            assert matches(text, printed), f"{page}: a block prints\n{printed}"
            compared += 1
    assert compared > 0


@pytest.mark.parametrize("module", [heddle, heddle.graph, heddle.linalg, heddle.runtime, heddle.sweeps])
def test_docstrings(module):
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("name", sorted(os.listdir(ROOT / "python" / "examples")))
def test_examples(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "python" / "examples" / name), run_name="__main__")
    assert capsys.readouterr().out
    for figure in tmp_path.iterdir():
        assert figure.stat().st_size > 1000


@pytest.mark.parametrize("name", ["eager.py", "heft.py"])
def test_benchmarks_compare_what_gives_the_same_schedules(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "4"])
    runpy.run_path(str(ROOT / "bench" / "python" / name), run_name="__main__")
    assert capsys.readouterr().out
