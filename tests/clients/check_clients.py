#!/usr/bin/env python3
"""The C and the Python client against the stand-in for a simulation, over every transport: exact results despite
message faults, and an error text when the simulation rejects, closes, dies or hangs."""

import functools
import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

from stand_in_simulation import StandIn, run_alone

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from transports import (STREAMS, TRANSPORTS, WITH_WAITING_LINE, WITHOUT_WAITING_LINE,  # noqa: E402
                        local_address)  # noqa: E402, F401

CLIENTS = {
    "C": [str(Path(os.environ["LOCKSTEP_BUILD_DIR"]) / "bin" / "client_probe")],
    "Python": [sys.executable, str(HERE / "probe.py")],
}
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
SECONDS = 60


def start(client: str, address: str, what: str = "hold", connect_timeout: float = 20.0,
          step_timeout: float = 0.0) -> subprocess.Popen:
    command = [*CLIENTS[client], address, str(connect_timeout), str(step_timeout), what]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


def finish(process: subprocess.Popen) -> dict:
    """Its output, as {word: rest of the line}."""
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"the controller hangs:\n{out}{err}") from None
    if process.returncode != 0 or err:
        raise AssertionError(f"the controller ended with {process.returncode}:\n{out}{err}")
    return dict(line.split(": ", 1) for line in out.splitlines())


def over(*transports: str):
    """Runs a test with each client over each of these transports."""
    def decorate(test):
        @functools.wraps(test)
        def run(self: unittest.TestCase) -> None:
            for client in CLIENTS:
                for kind in transports:
                    with self.subTest(client=client, transport=kind):
                        test(self, client, kind)
        return run
    return decorate


