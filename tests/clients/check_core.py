#!/usr/bin/env python3
"""The header for microcontrollers: golden messages, a run, and its size; and the package for Python."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
CONTROLLER = str(Path(os.environ["LOCKSTEP_BUILD_DIR"]) / "bin" / "core_controller")
GOLDEN = ROOT / "tests" / "golden_messages"
MAX_CODE = 1024  # bytes


class Core(unittest.TestCase):
    def test_it_decodes_and_encodes_the_golden_messages(self) -> None:
        names = ["garbage_then_message", "welcome", "measurement_0", "damaged_time", "command_without_session", "length_huge",
                 "measurement_1", "bye_over"]
        done = subprocess.run([CONTROLLER, *(str(GOLDEN / f"{name}.bin") for name in names[1:7])], capture_output=True, text=True,
                              timeout=60, check=True)
        *messages, hello, command = done.stdout.splitlines()
        self.assertEqual(messages, ["2 4660 0", "3 4660 0.25", "3 4660 0.2470703125"])
        self.assertEqual(hello, (GOLDEN / "hello_any.bin").read_bytes().hex())
        self.assertEqual(command, (GOLDEN / "command_1.bin").read_bytes().hex())

    def test_it_drives_the_arm(self) -> None:
        done = subprocess.run([os.environ["LOCKSTEP"], "run", str(ROOT / "scenarios/arms/wired-arm.xml"), "--for", "0.1s", "--json",
                               "--controller", CONTROLLER, "--set", "//connections/wire/@timeout=30 s"],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (connection,) = json.loads(done.stdout)["connections"]
        self.assertEqual((connection["controller"], connection["exchanges"], connection["bad"]), ("core", 50, 0))

    def test_it_has_less_than_a_kilobyte_of_code(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "all.c"
            source.write_text('#define inline\n#define static\n#include "lockstep_core.h"\n', encoding="utf-8")
            subprocess.run(["cc", "-Os", "-c", "-I", str(ROOT / "clients/c"), "-o", f"{folder}/all.o", str(source)], check=True,
                           timeout=60)
            sizes = subprocess.run(["size", "-A", f"{folder}/all.o"], capture_output=True, text=True, check=True, timeout=60)
        code = sum(int(line.split()[1]) for line in sizes.stdout.splitlines() if line.startswith((".text", ".rodata")))
        self.assertGreater(code, 100)
        self.assertLess(code, MAX_CODE)


class PythonPackage(unittest.TestCase):
    def test_its_wheel_is_built_without_network_or_other_packages(self) -> None:
        """As pip calls the backend; -S and -I keep installed packages away."""
        with tempfile.TemporaryDirectory() as folder:
            build = f"import sys; sys.path.insert(0, {str(ROOT / 'clients/python')!r}); import build_backend; " \
                    f"print(build_backend.build_wheel({folder!r}))"
            done = subprocess.run([sys.executable, "-I", "-S", "-c", build], capture_output=True, text=True, timeout=60, check=True)
            wheel = f"{folder}/{done.stdout.strip()}"
            use = f"import sys; sys.path.insert(0, {wheel!r}); import lockstep_client; print(lockstep_client.__file__)"
            done = subprocess.run([sys.executable, "-I", "-S", "-c", use], capture_output=True, text=True, timeout=60, check=True)
            self.assertTrue(done.stdout.startswith(wheel))


if __name__ == "__main__":
    unittest.main()
