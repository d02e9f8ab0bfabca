#!/usr/bin/env python3
"""Compiles the C++ files beside this one and compares the first error about each mistake with what the file says of it.

usage: check.py INCLUDE-FOLDER COMPILER...

All mistakes of a file are compiled at once, since the compiler needs ten times as long for the headers as for them. No two of them
instantiate the same check with the same types, of which the compiler would complain once only.
"""

import os
import pathlib
import re
import subprocess
import sys

SOURCES = sorted(pathlib.Path(__file__).parent.glob("*.cpp"))
MISTAKE = re.compile(r"^#ifdef (\w+)\n *// (.*)\n(?: *// (.*)\n)?(?s:.*?)^#else$", re.M)


class Compiler:
    def __init__(self, name):
        self.name = name
        told = subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout
        self.is_clang = "clang" in told

    def refusal(self, source, made):
        """What the compiler says when these mistakes are made; empty when it accepts the file."""
        options = ["-ferror-limit=0"] if self.is_clang else []
        result = subprocess.run([self.name, "-std=c++20", "-w", "-fsyntax-only", "-I", sys.argv[1], *options,
                                 *(f"-D{mistake}" for mistake in made), source],
                                env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=False)
        return "" if result.returncode == 0 else alike(result.stderr)

    def errors(self, source, made):
        """(line of the source, sentence, the template it is in) of each error, in the order of the compiler."""
        text = re.sub("^In file included .*$", "", self.refusal(source, made), flags=re.M)
        found, line, template = [], 0, ""
        parts = re.split(r"^(.*error: .*)$", text, flags=re.M)
        for before, error, after in zip(parts[0::2], parts[1::2], parts[2::2]):
            # Where it came from, clang tells behind each error, g++ before the first one there.
            told = after if self.is_clang else before
            if templates := re.findall(r"^.*[Ii]n instantiation of .*$", told, re.M):
                template = templates[0 if self.is_clang else -1]
                line = int((re.findall(re.escape(source.name) + r":(\d+):", told) or [0])[-1])
            found.append((line, error, template))
        return found


def alike(text):
    """Types as both compilers would write them if they wrote them alike, without our own namespaces."""
    text = re.sub(r"\bheddle::(runtime::)?(detail::)?", "", text)
    text = re.sub(r", 18446744073709551615(UL)?(?=[ >])", "", text)
    text = re.sub(r"std::(__cxx11::)?basic_string<char>", "std::string", text)
    return re.sub(r" (?=[>&*[])", "", text.replace("long unsigned int", "unsigned long"))


def complaints(compiler, source, mistakes):
    """Where the compiler does not say what the file says."""
    if refusal := compiler.refusal(source, []):
        yield f"{compiler.name} refuses what is right in {source.name}:\n{refusal}"
    found = compiler.errors(source, [mistake[1] for mistake in mistakes])
    text = source.read_text()
    for mistake in mistakes:
        name, sentence, template = mistake.groups("")
        first_line, last_line = (text.count("\n", 0, end) + 1 for end in mistake.span())
        first = next((error for error in found if first_line <= error[0] <= last_line), None)
        if first is None:
            yield f"{name}: {compiler.name} accepts it"
        elif "static assertion failed" not in first[1] or sentence not in first[1] or template not in first[2]:
            yield f"{name}: {compiler.name} says\n{first[2]}\n{first[1]}\nexpected was\n{template}\n{sentence}"


def main():
    failed, count = [], 0
    for source in SOURCES:
        mistakes = list(MISTAKE.finditer(source.read_text()))
        if not mistakes:
            failed.append(f"{source.name} has no mistakes")
        count += len(mistakes)
        failed += [one for name in sys.argv[2:] for one in complaints(Compiler(name), source, mistakes)]
    print(*failed, f"{count} mistakes, {len(sys.argv) - 2} compilers, {len(failed)} complaints", sep="\n")
    return 1 if failed or not SOURCES or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
