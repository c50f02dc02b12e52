"""Compiles and runs Botball programs given as text, for the tests of this folder."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RIG = str(HERE / "rig.xml")


class Run:
    """What a program printed, with the virtual time of each line, and how it ended."""

    def __init__(self, done: subprocess.CompletedProcess) -> None:
        self.code = done.returncode
        self.errors = done.stderr
        lines = re.findall(r"^ *(\d+\.\d{3})  (.*)$", done.stderr, re.MULTILINE)
        self.console = [(float(time), text) for time, text in lines if not text.startswith("lockstep: ")]
        self.notes = [text for _, text in lines if text.startswith("lockstep: ")]
        self.text = "\n".join(text for _, text in self.console)
        self.result = json.loads(done.stdout) if done.stdout.startswith("{") else {}

    @property
    def program(self) -> dict:
        return self.result["program"]

    def time_of(self, text: str) -> float:
        return next(time for time, line in self.console if line.startswith(text))


class BotballTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def launch(self, *arguments: object, before: tuple = ()) -> Run:
        """`before` is a command that runs it, such as nice."""
        return Run(subprocess.run([*before, os.environ["LOCKSTEP"], "botball", "run", *map(str, arguments), "--json"],
                                  capture_output=True, text=True, check=False))

    def run_text(self, text: str, era: str = "W", *options: object, name: str = "program.c", scenario: str = RIG) -> Run:
        file = self.path / name
        file.write_bytes(text.encode())
        return self.launch(file, "--era", era, "--scenario", scenario, *options)

    def run_main(self, body: str, era: str = "W", *options: object, before: str = "", scenario: str = RIG) -> Run:
        """A program with this body of main()."""
        return self.run_text(f"{before}\nint main()\n{{\n{body}\nreturn 0;\n}}\n", era, *options, scenario=scenario)
