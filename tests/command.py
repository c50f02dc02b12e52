"""Runs the `lockstep` command in a temporary folder, for the tests of files that it reads and writes."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path


def lockstep(*arguments: object, cache: str = "") -> subprocess.CompletedProcess:
    """`cache`: a folder for what is kept between runs; without it, nothing is."""
    return subprocess.run([os.environ["LOCKSTEP"], *map(str, arguments)], capture_output=True, text=True, check=False,
                          env=os.environ | {"XDG_CACHE_HOME": cache, "HOME": ""})


class CommandTest(unittest.TestCase):
    """Each test has an empty folder, `path`."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def do(self, *arguments: object) -> str:
        """What a command that must succeed prints."""
        done = lockstep(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")
        return done.stdout
