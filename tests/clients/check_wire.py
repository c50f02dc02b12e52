#!/usr/bin/env python3
"""The clients against the simulator, over every transport: the same result as a run without a connection, even if a
controller leaves and the next one continues."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from check_clients import CLIENTS, TRANSPORTS, finish, local_address, start
from stand_in_simulation import run_alone

SERVER = str(Path(os.environ["LOCKSTEP_BUILD_DIR"]) / "bin" / "wire_server")
STEPS = 2000


class Wire(unittest.TestCase):
    def hold(self, client: str, kind: str, folder: str) -> None:
        command = [SERVER, local_address(kind, folder, "wire"), str(STEPS)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            self.addCleanup(server.kill)
            address = server.stdout.readline().strip()
            first = finish(start(client, address, "leave"))
            second = finish(start(client, address))
            end = server.stdout.read().split()
        self.assertEqual((first["steps"], second["steps"], second["result"]), ("10", str(STEPS - 9), "0"))
        self.assertEqual((second["bad"], second["allocations"]), ("0", "0"))
        self.assertEqual(tuple(map(float.fromhex, end)), run_alone(STEPS))

    def test_two_controllers_after_each_other_give_the_result_of_a_run_without_a_wire(self) -> None:
        for client in CLIENTS:
            for kind in TRANSPORTS:
                with self.subTest(client=client, transport=kind), tempfile.TemporaryDirectory() as folder:
                    self.hold(client, kind, folder)


if __name__ == "__main__":
    unittest.main()
