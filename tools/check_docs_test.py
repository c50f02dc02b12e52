#!/usr/bin/env python3
"""Each kind of error in a page is found, at its line; a good page has none."""

import tempfile
import unittest
from pathlib import Path

import check_docs


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.page = self.root / "page.md"
        (self.root / "lockstep").write_text('#!/bin/sh\n[ "$1" = fail ] && exit 2\ntest -e scenarios/a.xml\n')
        (self.root / "lockstep").chmod(0o755)
        (self.root / "scenarios").mkdir()
        (self.root / "scenarios" / "a.xml").touch()

    def links(self, text):
        self.page.write_text(text)
        return [error.removeprefix(f"{self.page}:") for error in check_docs.check_links(self.page)]

    def commands(self, text):
        self.page.write_text(f"```console\n{text}\n```\n")
        found = check_docs.check_commands(self.page, str(self.root / "lockstep"), self.root,
                                          "  test [--quick]    run\n")
        return [error.removeprefix(f"{self.page}:").strip() for error in found]

    def test_lines_of_an_example_are_those_of_the_file(self):
        (self.root / "examples").mkdir()
        (self.root / "examples" / "a.cc").write_text("int a;\nint b;\nint c;\n")
        def excerpts(text):
            self.page.write_text(text)
            return [error.removeprefix(f"{self.page}:") for error in check_docs.check_excerpts(self.page, self.root)]
        self.assertEqual(excerpts("```cpp examples/a.cc\nint b;\nint c;\n```\n```cpp src/new.h\nint x;\n```\n"), [])
        self.assertEqual(excerpts("\n```cpp examples/a.cc\nint d;\n```\n"), ["2: these are not lines of 'examples/a.cc'"])
        self.assertEqual(excerpts("```cpp examples/a.cc\nint a;\nint c;\n```\n"), ["1: these are not lines of 'examples/a.cc'"])
        self.assertEqual(excerpts("```cpp examples/b.cc\n```\n"), ["1: there is no file 'examples/b.cc'"])

    def test_good_links_are_good(self):
        self.assertEqual(self.links("# The top: A\n[a](page.md) [b](#the-top-a) [c](https://x.org) `[d](no.md)`"), [])

    def test_a_link_to_nowhere_is_found(self):
        self.assertEqual(self.links("\n[a](gone.md)"), ["2: link to 'gone.md': there is no such file"])

    def test_a_link_to_a_missing_heading_is_found(self):
        self.assertEqual(self.links("# Top\n[a](page.md#bottom)"),
                         ["2: link to 'page.md#bottom': page.md has no such heading"])

    def test_good_commands_are_good(self):
        self.assertEqual(self.commands("$ lockstep run scenarios/a.xml\noutput\n$ ./dev test\n$ rm -r /nothing"), [])

    def test_a_command_that_fails_is_found(self):
        self.assertEqual(self.commands("$ lockstep run \\\n  a\n$ lockstep fail"),
                         ["4: 'lockstep fail' exited with 2, expected 0"])

    def test_a_program_that_does_not_compile_is_found(self):
        self.assertEqual(self.commands("$ cc --version\n$ python3 -c 'import sys'"), [])
        self.assertEqual(len(self.commands("$ cc no-such-file.c\n$ python3 no-such-file.py")), 2)

    def test_a_command_may_be_shown_to_fail(self):
        self.assertEqual(self.commands("$ lockstep fail   # exits with 2"), [])
        self.assertEqual(len(self.commands("$ lockstep run   # exits with 2")), 1)

    def test_an_unknown_dev_command_is_found(self):
        self.assertEqual(self.commands("$ ./dev tset"), ["2: './dev help' lists no 'tset'"])


if __name__ == "__main__":
    unittest.main()
