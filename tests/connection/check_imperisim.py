#!/usr/bin/env python3
"""A robot program written for ImperiSim drives the base of scenarios/machines/imperisim.xml, over pipes and over TCP; and
programs that send invalid bytes are reported and block nothing."""

import json
import math
import os
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", HERE.parents[1]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
PROGRAM = os.environ.get("IMPERISIM_PROGRAM", "")
SCENARIO = str(ROOT / "scenarios/machines/imperisim.xml")
ADDRESS = "//imperisim/@address="
WAIT = 200  # s; a process that takes longer hangs
TICK = math.radians(0.36)  # of a wheel
RADIUS = 0.05  # m


def motors(velocity: float = 0.0, terminate: int = 0) -> bytes:
    """A motor packet that turns motor 0."""
    packet = struct.pack("<B", terminate) + struct.pack("<ddB", velocity, 0.0, 0)
    return packet + struct.pack("<ddB", 0.0, 0.0, 0) * 13


class Imperisim(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, address: str, *options: str, controller: str = PROGRAM) -> tuple:
        """The result, the last line of the log by signal, and the output."""
        log = self.folder / "log.csv"
        done = subprocess.run([LOCKSTEP, "run", SCENARIO, "--json", "--set", ADDRESS + address, "--controller",
                               controller, "--log", str(log), *options],
                              capture_output=True, text=True, timeout=WAIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = log.read_text(encoding="utf-8").splitlines()
        names = [name.split(" [")[0] for name in lines[0].split(",")]
        return json.loads(done.stdout), dict(zip(names, map(float, lines[-1].split(",")))), done.stderr

    def pipe(self) -> str:
        return f"pipe:{self.folder / 'imperisim'}"

    def test_a_program_drives_to_its_goal_and_both_transports_give_the_same_bits(self) -> None:
        by_pipe, last, said = self.run_program(self.pipe())
        by_tcp, _, _ = self.run_program("tcp:127.0.0.1:0")
        self.assertEqual(by_pipe["hash"], by_tcp["hash"])
        (connection,) = by_pipe["connections"]
        self.assertEqual(connection["exchanges"], 200)  # 10 s in segments of 50 ms
        self.assertEqual(connection["bad"], 0)
        self.assertIn("terminated 1", said)
        self.assertIn("bumps 0", said)
        # Rolling: the distance is wheel angle times radius, minus one turn back from the wall.
        goal = last["base/left/goal"]
        self.assertEqual(last["base/left/at_goal"], 1.0)
        self.assertAlmostEqual(last["base/left-encoder/angle"], goal, delta=0.01)
        self.assertAlmostEqual(last["base/right-encoder/angle"], goal, delta=0.01)
        self.assertAlmostEqual(last["base/chassis/x"], RADIUS * goal, delta=0.02)
        # It saw the wall at 0.3 m: its face is at 1.45 m, the sensor 0.14 m before the middle, a segment is 9.4 mm long.
        turned = goal + 1000.0 * TICK
        self.assertAlmostEqual(RADIUS * turned, 1.45 - 0.3 - 0.14, delta=0.03)
        self.assertAlmostEqual(last["base/arm-encoder/angle"], math.radians(90.0), delta=0.02)
        told = dict(zip(("x", "goal"), (float(word.split()[1]) for word in
                                        next(line for line in said.splitlines() if "terminated" in line).split(": ")[-1]
                                        .split(", ")[:2])))
        # The deltas add up to the distance, except for the last one.
        self.assertAlmostEqual(told["x"], 1000.0 * last["base/chassis/x"], delta=1.0)
        self.assertAlmostEqual(told["goal"] * TICK, goal, delta=1e-9)

    def test_programs_that_get_the_bytes_wrong_are_told_so(self) -> None:
        for mistake, words in (("short", "received 200 of the 239 bytes of a motor packet"),
                               ("long", "3 extra bytes after a motor packet of 239 bytes"),
                               ("nan", "the velocity of motor 0 is not a finite number"),
                               ("garbage", "not a valid motor packet")):
            with self.subTest(mistake):
                program = f"{sys.executable} {HERE / 'check_imperisim.py'} {mistake}"
                result, last, said = self.run_program("tcp:127.0.0.1:0", "--for", "1s", "--set",
                                                      "//imperisim/@timeout=0.3 s", controller=program)
                (connection,) = result["connections"]
                self.assertEqual(connection["bad"], 1, said)
                self.assertIn(words, connection["problem"])
                self.assertEqual(connection["exchanges"], 20)
                self.assertEqual(last["base/left/velocity"], 100.0 * TICK, "it continues with the next segment")

    def test_a_program_that_stalls_or_leaves_does_not_hold_up_the_run(self) -> None:
        for mistake in ("stall", "leave"):
            with self.subTest(mistake):
                program = f"{sys.executable} {HERE / 'check_imperisim.py'} {mistake}"
                result, last, _ = self.run_program("tcp:127.0.0.1:0", "--for", "1s", "--set",
                                                   "//imperisim/@timeout=0.3 s", controller=program)
                self.assertEqual(result["connections"][0]["exchanges"], 20)
                self.assertEqual(last["base/left/velocity"], 100.0 * TICK, "the last command holds")


def misbehave(mistake: str) -> None:
    """A program that works for three segments, makes one mistake, and works again."""
    host, port = os.environ["LOCKSTEP_ADDRESS"].split(":")[1:]
    wire = socket.create_connection((host, int(port)))
    for segment in range(1000):
        packet = motors(100.0)
        if segment == 3:
            if mistake == "leave":
                return
            if mistake == "stall":
                while wire.recv(4096):  # until the simulation ends
                    pass
                return
            packet = {"short": packet[:200], "long": packet + b"abc", "nan": motors(math.nan),
                      "garbage": bytes(range(1, 240))}[mistake]
        wire.sendall(packet)
        sensors = b""
        while len(sensors) < 111:
            part = wire.recv(111 - len(sensors))
            if not part:
                return
            sensors += part
        if sensors[0] == 1:
            return


if __name__ == "__main__":
    if len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        misbehave(sys.argv[1])
    else:
        unittest.main()
