#!/usr/bin/env python3
"""The session in docs/protocol.md is made of golden messages, byte by byte."""

import re
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent.parent / "docs" / "protocol.md"
# A golden file's name in parentheses, then its bytes in a separate block.
SAID = re.compile(r"\(`(\w+)\.bin`\)[^\n]*\n\n```text\n(.*?)```", re.S)


class Page(unittest.TestCase):
    def test_the_example_has_the_bytes_of_the_golden_messages(self) -> None:
        said = SAID.findall(PAGE.read_text(encoding="utf-8").split("\n## Example\n")[1])
        self.assertEqual([name for name, _ in said],
                         ["hello_any", "welcome", "measurement_0", "command_0", "measurement_1", "command_1", "bye_over"])
        for name, block in said:
            # Each line: bytes, two blanks or more, what they are.
            digits = "".join(re.split(r" {2,}", line)[0] for line in block.splitlines())
            self.assertEqual(bytes.fromhex(digits), (FOLDER / f"{name}.bin").read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
