#!/usr/bin/env python3
"""What the tutorials let the reader write is what examples/controllers has. Their commands are run by the test docs."""

import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])


class Tutorials(unittest.TestCase):
    def test_the_programs_of_the_pages_are_the_examples(self) -> None:
        for page, name in (("c-client.md", "hold_angle.c"), ("python-client.md", "hold_angle.py")):
            with self.subTest(page):
                text = (ROOT / "docs" / page).read_text(encoding="utf-8")
                shown = re.search(rf"^```\w+ {re.escape(name)}\n(.*?)^```", text, re.M | re.S)
                self.assertEqual(shown[1], (ROOT / "examples" / "controllers" / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