class Clients(unittest.TestCase):
    def hold(self, client: str, kind: str, steps: int, fault: str = "", what: str = "hold", first: int = 0) -> tuple:
        """A complete run. Returns the checked outputs of controller and simulation."""
        with StandIn(kind, steps, fault, first) as simulation:
            said = finish(start(client, simulation.address, what))
            result = simulation.result()
        self.assertEqual(result["problems"], [])
        self.assertEqual((result["x"], result["v"]), run_alone(steps))
        self.assertEqual((said.get("result"), said["steps"]), ("0", str(steps)), said)
        self.assertEqual(said["time"], f"{(steps - 1) * 1e-3:.9f}")
        self.assertEqual(said["allocations"], "0")
        return said, result

    @over(*TRANSPORTS)
    def test_thousands_of_exchanges_give_the_result_of_a_run_without_a_wire(self, client: str, kind: str) -> None:
        said, result = self.hold(client, kind, 3000)
        self.assertEqual(said["bad"], "0")
        self.assertEqual(result["hello"], {"version": 1, "hash": 0, "period": 0, "name": "probe", "reads": {},
                                           "writes": {}})

    @over("unix")
    def test_the_handshake_tells_signals_units_limits_and_period(self, client: str, kind: str) -> None:
        said, _ = self.hold(client, kind, 1)
        self.assertEqual([said[key] for key in ("period", "reads", "writes", "unknown")],
                         ["0.001", "2 mass/x m/s", "1 mass/force N -10 inf", "-1 -1"])

    @over("unix")
    def test_demands_reach_the_simulation(self, client: str, kind: str) -> None:
        _, result = self.hold(client, kind, 1, what="insist")
        self.assertEqual(result["hello"], {
            "version": 1, "hash": 0x0123456789ABCDEF, "period": 2000000, "name": "probe", "reads": {"mass/x": "in"},
            "writes": {"mass/force": "lbf"}})

    @over("unix")
    def test_sequence_numbers_go_round(self, client: str, kind: str) -> None:
        self.hold(client, kind, 20, first=2**32 - 10)

    @over(*TRANSPORTS)
    def test_duplicates_get_the_same_answer_again(self, client: str, kind: str) -> None:
        _, result = self.hold(client, kind, 200, "duplicate")
        # The answer to the last duplicate may arrive after the end.
        self.assertGreaterEqual(result["duplicates"], 199)

    @over(*TRANSPORTS)
    def test_a_lost_answer_is_sent_again(self, client: str, kind: str) -> None:
        self.hold(client, kind, 200, "lose")

    @over(*TRANSPORTS)
    def test_damaged_messages_are_dropped_and_counted(self, client: str, kind: str) -> None:
        said, _ = self.hold(client, kind, 300, "damage")
        # Two bad pieces in two of three exchanges, and one before. On a stream, one may count as several or as part of
        # another, depending on where the damage is.
        self.assertAlmostEqual(int(said["bad"]), 401, delta=0 if TRANSPORTS[kind].keeps_messages else 60)

    @over(*TRANSPORTS)
    def test_messages_that_have_no_business_here_change_nothing(self, client: str, kind: str) -> None:
        said, _ = self.hold(client, kind, 300, "hostile")
        self.assertGreater(int(said["bad"]), 150)

    @over(*STREAMS)
    def test_messages_may_come_byte_by_byte(self, client: str, kind: str) -> None:
        self.hold(client, kind, 20, "dribble")

    @over(*TRANSPORTS)
    def test_in_real_time_the_newest_measurement_is_answered(self, client: str, kind: str) -> None:
        with StandIn(kind, 100, "real_time") as simulation:
            said, result = finish(start(client, simulation.address)), simulation.result()
        self.assertEqual((said["result"], said["time"]), ("0", "0.099000000"))
        self.assertEqual((result["problems"], result["exchanges"]), ([], 100))
        # Five arrive at once; where they cannot arrive in pieces, four of them are skipped.
        (self.assertEqual if kind == "unix" else self.assertGreaterEqual)(int(said["steps"]), 20)

    @over(*TRANSPORTS)
    def test_a_controller_that_left_is_followed_by_the_next(self, client: str, kind: str) -> None:
        with StandIn(kind, 100) as simulation:
            first = finish(start(client, simulation.address, "leave"))
            second = finish(start(client, simulation.address))
            result = simulation.result()
        self.assertEqual((first["steps"], second["steps"]), ("10", "91"))  # the tenth was not answered
        self.assertEqual((result["x"], result["v"]), run_alone(100))
        self.assertEqual((result["connections"], result["problems"]), (2, []))

    @over(*STREAMS)
    def test_a_controller_that_was_killed_is_followed_by_the_next(self, client: str, kind: str) -> None:
        with StandIn(kind, 10**6) as simulation:
            first = start(client, simulation.address)
            simulation.await_connection()
            first.kill()
            first.communicate()
            # A client that opens the pipes of a connection that has just ended is disconnected, and retries.
            for _ in range(10 if kind == "pipe" else 1):
                steps = finish(start(client, simulation.address, "leave")).get("steps")
                if steps == "10":
                    break
            self.assertEqual(steps, "10")

    @over("unix")
    def test_a_mistake_of_the_controller_is_said_and_can_be_fixed(self, client: str, kind: str) -> None:
        said, _ = self.hold(client, kind, 100, what="nan")
        self.assertEqual(said["mistake"], "-1 command 'mass/force' is nan; expected a finite number")
        said, _ = self.hold(client, kind, 100, what="index")
        self.assertEqual(said["mistake"], {
            "C": "-1 lockstep_write: invalid index; the controller writes 1 signals",
            "Python": "-1 the controller does not write 'mass/forze'; it writes mass/force"}[client])

    @over(*TRANSPORTS)
    def test_an_error_that_leaves_the_connection_open_is_survived(self, client: str, kind: str) -> None:
        said, _ = self.hold(client, kind, 100, "error_5", "patient")
        self.assertEqual((said["error"], said["connected"]),
                         ("the simulation reports: command 'mass/force' is not finite (code 5)", "1"))

    @over(*TRANSPORTS)
    def test_an_error_that_ends_the_connection_is_told(self, client: str, kind: str) -> None:
        with StandIn(kind, 20, "error_8") as simulation:
            said = finish(start(client, simulation.address))
        self.assertEqual((said["error"], said["connected"], said["steps"]),
                         ("the simulation reports: the controller was silent for 1 s (code 8)", "0", "10"))

    @over(*TRANSPORTS)
    def test_a_rejection_is_told_in_the_words_of_the_simulation(self, client: str, kind: str) -> None:
        for fault, sentence in (("reject", "there is no signal 'mass/y'; the connection has 'mass/x', 'mass/v' (code 2)"),
                                ("version", "version 1 is not supported; expected 9 (code 1)")):
            with StandIn(kind, 10, fault) as simulation:
                said = finish(start(client, simulation.address))
            self.assertEqual(said, {"rejected": f"the simulation rejected: {sentence}"})

    @over("unix")
    def test_a_welcome_that_is_wrong_is_rejected(self, client: str, kind: str) -> None:
        endings = {"welcome_version": "has an unsupported protocol version; expected 1",
                   "welcome_hash": "has a schema hash that does not match its content",
                   "welcome_tail": "has a length that does not match its content",
                   "welcome_short": "has a length that does not match its content",
                   "welcome_empty": "has a length that does not match its content",
                   "welcome_text": "has a text with invalid UTF-8 or control characters",
                   "welcome_mode": "has an unknown mode"}
        for fault, ending in endings.items():
            with StandIn(kind, 10, fault) as simulation:
                said = finish(start(client, simulation.address))
            self.assertEqual(said, {"rejected": f"the simulation's WELCOME {ending}"})

    @over(*WITH_WAITING_LINE)
    def test_a_busy_simulation_is_tried_again(self, client: str, kind: str) -> None:
        _, result = self.hold(client, kind, 10, "busy")
        self.assertEqual(result["connections"], 4)

    @over(*WITHOUT_WAITING_LINE)
    def test_a_second_controller_is_kept_out_where_the_transport_can(self, client: str, kind: str) -> None:
        with StandIn(kind, 10**6) as simulation:
            first = start(client, simulation.address)
            simulation.await_connection()
            second = finish(start(client, simulation.address, connect_timeout=0.2))
            self.assertIn("another controller is connected", second["rejected"])
            first.kill()
            first.communicate()

    @over(*STREAMS)
    def test_a_sudden_end_is_told(self, client: str, kind: str) -> None:
        with StandIn(kind, 20, "close") as simulation:
            said = finish(start(client, simulation.address))
        self.assertEqual((said["error"], said["result"], said["steps"]),
                         ("the simulation closed the connection without a BYE", "-1", "10"))

    @over(*TRANSPORTS)
    def test_a_simulation_that_was_killed_does_not_leave_the_controller_waiting(self, client: str, kind: str) -> None:
        with StandIn(kind, 20, "die") as simulation:
            process = start(client, simulation.address)
            simulation.process.join()
            said = finish(process)
        self.assertEqual((said["result"], said["connected"], said["steps"]), ("-1", "0", "10"))

    @over(*TRANSPORTS)
    def test_a_simulation_that_stands_still_ends_in_a_timeout(self, client: str, kind: str) -> None:
        with StandIn(kind, 10**7) as simulation:
            process = start(client, simulation.address, step_timeout=1.0)
            simulation.await_connection()
            os.kill(simulation.process.pid, signal.SIGSTOP)
            said = finish(process)
        self.assertEqual((said["error"], said["connected"], said["result"]),
                         ("no measurement within 1 s; the simulation may be paused or stopped", "1", "-1"))

    @over(*TRANSPORTS)
    def test_a_simulation_that_stood_still_goes_on_where_it_was(self, client: str, kind: str) -> None:
        with StandIn(kind, 2000) as simulation:
            process = start(client, simulation.address)
            simulation.await_connection()
            os.kill(simulation.process.pid, signal.SIGSTOP)
            continuing = threading.Timer(0.5, os.kill, (simulation.process.pid, signal.SIGCONT))
            continuing.start()
            said, result = finish(process), simulation.result()
            continuing.join()
        self.assertEqual((said["result"], said["steps"]), ("0", "2000"))
        self.assertEqual(((result["x"], result["v"]), result["problems"]), (run_alone(2000), []))

    def test_no_simulation_is_reported_after_the_timeout(self) -> None:
        addresses = {"tcp:127.0.0.1:1": "Connection refused", "unix:/nowhere/at/all": "No such file or directory",
                     "pipe:/nowhere/at/all": "No such file or directory",
                     "shm:does-not-exist": "No such file or directory"}
        for client in CLIENTS:
            for address, why in addresses.items():
                with self.subTest(client=client, address=address):
                    said = finish(start(client, address, connect_timeout=0.1))
                    self.assertEqual(said, {"rejected": f"{address}: {why}"})

    def test_an_address_that_is_none_is_told_at_once(self) -> None:
        for client in CLIENTS:
            for address in ("serial:/dev/ttyS0", "tcp:7000", "tcp::", "shm:../etc/passwd", "shm:", "unix:",
                            "unix:" + 200 * "x"):
                with self.subTest(client=client, address=address):
                    self.assertIn(address.partition(":")[2], finish(start(client, address))["rejected"])

    def test_a_file_that_is_not_a_pair_of_rings_is_rejected(self) -> None:
        name = f"lockstep-test-{os.getpid()}-rings"
        path = Path("/dev/shm") / name
        self.addCleanup(path.unlink)
        for ring_size in (0, 3, 2**31, 8192):
            header = b"LKSSHM1\0" + ring_size.to_bytes(4, "little") + os.getpid().to_bytes(4, "little")
            path.write_bytes(header.ljust(4096 + 2 * 4096, b"\0"))
            for client in CLIENTS:
                with self.subTest(client=client, ring_size=ring_size):
                    self.assertEqual(finish(start(client, f"shm:{name}")),
                                     {"rejected": f"shm:{name}: the file has the wrong size for two rings"})


if __name__ == "__main__":
    unittest.main()
