#!/usr/bin/env python3
"""Controllers that know two structs and nothing of Lockstep drive the arm of scenarios/arms/packet-arm.xml."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import unittest
import zlib
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
SCENARIO = str(ROOT / "scenarios/arms/packet-arm.xml")
IN_C = os.environ.get("PACKET_ARM", "")
IN_PYTHON = f"{sys.executable} {ROOT / 'examples/controllers/packet_arm.py'}"
PATIENCE = ["--set", "//packet/@timeout=30 s", "--set", "//packet/@connect_timeout=60 s"]
WAIT = 120  # s


def run(*options: str) -> tuple:
    done = subprocess.run([LOCKSTEP, "run", SCENARIO, "--json", *PATIENCE, *options], capture_output=True, text=True,
                          timeout=WAIT, check=False)
    return json.loads(done.stdout), done


class Packets(unittest.TestCase):
    def test_both_controllers_hold_the_arm_with_the_same_bits(self) -> None:
        hashes = set()
        for controller in (IN_C, IN_PYTHON):
            for pace in ([], ["--realtime", "--no-rt"]):
                result, done = run("--for", "0.5s", "--controller", controller, *pace)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                (connection,) = result["connections"]
                self.assertEqual(connection["exchanges"], 250)
                self.assertEqual(connection["bad"], 1, "the announcement is not a packet")
                hashes.add(result["hash"])
        self.assertEqual(len(hashes), 1)

    def test_their_length_is_that_of_the_page(self) -> None:
        for name in ("packet_arm.c", "packet_arm.py"):
            lines = (ROOT / "examples/controllers" / name).read_text(encoding="utf-8").splitlines()
            code = [line for line in lines if line.strip() and not line.startswith(("#", "/*", '"""', "import"))]
            self.assertLessEqual(len(code), 30, name)

    def test_the_first_packets_are_the_golden_ones(self) -> None:
        """The arm starts at rest, with the shoulder at 30 degrees: the bytes follow from the scenario alone."""
        wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(wire.close)
        wire.bind(("127.0.0.1", 0))
        wire.settimeout(60.0)
        heard = []

        def control() -> None:
            for _ in range(2):
                data, remote = wire.recvfrom(64)
                heard.append(data)
                order = struct.pack("<HHii", 21930, struct.unpack_from("<H", data, 2)[0], 5000, -2500)
                wire.sendto(order + bytes([sum(order) % 256]), remote)

        thread = threading.Thread(target=control, daemon=True)
        thread.start()
        address = f"udp:127.0.0.1:{wire.getsockname()[1]}"
        result, done = run("--for", "3ms", "--set", f"//packet/@address={address}", "--set", "//packet/@connect=true")
        thread.join(WAIT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(result["connections"][0]["bad"], 0)
        body = bytes.fromhex("5AA5" "0100" "00000000" "00000000" "7414" "0000")  # 5236 = 0x1474: 30 deg in 0.1 mrad
        self.assertEqual(heard[0].hex(), (body + struct.pack("<I", zlib.crc32(body))).hex())
        self.assertEqual(heard[1][:4].hex(), "5aa50200")
        self.assertEqual(len(heard[1]), 20)

    def test_errors_of_a_description_have_their_place(self) -> None:
        for edit, words in (("//receive/field[3]/@signal=elbow/angle", "only command signals can be received"),
                            ("//send/field[1]/@type=f32", "needs an integer"),
                            ("//send/field[2]/@content=echo", "an echo needs a packet that it answers"),
                            ("//send/field[5]/@scale=0.1 m", "scale"),
                            ("//send/field[5]/@scale=0", "is 0"),
                            ("//packet/@address=shm:arm", "does not fit"),
                            ("//send/field[3]/@signal=shoulder/sped", "shoulder/speed")):
            done = subprocess.run([LOCKSTEP, "check", SCENARIO, "--set", edit], capture_output=True, text=True, timeout=WAIT,
                                  check=False)
            self.assertEqual(done.returncode, 2, edit)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
