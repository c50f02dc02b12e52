"""One `lockstep run` of campaign.xml under faults, and the book that is kept of them.

The simulation has two connections. Faults happen at `plc`; `watch` is a controller that behaves, reads how `plc` does at
every exchange, and holds the simulation until it answers. So after each fault the counts of the connection can be compared
with what they must be, to the message. What the machine under the test adds by being slow is seen on the wire (a
measurement that comes twice was sent again) and written into the book as well: nothing here depends on being fast.
"""

import csv
import json
import math
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Callable, List, Optional, Sequence

import wires
from wires import BYE, ERROR, MEASUREMENT, SCALE, WELCOME, Closed, Question, Wire, values_of

LOCKSTEP = os.environ.get("LOCKSTEP", str(wires.ROOT / "build/release/bin/lockstep"))
SCENARIO = str(Path(__file__).resolve().parent / "campaign.xml")
PERIOD = 0.001  # s
PATIENCE = 20.0  # s; anything longer hangs


class Failure(Exception):
    """The simulation behaved wrongly."""


class Stalled(Exception):
    """The computer stalled for so long that the simulation rightly treated the controller as silent."""


@dataclass
class Counts:
    late: int = 0
    lost: int = 0
    duplicate: int = 0
    bad: int = 0
    reconnects: int = 0

    def minus(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, f.name) - getattr(other, f.name) for f in fields(self)))

    def __str__(self) -> str:
        return ", ".join(f"{f.name} {getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name)) or "nothing"


class Sleepers:
    """Processes that only sleep, for as long as a timeout, all the time: their wake-up delay is that of the computer."""

    PROGRAM = ("import sys, time\nlength = float(sys.argv[1])\nwhile True:\n    start = time.monotonic()\n"
               "    time.sleep(length)\n    print(time.monotonic() - start - length, flush=True)\n")

    def __init__(self, length: float, folder: Path) -> None:
        self._files = [folder / f"sleeper{i}" for i in range(2)]
        self._processes = []
        for file in self._files:
            with open(file, "wb") as out:
                self._processes.append(subprocess.Popen([sys.executable, "-c", self.PROGRAM, str(length)], stdout=out))

    def worst(self) -> float:
        """Overshoot in s, of all sleeps that have ended so far, and one that ends after this was asked."""
        before = [file.read_text().count("\n") for file in self._files]
        while any(file.read_text().count("\n") <= count for file, count in zip(self._files, before)):
            time.sleep(0.01)
        return max(float(line) for file in self._files for line in file.read_text().split("\n")[:-1])

    def end(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Setting:
    """The connection under test."""

    transport: str
    mode: str  # lockstep, realtime
    silence: str  # hold, zero, pause, stop
    timeout: float  # s

    @property
    def is_lockstep(self) -> bool:
        return self.mode == "lockstep"

    @property
    def wire(self) -> wires.Transport:
        return wires.TRANSPORTS[self.transport]


class Machine:
    def __init__(self, setting: Setting, folder: Path, tag: str) -> None:
        self.setting, self.folder = setting, folder
        self.book = Counts()  # what the connection must have counted
        self.seen = Counts()  # what it has
        self.number = 0  # of the exchange that the watch saw last
        self.is_silent = False
        self.silences = 0  # how often it became so
        self.act: Optional[Callable[[Question], None]] = None  # instead of the next answer
        self.is_quiet = False  # the controller does not answer
        self.is_excused = False  # nor is it asked for a while, which is meant to be
        self.answered: Optional[int] = None  # number of the last good command that was sent
        self.question: Optional[Question] = None  # the last one on this connection
        self.errors: List[int] = []  # codes that came
        self.plc: Optional[Wire] = None
        self.process: Optional[subprocess.Popen] = None  # a controller in C instead
        self.is_welcome = False
        self.session = 0  # of this connection
        self.extremes: dict = {}  # good commands with other values than usual, by number
        self._watch_session = 0
        self._welcomes = 0
        self._welcomed_at = 0  # exchange
        self._cut_greetings = 0  # HELLOs that could not be sent: whether their connections were seen is not known
        self._first_sent: Optional[int] = None  # on this connection
        self._values = (0.0, 0.0)  # at the motors
        self._at_watch = False
        self._answer_time = 0.0  # when the last answer to the plc's question went out
        self._asked_at = 0.0  # when the watch let the simulation go on
        self._looked_at = time.monotonic()  # when the loop came round last
        self._stall = 0.0  # s, for which it did not since then
        self._connecting: Optional[threading.Thread] = None
        self._ended_at = 0.0  # when the watch was told so
        self._last_fresh = 0  # exchange at which a command came last
        self.longest_wait = 0.0  # s, without an answer, where the connection must go on
        address = wires.local_address(setting.transport, folder, f"plc-{tag}")
        options = {"plc": {"address": address, "mode": setting.mode, "silence": setting.silence,
                           "timeout": f"{setting.timeout} s"}, "watch": {"address": f"unix:{folder / 'watch'}"}}
        self.log = folder / "log.csv"
        arguments = [LOCKSTEP, "run", SCENARIO, "--json", "--log", str(self.log), "--log-signals", "rig/one/torque",
                     "--log-signals", "rig/two/torque", "--log-signals", "rig/plc/*"]
        for connection, attributes in options.items():
            for name, value in attributes.items():
                arguments += ["--set", f"//connections/wire[@name='{connection}']/@{name}={value}"]
        if not setting.is_lockstep:
            arguments += ["--realtime", "--no-rt"]
        with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            self.run = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            self.address = self._find_address()
            self.watch = Wire(f"unix:{folder / 'watch'}")
            self.watch.send(wires.hello())
        except BaseException:
            self.kill()
            raise

    # --- Life ----------------------------------------------------------------------------------------------------

    def _find_address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.run.poll() is None:
            lines = (self.folder / "err").read_text().splitlines(keepends=True)
            found = {line.split("'")[1]: line.split("listens on ")[1].strip() for line in lines if "listens on" in line and
                     line.endswith("\n")}
            if len(found) == 2:
                return found["rig/plc"]
            time.sleep(0.002)
        raise Failure("the run does not begin: " + self.stderr())

    def stderr(self) -> str:
        return (self.folder / "err").read_text(errors="replace")[-2000:]

    def kill(self) -> None:
        """Ends all processes and removes all files."""
        for process in (self.run, self.process):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        if self.setting.wire.form == "NAME" and hasattr(self, "address"):
            Path("/dev/shm", self.address.partition(":")[2]).unlink(missing_ok=True)

    def end(self, sleepers: Sleepers) -> None:
        """Ends the run and checks its results."""
        self.run.send_signal(signal.SIGINT)
        self.judge_end("interrupted", sleepers)

    def judge_end(self, status: str, sleepers: Sleepers) -> None:
        try:
            self.run.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the run does not end") from None
        result = self.result()
        if (self.run.returncode, result["status"]) != (1, status):
            raise Failure(f"the run ended with exit code {self.run.returncode} and '{result['status']}', not '{status}'")
        counted = Counts(*(result["connections"][0][f.name] for f in fields(Counts)))
        if counted != self.book:
            raise Failure(f"the summary counts {counted}; it must be {self.book}")
        limit = 1.1 * self.setting.timeout + 2.0 * sleepers.worst()
        if self.longest_wait > limit:
            raise Failure(f"hung for {self.longest_wait:.4f} s; the limit is {limit:.4f} s")
        self._judge_log(limit)

    def result(self) -> dict:
        text = self.stderr()
        if self.run.returncode not in (0, 1) or "Sanitizer" in text or "runtime error" in text:
            raise Failure(f"crashed: exit code {self.run.returncode}: {text}")
        return json.loads((self.folder / "out").read_text())

    # --- What happens --------------------------------------------------------------------------------------------

    def pump(self, until: Callable[[], bool], limit: float = PATIENCE, what: str = "") -> None:
        """Runs both connections until a condition holds."""
        deadline = time.monotonic() + limit
        while not until():
            if time.monotonic() > deadline:
                raise Failure(f"timeout: {what or 'no progress'}; counted {self.seen}, to be {self.book}")
            self._note_stall()
            if self._at_watch:
                self.answer_watch()
            is_waiting = self.plc is not None and self.is_welcome and not self.is_quiet
            self._poll_plc(0.002 if is_waiting and self.setting.is_lockstep else 0.0)
            self._poll_watch(0.0 if is_waiting and self.setting.is_lockstep else 0.0005)
            if self.run.poll() is not None:
                self._judge_early_end()

    def _note_stall(self) -> None:
        """This loop runs every few milliseconds, unless the computer stalls."""
        now = time.monotonic()
        self._stall += max(0.0, now - self._looked_at - 0.005)
        self._looked_at = now

    def _judge_early_end(self) -> None:
        result = self.result()
        has_answered = self.answered == self.number + 1
        waited = (self._answer_time if has_answered else time.monotonic()) - self._asked_at
        if result["status"] == "controller lost" and self.setting.is_lockstep and waited >= 0.9 * self.setting.timeout:
            raise Stalled
        raise Failure(f"the run has ended: {result.get('cause')}; {self.stderr()}")

    def exchange(self, count: int = 1) -> None:
        """Runs `count` more exchanges."""
        number = self.number + count
        self.pump(lambda: self.number >= number and self._at_watch)

    def answer_watch(self) -> None:
        if self._at_watch:
            self._at_watch = False
            self._asked_at = self._looked_at = time.monotonic()
            self._stall = 0.0
            self.watch.send(wires.encode(wires.Message(wires.COMMAND, self.number, round((self.number - 1) * PERIOD * 1e9),
                                                     b"", self._watch_session)))

    def _poll_plc(self, wait: float) -> None:
        if self._connecting and self._connecting.is_alive():
            return
        self._connecting = None
        try:
            while self.plc and (message := self.plc.take(wait)):
                self._handle(message)
                wait = 0.0
        except Closed:
            self.forget()

    def _handle(self, message) -> None:
        if message.type == WELCOME:
            self._welcomes += 1
            self._welcomed_at = self.number
            self.book.reconnects += self._welcomes > 1
            self.is_welcome = True
            self.session = message.session
            self.answered = self.question = self._first_sent = None
        elif message.type == MEASUREMENT and self.is_welcome:  # before that it is for the controller before
            if self.question and self.question.sequence == message.sequence:
                self.book.lost += 1  # it has come before
                return
            self.question = Question(message.sequence, message.time, message.session)
            self._first_sent = self._first_sent or message.sequence
            if not self.is_quiet:
                self.reply()
        elif message.type in (ERROR, BYE):
            self.errors.append(wires.client.read_message(message)[0])
            # Rejected: a datagram socket that has died is not missed until something is sent to it, and a machine that
            # stalls may let a HELLO come too late.
            self.book.bad += self.errors[-1] == 3 or (self.errors[-1] == 8 and not self.is_welcome)
            if self.errors[-1] in (1, 2, 3, 8):
                self.is_welcome = False  # the connection ends

    def reply(self) -> None:
        act, self.act = self.act, None
        if act:
            act(self.question)
        else:
            self.answer(self.question)

    def answer(self, question: Question, before: Sequence[bytes] = (), after: Sequence[bytes] = ()) -> None:
        """Sends the good command, with other messages around it."""
        if not self.setting.is_lockstep:
            self.book.lost += question.sequence - (self.answered or self._first_sent - 1) - 1
        good = wires.command(question, *self.extremes.get(question.sequence, (None, None)))
        pieces = [*before, good, *after]
        for piece in pieces if self.plc.transport.is_datagram else [b"".join(pieces)]:
            self.plc.send(piece)
        self.answered = question.sequence
        self._answer_time = time.monotonic()

    def _poll_watch(self, wait: float) -> None:
        if self._at_watch:
            return
        try:
            message = self.watch.take(wait)
        except Closed:
            self._note_end()
            return
        if message and message.type == BYE:
            self._note_end()
        elif message and message.type == WELCOME:
            self._watch_session = message.session
            self._watched = [signal_.name for signal_ in wires.client.Welcome(message.payload).reads]
        elif message and message.type == MEASUREMENT and message.sequence == self.number + 1:
            self._see(dict(zip(self._watched, struct.unpack(f"<{len(self._watched)}d", message.payload))))
        elif message and message.type == MEASUREMENT:  # was sent again because we were slow
            self.watch.send(wires.encode(wires.Message(wires.COMMAND, message.sequence, message.time, b"", self._watch_session)))

    def _note_end(self) -> None:
        self._ended_at = self._ended_at or time.monotonic()
        self.run.wait(PATIENCE)

    def _see(self, signals: dict) -> None:
        """Judges the exchange that the watch tells of."""
        self.number += 1
        self._at_watch = True
        waited = time.monotonic() - self._asked_at
        before = self._values
        self._values = signals["rig/one/torque"], signals["rig/two/torque"]
        self.seen = Counts(*(round(signals[f"rig/plc/{f.name}"]) for f in fields(Counts)))
        self.silences += signals["rig/plc/silent"] == 1.0 and not self.is_silent
        was_silent, self.is_silent = self.is_silent, signals["rig/plc/silent"] == 1.0
        # What was sent before the watch was asked has arrived: repeated questions, and in real time this one.
        self._poll_plc(0.0)
        if not self.setting.is_lockstep and self.is_welcome and self.plc and not self.is_quiet:
            deadline = time.monotonic() + 5.0
            while self.plc and self.is_welcome and (not self.question or self.question.sequence < self.number):
                self._poll_plc(0.01)
                if time.monotonic() > deadline:
                    raise Failure(f"measurement {self.number} does not come")
        self._judge_values(before, waited, was_silent)

    def _judge_values(self, before: tuple, waited: float, was_silent: bool) -> None:
        setting = self.setting
        newest = self.number if setting.is_lockstep else self.number - 1
        is_newest = newest > 0 and self._values == self.values_of(newest)
        if setting.silence == "pause":  # a question that is waited for in real time, too
            is_newest |= self._values == self.values_of(self.number)
        # Simulated time does not wait for one who has just come, nor for a process.
        may_lag = not setting.is_lockstep and (self.process or self.number - self._welcomed_at <= 1)
        is_newer = may_lag and before[0] < self._values[0] < newest * SCALE
        if is_newest or (is_newer and self._values[1] == -self._values[0]):
            steps, self._last_fresh = self.number - self._last_fresh, self.number
            if setting.silence == "pause":
                self._allow_late(waited if setting.is_lockstep else steps * PERIOD)
            return
        if self.number == 1 and not setting.is_lockstep:
            return  # the one at which the controller connects
        self.book.late += 1
        if setting.is_lockstep:
            self._judge_stale(waited, was_silent)
        elif self.answered == newest and not (self.is_excused or self.process):
            raise Failure(f"command {newest} did not reach the motors")
        expected = (0.0, 0.0) if setting.silence == "zero" and self.is_silent else before
        if self._values != expected:
            raise Failure(f"exchange {self.number}: {self._values} at the motors; expected {expected}")

    def _allow_late(self, waited: float) -> None:
        """In a pause the command comes in the end; late it was if that took longer than the timeout."""
        more = self.seen.late - self.book.late
        if more not in (0, 1) or (more == 1 and waited < self.setting.timeout):
            raise Failure(f"exchange {self.number}: counted late {more} times; it took {waited:.3f} s")
        self.book.late += more

    def _judge_stale(self, waited: float, was_silent: bool) -> None:
        """A lock step that went on without this exchange's command."""
        is_asked = self.question is not None and self.question.sequence == self.number
        if is_asked and self.answered == self.number:
            self.book.duplicate += 1  # it comes too late, and will be noticed
        is_meant = self.is_quiet or self.is_excused or self.process or not self.is_welcome
        if not is_meant and not was_silent and waited < 0.9 * self.setting.timeout:
            raise Failure(f"exchange {self.number} went on without its command after {waited:.4f} s")
        if not was_silent:
            self._note_stall()
            self.longest_wait = max(self.longest_wait, waited - self._stall)

    # --- Coming and going ------------------------------------------------------------------------------------------

    def connect(self) -> None:
        """The controller connects, and has answered when this returns."""
        def enter() -> None:
            wire = Wire(self.address)
            try:
                wire.send(wires.hello())
                self.plc = wire
            except Closed:  # the HELLO came too late, because this machine stalled, or into pipes that were given up
                wire.close()
                self._cut_greetings += 1

        if self._welcomes == 0 and self.number == 0:
            self._at_watch = False
        self._connecting = threading.Thread(target=enter, daemon=True)
        self._connecting.start()
        start, greeted = self.number, time.monotonic()

        def greet_again() -> bool:
            """A datagram may get lost, and pipes may turn out to be those of the connection before."""
            nonlocal greeted
            if not self.plc and not self._connecting:
                self._connecting = threading.Thread(target=enter, daemon=True)
                self._connecting.start()
            if self.setting.wire.keeps_messages and self.plc and not self.is_welcome and time.monotonic() > greeted + 1.0:
                greeted = time.monotonic()
                self.plc.send(wires.hello())
            return True

        self.pump(lambda: greet_again() and self.is_welcome and self.answered is not None and self.number > start and self._at_watch and
                  not self.is_silent, what="the controller is not welcome")

    def forget(self) -> None:
        """The connection has ended, on either side."""
        if self.plc:
            self.plc.close()
        self.plc = None
        self.is_welcome = False

    def leave(self, last: bytes = b"") -> None:
        """Closes the connection, at a moment at which the simulation is at the watch."""
        if last:
            self.plc.send(last)
        self.forget()

    def values_of(self, number: int) -> tuple:
        """Values of the good command with this number."""
        return self.extremes.get(number) or values_of(number)

    def say_bye(self) -> None:
        self.leave(wires.client.bye(self.number, 0, 7, "enough", self.session))

    def verify(self) -> None:
        """The connection must have counted exactly what is in the book, and count no more when it goes on."""
        def is_counted() -> bool:
            if self._cut_greetings and self.seen.bad > self.book.bad:
                self.book.bad += 1
                self._cut_greetings -= 1
            return self.seen == self.book and self._at_watch

        self.pump(is_counted, 20.0, "not all is counted, or too much")
        self.exchange(3)
        if self.seen != self.book:
            raise Failure(f"counted {self.seen}; it must be {self.book}")
        self._cut_greetings = 0

    def await_stop(self) -> None:
        """The connection finds its controller silent, and the run ends by that."""
        deadline = time.monotonic() + PATIENCE
        while self.run.poll() is None:
            if time.monotonic() > deadline:
                raise Failure("the run does not end")
            self._note_stall()
            if self._at_watch:
                self.answer_watch()
            self._poll_plc(0.0)
            self._poll_watch(0.002)
        waited = self._ended_at - self._asked_at
        self._poll_plc(0.0)
        self.book.late += 1
        result = self.result()
        steps = self.number if self.setting.is_lockstep else self._last_fresh - 1 + round(self.setting.timeout / PERIOD)
        if result.get("failed_step") != steps:
            raise Failure(f"the run ended at step {result.get('failed_step')} by {result['status']}; it must be {steps}")
        if self.setting.is_lockstep:
            self.longest_wait = waited - self._stall
        if self.process:  # its answers to repeated questions are not seen
            connection = result["connections"][0]
            lost, again = connection["lost"] - self.book.lost, connection["duplicate"] - self.book.duplicate
            if not 0 <= again <= lost:
                raise Failure(f"{again} more duplicates of {lost} repeated questions")
            self.book.lost, self.book.duplicate = connection["lost"], connection["duplicate"]

    # --- The log ---------------------------------------------------------------------------------------------------

    def _judge_log(self, limit: float) -> None:
        """Every row of the log: the command is the one of this exchange, or what the silence policy says."""
        late, values, newest = 0, (0.0, 0.0), 0
        with open(self.log, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = [name.partition(" [")[0] for name in next(rows)]
            columns = [header.index(f"rig/{name}") for name in ("one/torque", "two/torque", "plc/late", "plc/silent",
                                                               "plc/round_trip")]
            for number, row in enumerate(rows, 1):
                one, two, now_late, silent, round_trip = (float(row[i]) for i in columns)
                allowed = self._allowed_values(number, now_late > late, silent == 1.0, values, newest)
                if (one, two) not in allowed:
                    raise Failure(f"log, row {number}: {(one, two)} at the motors; expected {allowed}")
                is_bounded = self.setting.silence != "pause" and number > 1
                if is_bounded and round_trip > limit:
                    raise Failure(f"log, row {number}: waited {round_trip:.4f} s; the limit is {limit:.4f} s")
                late, values = now_late, (one, two)
                newest = round(one / SCALE) if 0.0 < one < 2**32 * SCALE else newest

    def _allowed_values(self, number: int, is_late: bool, is_silent: bool, before: tuple, newest: int) -> list:
        zero = self.setting.silence == "zero" and is_silent
        if self.setting.is_lockstep:
            has_come = not is_late or self.setting.silence == "pause"
            return [self.values_of(number)] if has_come else [(0.0, 0.0)] if zero else [before]
        pauses = self.setting.silence == "pause"  # then the answer that ends it counts at once, though late
        newer = [values_of(answer) for answer in range(newest + 1, number + pauses)]
        before = (0.0, 0.0) if zero else before
        if pauses:
            return newer + [before]
        return [before] if is_late or number == 1 else newer
