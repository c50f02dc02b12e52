#!/usr/bin/env python3
"""Runs with a controller in a separate process: connections in `lockstep run` and `lockstep replay`."""

import grp
import json
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import controller as protocol  # noqa: E402

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", HERE.parents[1]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
SCENARIO = str(ROOT / "scenarios/arms/wired-arm.xml")
CONTROLLER = f"{sys.executable} {HERE / 'controller.py'}"
CONNECTION = "//connections/wire/@"
WAIT = 120  # s; a process that takes longer hangs


class Result:
    def __init__(self, *arguments: str):
        done = subprocess.run([LOCKSTEP, *arguments], capture_output=True, text=True, timeout=WAIT, check=False)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self) -> dict:
        return json.loads(self.out)


# Long enough that a busy machine does not make a controller silent.
PATIENCE = ["--set", f"{CONNECTION}timeout=30 s", "--set", f"{CONNECTION}connect_timeout=60 s"]


def run(*options: str, length: str = "0.4s", controller: str = CONTROLLER) -> Result:
    return Result("run", SCENARIO, "--for", length, "--json", "--controller", controller, *PATIENCE, *options)


class Connections(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def test_a_controller_is_started_finds_its_connection_and_drives_the_arm(self) -> None:
        done = run("--log", self.file("log.csv"))
        self.assertEqual(done.code, 0, done.err)
        result = done.json()
        (connection,) = result["connections"]
        self.assertEqual(connection["name"], "arm/plc")
        self.assertEqual(connection["exchanges"], 200)  # 0.4 s every 2 ms
        for count in ("late", "lost", "duplicate", "bad", "reconnects", "missed"):
            self.assertEqual(connection[count], 0, count)
        self.assertGreater(connection["round_trip"]["median"], 0.0)
        self.assertLessEqual(connection["round_trip"]["median"], connection["round_trip"]["worst"])
        self.assertRegex(done.err, r"(?m)^connection 'arm/plc': listens on tcp:127\.0\.0\.1:[1-9]\d*$")
        self.assertIn("exit code 0", result["controllers"][0]["result"])
        header = (self.folder / "log.csv").read_text(encoding="utf-8").splitlines()[0]
        for signal_name in ("arm/plc/late", "arm/plc/connected", "arm/plc/round_trip [s]"):
            self.assertIn(signal_name, header)

    def test_a_controller_that_ends_before_it_answers_ends_the_run_with_its_command_and_code(self) -> None:
        # The connection would wait for an hour; the run must not.
        waits = ["--set", f"{CONNECTION}connect_timeout=3600 s"]
        for command, how in (("no_such_program_42", "exit code 127"), ("exit 3", "exit code 3"),
                             ("kill -SEGV $$", "signal 11"), ("true", "exit code 0")):
            for silence in ("stop", "pause", "hold"):
                done = run(*waits, "--set", f"{CONNECTION}silence={silence}", controller=command)
                self.assertEqual(done.code, 1, done.err)
                result = done.json()
                self.assertEqual(result["status"], "controller lost", command)
                self.assertEqual(result["steps"], 0)
                self.assertEqual(result["cause"], f"controller '{command}' ended with {how} before it answered")
                self.assertEqual(result["controllers"], [{"command": command, "result": how}])

    def test_a_controller_that_ends_later_ends_a_run_that_would_stop_at_once(self) -> None:
        begin = time.monotonic()
        done = run("--set", f"{CONNECTION}timeout=3600 s", controller=f"{CONTROLLER} --leave-after 50 --exit-code 3")
        self.assertLess(time.monotonic() - begin, WAIT)
        result = done.json()
        self.assertEqual((done.code, result["status"], result["subject"]), (1, "controller lost", "arm/plc"))
        self.assertTrue(result["cause"].endswith("ended with exit code 3"), result["cause"])
        self.assertIn("ended with exit code 3 at 0.1 s", done.err)
        events = [event["event"] for event in result["connections"][0]["events"]]
        self.assertEqual(events[:2], ["connected", "left"])

    def test_silence_pause_and_return_are_said_once(self) -> None:
        leaver = f"{CONTROLLER} --leave-after 50; sleep 1; exec {CONTROLLER}"
        done = run("--set", f"{CONNECTION}timeout=0.2 s", "--set", f"{CONNECTION}silence=pause", controller=leaver)
        self.assertEqual(done.code, 0, done.err)
        said = [line for line in done.err.splitlines() if line.startswith("connection 'arm/plc': ")]
        self.assertEqual(said[1:], ["connection 'arm/plc': paused at 0.1 s: no answer for 0.2 s; simulated time is paused "
                                    "until a controller answers",
                                    "connection 'arm/plc': returned at 0.1 s: a controller answers again; simulated time "
                                    "goes on"])
        done = run("--set", f"{CONNECTION}timeout=0.2 s", "--set", f"{CONNECTION}silence=hold",
                   controller=f"{CONTROLLER} --leave-after 50 --exit-code 3")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(done.err.count("silent at 0.1 s: no answer for 0.2 s; its last commands are held"), 1)
        self.assertIn("ended with exit code 3", done.err)

    def test_the_name_of_the_controller_and_why_it_was_rejected_are_told(self) -> None:
        done = run()
        self.assertEqual(done.json()["connections"][0]["controller"], "test")
        self.assertEqual(done.json()["connections"][0]["problem"], "")
        bad = "import lockstep_client; lockstep_client.connect(name='picky', reads={'arm/elbow/angel': 'rad'})"
        done = run("--set", f"{CONNECTION}connect_timeout=3 s",
                   controller=f"PYTHONPATH={ROOT}/clients/python {sys.executable} -c \"{bad}\"; sleep 9")
        (connection,) = done.json()["connections"]
        self.assertIn("did you mean 'arm/elbow/angle'?", connection["problem"])
        self.assertIn("no command for 3 s", done.json()["cause"])
        self.assertEqual([event["event"] for event in connection["events"]], ["rejected", "silent"])

    def test_only_when_all_controllers_have_ended_is_there_nothing_to_wait_for(self) -> None:
        waits = ["--set", f"{CONNECTION}connect_timeout=3600 s"]
        done = run(*waits, "--controller", "no_such_program_42")  # beside one that answers
        self.assertEqual(done.code, 0, done.err)
        done = run(*waits, "--controller", "exit 3", controller="exit 4")
        self.assertEqual(done.json()["cause"], "controller 'exit 4' ended with exit code 4 before it answered, "
                                               "controller 'exit 3' ended with exit code 3 before it answered")

    def test_what_a_command_leaves_in_the_background_may_answer(self) -> None:
        done = run("--set", f"{CONNECTION}connect_timeout=3600 s", controller=f"sleep 1 && {CONTROLLER} &")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(done.json()["connections"][0]["exchanges"], 200)

    def test_two_runs_in_lock_step_give_the_same_bits(self) -> None:
        self.assertEqual(run().json()["hash"], run().json()["hash"])

    def test_a_recorded_run_replays_without_the_controller(self) -> None:
        recorded = run("--record", self.file("run.rec"))
        self.assertEqual(recorded.code, 0, recorded.err)
        replayed = Result("replay", self.file("run.rec"), "--json")
        self.assertEqual(replayed.code, 0, replayed.out + replayed.err)
        self.assertTrue(replayed.json()["same"])
        self.assertEqual(replayed.json()["hash"], recorded.json()["hash"])

    def test_the_recorded_machine_tells_the_same_controller_from_another(self) -> None:
        self.assertEqual(run("--record", self.file("run.rec")).code, 0)
        plant = ("replay", self.file("run.rec"), "--as-plant", "--json", "--controller")
        same = Result(*plant, CONTROLLER)
        self.assertEqual(same.code, 0, same.out + same.err)
        self.assertEqual(same.json()["exchanges"], 200)
        changed = Result(*plant, f"{CONTROLLER} --change-at 51")
        self.assertEqual(changed.code, 1)
        difference = changed.json()["difference"]
        self.assertEqual((difference["exchange"], difference["step"]), (51, 100))
        self.assertEqual(difference["signal"], "arm/shoulder_motor/torque")
        self.assertAlmostEqual(difference["received"] - difference["recorded"], 0.5)
        self.assertEqual(Result(*plant, f"{CONTROLLER} --change-at 51", "--tolerance", "0.6").code, 0)

    def test_a_controller_that_leaves_ends_the_run_and_what_was_recorded_replays(self) -> None:
        lost = run("--record", self.file("lost.rec"), "--set", f"{CONNECTION}timeout=4 s",
                   controller=f"{CONTROLLER} --leave-after 50 --exit-code 3; sleep 9; exit 3")
        self.assertEqual(lost.code, 1)
        result = lost.json()
        self.assertEqual((result["status"], result["subject"]), ("controller lost", "arm/plc"))
        self.assertEqual(result["cause"], "no command for 4 s; 0 messages lost, last answer at step 98")
        self.assertIn("signal 15", result["controllers"][0]["result"])
        replayed = Result("replay", self.file("lost.rec"), "--json")
        self.assertEqual(replayed.code, 0, replayed.out + replayed.err)

    def test_a_run_that_holds_goes_on_without_its_controller(self) -> None:
        done = run("--set", f"{CONNECTION}timeout=4 s", "--set", f"{CONNECTION}silence=hold",
                   controller=f"{CONTROLLER} --leave-after 50")
        self.assertEqual(done.code, 0, done.err)
        (connection,) = done.json()["connections"]
        self.assertEqual((connection["exchanges"], connection["late"]), (200, 150))

    def test_a_controller_that_hangs_is_ended_after_the_run(self) -> None:
        done = run("--set", f"{CONNECTION}timeout=0.2 s", controller=f"{CONTROLLER} --hang-after 10")
        self.assertEqual(done.code, 1)
        self.assertEqual(done.json()["status"], "controller lost")
        self.assertEqual(done.json()["controllers"][0]["result"], "signal 15")

    def test_without_a_controller_the_run_ends_after_the_time_to_connect(self) -> None:
        done = Result("run", SCENARIO, "--json", "--set", f"{CONNECTION}connect_timeout=0.1 s", "--set", f"{CONNECTION}timeout=0.1 s")
        self.assertEqual(done.code, 1)
        self.assertEqual(done.json()["cause"], "no command for 0.1 s; 0 messages lost, no answer yet")
        self.assertEqual(done.json()["steps"], 0)

    def test_a_pause_is_ended_by_an_interrupt(self) -> None:
        process = subprocess.Popen(
            [LOCKSTEP, "run", SCENARIO, "--json", "--set", f"{CONNECTION}silence=pause", "--set", f"{CONNECTION}timeout=0.1 s",
             "--set", f"{CONNECTION}connect_timeout=0.1 s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertIn("listens on", process.stderr.readline())
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "simulated time is paused until a controller answers")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=WAIT)
        self.assertEqual((process.returncode, json.loads(out)["status"]), (1, "interrupted"))

    def test_a_saved_run_continues_with_a_new_controller(self) -> None:
        whole = run().json()["hash"]
        self.assertEqual(run("--save", self.file("at.snap"), length="0.1s").code, 0)
        rest = run("--load", self.file("at.snap"), length="0.3s")
        self.assertEqual(rest.code, 0, rest.err)
        self.assertEqual(rest.json()["hash"], whole)

    def test_an_address_that_others_can_reach_needs_a_token(self) -> None:
        done = Result("check", SCENARIO, "--set", f"{CONNECTION}address=tcp:0.0.0.0:0")
        self.assertEqual(done.code, 2)
        self.assertIn("other machines can reach '0.0.0.0'; expected a 'token' that controllers must send", done.err)
        token = ["--set", f"{CONNECTION}address=tcp:0.0.0.0:0", "--set", f"{CONNECTION}token=s3cret"]
        done = Result("check", SCENARIO, *token)
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("warning: connection 'arm/plc': other machines can reach '0.0.0.0', and nothing is encrypted", done.err)
        hold = f"PYTHONPATH={ROOT}/clients/python {sys.executable} {ROOT}/examples/controllers/hold_angle.py"
        for secret, is_good in (("s3cret", True), ("s3cret2", False), ("", False)):
            address = "export LOCKSTEP_ADDRESS=$(echo $LOCKSTEP_ADDRESS | sed s/0.0.0.0/127.0.0.1/);"
            done = run(*token, controller=f"{address} LOCKSTEP_TOKEN={secret} {hold}")
            self.assertEqual(done.code, 0 if is_good else 1, done.err)
            problem = "" if is_good else "the token is wrong" if secret else "the connection needs a token"
            self.assertIn(problem, done.json()["connections"][0]["problem"])

    def test_only_permitted_hosts_and_groups_can_connect(self) -> None:
        for allowed, is_good in (("10.0.0.0/8 127.0.0.0/8", True), ("10.0.0.0/8", False)):
            done = run("--set", f"{CONNECTION}allow={allowed}", "--set", f"{CONNECTION}connect_timeout=2 s",
                       controller=f"{CONTROLLER}; sleep 9")
            self.assertEqual(done.code, 0 if is_good else 1, done.err)
        for edits, words in ((["allow=10.0.0.300"], "'10.0.0.300' is not an address"), (["allow=10.0.0.0/33"], "is not an address"),
                             (["group=no_such_group"], "does not apply to TCP"),
                             (["group=no_such_group", "address=unix:x"], "there is no group 'no_such_group'"),
                             (["allow=10.0.0.1", "address=unix:x"], "applies only to TCP and UDP"),
                             (["connect=true", "address=shm:x"], "only to TCP and Unix sockets")):
            edits = [part for edit in edits for part in ("--set", CONNECTION + edit)]
            done = Result("check", SCENARIO, *edits)
            self.assertEqual(done.code, 2, edits)
            self.assertIn(words, done.err)

    def test_a_group_may_use_the_files(self) -> None:
        group = grp.getgrgid(os.getgid()).gr_name
        process = subprocess.Popen([LOCKSTEP, "run", SCENARIO, "--set", f"{CONNECTION}address=unix:{self.file('s')}", "--set",
                                    f"{CONNECTION}group={group}"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stderr.close)
        self.assertIn("listens on", process.stderr.readline())
        self.assertEqual(stat.S_IMODE(os.stat(self.file("s")).st_mode), 0o660)

    def test_the_simulation_connects_to_a_controller_that_listens(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            address = f"tcp:127.0.0.1:{listener.getsockname()[1]}"
            process = subprocess.Popen([LOCKSTEP, "run", SCENARIO, "--for", "0.1s", "--json", *PATIENCE, "--set",
                                        f"{CONNECTION}address={address}", "--set", f"{CONNECTION}connect=true"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            listener.settimeout(WAIT)
            wire, _ = listener.accept()
            with wire:
                wire.sendall(protocol.message(protocol.HELLO, 0, 0, struct.pack("<IQq", 1, 0, 0) +
                                                protocol.text("test") + struct.pack("<HH", 0, 0)))
                other = object.__new__(protocol.Wire)
                other.socket = wire
                while (message := other.receive())[0] != protocol.BYE:
                    if message[0] == protocol.MEASUREMENT:
                        other.send(protocol.COMMAND, message[1], message[2], struct.pack("<2d", 1.0, -1.0))
            out, err = process.communicate(timeout=WAIT)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(json.loads(out)["connections"][0]["exchanges"], 50)

    def test_timing_is_diagnosed(self) -> None:
        done = run("--realtime", "--no-rt", length="0.2s")
        result = done.json()
        (connection,) = result["connections"]
        for times in (connection["round_trip"], connection["jitter"]):
            self.assertGreaterEqual(times["worst"], times["median"])
            self.assertLessEqual(times["worst_at"], 0.2)
        # The first exchange, in which the controller connects, is not a round trip.
        self.assertEqual(sum(part["exchanges"] for part in connection["round_trip"]["histogram"]), 99)
        self.assertEqual(sum(part["exchanges"] for part in connection["jitter"]["histogram"]), 98)
        self.assertEqual(connection["command_age"], 0.001)  # the step after the last exchange
        self.assertGreater(connection["command_wall_age"], 0.0)
        self.assertEqual(result["pacing"]["priority"], "not requested")
        self.assertLessEqual(result["pacing"]["headroom"]["least"], result["pacing"]["headroom"]["mean"])
        self.assertLessEqual(result["pacing"]["headroom"]["mean"], 0.001)

    def test_check_opens_nothing(self) -> None:
        path = self.folder / "arm.sock"
        done = Result("check", SCENARIO, "--set", f"{CONNECTION}address=unix:{path}")
        self.assertEqual(done.code, 0, done.err)
        self.assertFalse(path.exists())

    def test_what_cannot_be_meant_is_rejected(self) -> None:
        pendulum = str(ROOT / "scenarios/basics/pendulum.xml")
        for arguments, message in [
            (("run", pendulum, "--controller", "true"),
             "--controller: error: the scenario has no connection for a controller\n"),
            (("run", SCENARIO, "--no-rt"), "--no-rt: error: needs --realtime or --speed\n"),
        ]:
            done = Result(*arguments)
            self.assertEqual((done.code, done.err), (2, message))

    def test_real_time_with_and_without_priority(self) -> None:
        for options in ((), ("--no-rt",)):
            done = run("--realtime", *options, length="0.1s")
            self.assertEqual(done.code, 0, done.err)
            self.assertGreaterEqual(done.json()["wall_time"], 0.099)
            if options:
                self.assertNotRegex(done.err, re.compile("^real time:", re.M))


if __name__ == "__main__":
    unittest.main()
