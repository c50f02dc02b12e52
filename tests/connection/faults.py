"""The faults. Each is a function of a machine and a random generator; it causes the fault, records in the machine's book
what the connection must count, and leaves the machine with a controller that answers."""

import math
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path
from random import Random
from typing import Callable, Dict, NamedTuple, Optional

import wires
from machine import Failure, Machine
from wires import COMMAND, ERROR, HELLO, MEASUREMENT, WELCOME, Closed, Message, Question, Wire, command, encode

STEADY = str(Path(os.environ.get("LOCKSTEP_BUILD_DIR", wires.ROOT / "build/release")) / "bin" / "steady_controller")
WRONG = 0.6180339887  # N*m; no good command carries it
REGIONS = {"magic": (0, 4), "type": (4, 6), "reserved": (6, 8), "length": (8, 12), "sequence": (12, 16),
           "time": (16, 24), "payload": (24, 40), "checksum": (40, 44)}
QUESTIONS_IN_PAUSE = 8  # that a process may find when it goes on: four in each timeout
NO_MAGIC = [byte for byte in range(256) if byte != ord("L")]
CODE_OCCUPIED, CODE_MISFIT, CODE_NOT_FINITE, CODE_SILENT = 3, 4, 5, 8


def garbage(random: Random, count: int) -> bytes:
    """Bytes that do not contain the first byte of a magic."""
    return bytes(random.choices(NO_MAGIC, k=count))


def disturb(machine: Machine, make: Callable[[Question], bytes], is_after: bool = False) -> None:
    """Sends faulty bytes together with the good command."""
    def act(question: Question) -> None:
        wrong = make(question)
        wrong = [wrong] if isinstance(wrong, bytes) else wrong
        machine.answer(question, *(((), wrong) if is_after else (wrong, ())))

    machine.act = act
    machine.pump(lambda: machine.act is None)


def expect_error(machine: Machine, code: int) -> None:
    machine.verify()
    if code not in machine.errors:
        raise Failure(f"ERROR {code} is not received")


# --- Messages -----------------------------------------------------------------------------------------------------------


def flipped(machine: Machine, random: Random) -> None:
    begin, end = REGIONS[random.choice(list(REGIONS))]
    at, bit = random.randrange(begin, end), 1 << random.randrange(8)

    def make(question: Question) -> bytes:
        message = bytearray(command(question))
        message[at] ^= bit
        return bytes(message)

    machine.book.bad += 1
    # A length that is too large takes what follows for its payload, until the connection gives up waiting for the rest.
    machine.is_excused = True
    disturb(machine, make)
    machine.pump(lambda: machine.seen.bad == machine.book.bad, what="the message is not counted")
    machine.is_excused = False


def truncated(machine: Machine, random: Random) -> None:
    machine.book.bad += 1
    machine.is_excused = True
    # Two bytes short at least: one that is missing could be the one that the next message begins with.
    disturb(machine, lambda question: command(question, WRONG)[:random.randrange(1, 43)])
    machine.pump(lambda: machine.seen.bad == machine.book.bad, what="the message is not counted")
    machine.is_excused = False


def not_finite(machine: Machine, random: Random) -> None:
    numbers = [math.nan, math.inf, -math.inf, struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000001))[0]]
    wrong = [WRONG, random.choice(numbers)]
    random.shuffle(wrong)
    machine.book.bad += 1
    # Where the run goes on without an answer, the wrong one ends the wait, unless the good one has arrived with it.
    machine.is_excused = machine.setting.is_lockstep and machine.setting.silence in ("hold", "zero")
    disturb(machine, lambda question: command(question, *wrong))
    expect_error(machine, CODE_NOT_FINITE)
    machine.is_excused = False


def duplicate(machine: Machine, random: Random) -> None:
    count = random.randrange(1, 4)
    machine.book.duplicate += count
    # The same number, but not the same contents: only the first may count.
    disturb(machine, lambda question: count * [command(question, random.choice([None, WRONG]))], is_after=True)


def old_number(machine: Machine, random: Random) -> None:
    machine.exchange(2)
    machine.book.duplicate += 1
    back = random.choice([1, 1, 2, 3, 1000, 2**31 - 2**20])
    disturb(machine, lambda question: command(question, WRONG, ahead=-back))


def new_number(machine: Machine, random: Random) -> None:
    machine.book.bad += 1
    ahead = random.choice([1, 2, 3, 1000, 2**31 - 1])
    disturb(machine, lambda question: command(question, WRONG, ahead=ahead))


def oversized(machine: Machine, random: Random) -> None:
    length = random.choice([1 << 20, (1 << 20) + 1, 1 << 31, (1 << 32) - 1, random.randrange(70_000, 1 << 32)])
    head = struct.pack("<4sHHIIq", b"LKS1", COMMAND, 0, length, machine.number, 0)
    machine.book.bad += 1
    wrong = head + garbage(random, random.randrange(200))
    disturb(machine, lambda _: wrong)


def wrong_type(machine: Machine, random: Random) -> None:
    kind = random.choice([0, 7, 0xFFFF, WELCOME, MEASUREMENT, ERROR, HELLO])
    payload = struct.pack("<Id", 1, WRONG)[:10]  # of no type
    machine.book.bad += 1
    disturb(machine, lambda question: encode(Message(kind, question.sequence, question.time, payload)))
    if kind in (WELCOME, MEASUREMENT, HELLO):
        expect_error(machine, CODE_MISFIT)


def wrong_count(machine: Machine, random: Random) -> None:
    size = random.choice([0, 1, 7, 8, 15, 17, 24, 4096])
    payload = (600 * struct.pack("<d", WRONG))[:size]
    machine.book.bad += 1
    disturb(machine, lambda question: encode(Message(COMMAND, question.sequence, question.time, payload)))
    expect_error(machine, CODE_MISFIT)


def noise(machine: Machine, random: Random) -> None:
    machine.book.bad += 1
    wrong = garbage(random, random.randrange(1, 3000))
    disturb(machine, lambda _: wrong)


def flood(machine: Machine, random: Random) -> None:
    """Many bad messages at once; on a stream each is followed by a good one, here an old command."""
    count = random.randrange(5, 30)
    machine.exchange(2)
    machine.book.bad += count
    machine.book.duplicate += count

    def act(question: Question) -> None:
        for _ in range(count):
            message = bytearray(command(question))
            message[random.randrange(24, 44)] ^= 1 << random.randrange(8)
            machine.plc.send(bytes(message))
            machine.plc.send(command(question, WRONG, ahead=-1))
        machine.answer(question)

    machine.act = act
    machine.pump(lambda: machine.act is None)


# --- Connections ------------------------------------------------------------------------------------------------------


def reconnected(machine: Machine, random: Random) -> None:
    """Disconnects with or without BYE, and reconnects."""
    if random.random() < 0.5 or machine.setting.wire.keeps_messages:  # without BYE a datagram socket is not missed
        machine.say_bye()
    else:
        machine.leave()
    machine.connect()


def cut_off(machine: Machine, random: Random) -> None:
    """The connection ends within a message. A datagram is whole or not there: the socket is closed after half of one."""
    machine.exchange()
    message = command(machine.question, WRONG)[:random.randrange(1, 44)]
    machine.book.bad += 1
    if machine.setting.wire.keeps_messages:
        machine.plc.send(message)
        machine.say_bye()
    else:
        machine.leave(message)
    machine.connect()


def half_open(machine: Machine, random: Random) -> None:
    """The writing half is closed, or the connection is reset, while the simulation waits for the command."""
    del random
    wire = machine.plc

    def act(_: Question) -> None:
        transport = wire.transport
        if machine.setting.transport == "tcp" and machine.number % 2:
            transport._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport._socket.close()
        elif machine.setting.transport in ("tcp", "unix"):
            transport._socket.shutdown(socket.SHUT_WR)
        elif machine.setting.wire.keeps_messages:
            wire.send(wires.client.bye(0, 0, 7, "enough"))
        machine.plc, machine.is_welcome = None, False
        if not machine.setting.wire.has_waiting_line:
            wire.close()

    machine.act = act
    machine.pump(lambda: machine.act is None)
    machine.connect()
    wire.close()


def greeted_again(machine: Machine, random: Random) -> None:
    """A second HELLO on the same connection."""
    del random

    def act(_: Question) -> None:
        machine.is_welcome = False
        machine.answered = None
        machine.plc.send(wires.hello())

    machine.act = act
    machine.pump(lambda: machine.act is None)
    machine.pump(lambda: machine.is_welcome and machine.answered is not None, what="no WELCOME")


def wrong_version(machine: Machine, random: Random) -> None:
    """A HELLO that is rejected ends the connection."""
    machine.book.bad += 1
    machine.act = lambda _: machine.plc.send(wires.hello(version=random.choice([0, 2, 0xFFFFFFFF])))
    machine.pump(lambda: machine.act is None)
    if machine.setting.wire.keeps_messages:
        machine.pump(lambda: 1 in machine.errors, what="ERROR 1 is not received")
        machine.forget()
    else:
        machine.pump(lambda: machine.plc is None, what="the connection stays open")
    machine.connect()


# --- Other clients ----------------------------------------------------------------------------------------------------


def second_client(machine: Machine, random: Random) -> None:
    """Pipes and shared memory serve one client: the second finds them locked, and the connection does not notice it."""
    del random
    if not machine.setting.wire.has_waiting_line:
        try:
            Wire(machine.address, patience=0.0)
        except Closed as rejection:
            if "another controller is connected" in str(rejection):
                return
        raise Failure("a second controller was accepted")
    machine.book.bad += 1
    other = Wire(machine.address)
    other.send(wires.hello())
    machine.verify()
    answer = other.take(5.0)
    other.close()
    if answer is None or answer.type != ERROR or wires.client.read_message(answer)[0] != CODE_OCCUPIED:
        raise Failure(f"a second controller got {answer}")


def scanned(machine: Machine, random: Random) -> None:
    """Another client connects and closes, or sends nothing, or garbage. Where only one can connect, the controller
    disconnects for it."""
    setting = machine.setting
    has_one_place = not setting.wire.has_waiting_line
    what = random.choice(["close", "silence", "garbage"])
    if setting.wire.keeps_messages:
        what = "garbage"
    elif has_one_place and what == "close":
        what = "silence"  # who is gone before the simulation looks has not been there
    if has_one_place:
        pipes = list_pipes(machine)
        machine.say_bye()
        machine.exchange() if setting.silence in ("hold", "zero") else machine.answer_watch()
        if pipes:
            machine.pump(lambda: list_pipes(machine) not in (pipes, []), what="the pipes are not made again")
    machine.book.bad += 1
    wrong = garbage(random, random.randrange(1, 2000))
    stranger = enter_as_stranger(machine)
    if what == "garbage":
        stranger.send(wrong)
    if what == "close":
        stranger.close()
    else:
        messages = []
        machine.pump(lambda: bool(messages) or bool(messages.append(message) if (message := take(stranger)) else False),
                     what="the other client is not rejected")
        if messages[0].type != ERROR or wires.client.read_message(messages[0])[0] != CODE_SILENT:
            raise Failure(f"a stranger got {messages[0]}")
        stranger.close()
    if has_one_place:
        machine.connect()


def list_pipes(machine: Machine) -> list:
    """Which pipes are there, if any."""
    try:
        return [os.stat(file).st_ino for file in sorted(machine.folder.glob("plc-*.*"))]
    except FileNotFoundError:  # they are being made again at this moment
        return []


def take(wire: Wire):
    try:
        return wire.take(0.0)
    except Closed:
        raise Failure("another client's connection was closed without an ERROR") from None


def enter_as_stranger(machine: Machine) -> Wire:
    """Shared memory is entered only while the simulation looks."""
    found = []
    thread = threading.Thread(target=lambda: found.append(Wire(machine.address)), daemon=True)
    thread.start()
    machine.pump(lambda: bool(found), what="no client can connect")
    return found[0]


# --- Slow and silent --------------------------------------------------------------------------------------------------


def slow_reader(machine: Machine, random: Random) -> None:
    """In lock step the question is taken late, after it was asked again; in real time several are taken at once."""
    if machine.setting.is_lockstep:
        machine.is_quiet = True
        machine.answer_watch()
        before = machine.number
        lost = machine.book.lost
        machine.pump(lambda: machine.question.sequence == before + 1 and machine.book.lost > lost or
                     machine.number > before, what="the question is not repeated")
        machine.is_quiet = False
        if machine.number == before:
            machine.reply()
        else:
            come_back(machine)
    else:
        machine.is_quiet = True
        machine.exchange(random.randrange(2, 30))
        machine.is_quiet = False
        take_newest(machine)


def take_newest(machine: Machine) -> None:
    machine.is_quiet = True
    machine._poll_plc(0.01)
    machine.is_quiet = False
    machine.reply()


def come_back(machine: Machine) -> None:
    """Answers what is overdue: too late for its exchange in lock step, in real time good enough."""
    machine.is_quiet = False
    if not machine.setting.is_lockstep:
        take_newest(machine)
    else:
        if machine.setting.silence != "pause":
            machine.book.duplicate += 1
        machine.answer(machine.question)
    machine.pump(lambda: not machine.is_silent and machine.answered == machine.number, what="the connection does not recover")


def mute(machine: Machine, random: Random) -> None:
    """No answer until the connection counts it as silent, then answers again."""
    setting = machine.setting
    machine.is_quiet = True
    silences = machine.silences
    if setting.silence == "pause":
        wait_in_pause(machine)
    else:
        machine.pump(lambda: machine.silences > silences, what="the connection does not notice")
        machine.exchange(random.randrange(5))
    come_back(machine)


def wait_in_pause(machine: Machine) -> None:
    """Waits until simulated time has been paused for longer than the timeout."""
    number, end = machine.number, None
    def is_over() -> bool:
        nonlocal number, end
        if end is None or machine.number > number:
            number, end = machine.number, time.monotonic() + 1.5 * machine.setting.timeout
        return time.monotonic() > end
    machine.pump(is_over)


# --- A process ----------------------------------------------------------------------------------------------------------


def start_process(machine: Machine) -> None:
    """A controller in C takes over."""
    if machine.plc:
        machine.say_bye()
    machine.process = subprocess.Popen([STEADY, machine.address], stderr=subprocess.DEVNULL)
    if machine._welcomes > 0:
        machine.book.reconnects += 1
    machine._welcomes += 1
    machine.pump(lambda: machine.seen.reconnects == machine.book.reconnects and machine.number > 0 and
                 machine._at_watch, what="the process is not welcome")
    settle_process(machine)


def settle_process(machine: Machine) -> None:
    """It answers in time, and every question that was repeated has been answered twice."""
    time.sleep(0.002)
    before = machine.seen.late
    first = machine.number
    def is_settled() -> bool:
        nonlocal before, first
        if not machine._at_watch:
            return False
        if machine.seen.late != before:
            before, first = machine.seen.late, machine.number
        if not machine.setting.is_lockstep:
            time.sleep(0.001)
        return machine.number > first + 3
    machine.pump(is_settled, what="the process does not answer")


def end_process(machine: Machine) -> None:
    machine.process.kill()
    machine.process.wait()


def judge_process(machine: Machine, before, stale: int, max_stale: int, is_dead: bool) -> None:
    """What a process does cannot be seen, but what it answers follows from what it was asked: each repeated question
    once more. It sends no bad message."""
    more = machine.seen.minus(before)
    lost_most = 3 * (more.late + 8) if machine.setting.is_lockstep else more.late + 16
    is_right = (0 if is_dead else more.lost + stale) <= more.duplicate <= more.lost + max_stale
    if not machine.setting.is_lockstep:  # nothing is asked again but in a pause
        is_right = more.duplicate <= (QUESTIONS_IN_PAUSE if machine.setting.silence == "pause" else 0)
    if not is_right or more.lost > lost_most:
        raise Failure(f"a process gave rise to {more}, with {stale} to {max_stale} late answers")
    machine.book.lost, machine.book.duplicate = machine.seen.lost, machine.seen.duplicate


def strike(machine: Machine, random: Random, number: int) -> None:
    """At a random time, between two exchanges or within one."""
    if random.random() < 0.5:
        machine.answer_watch()
        time.sleep(random.random() * 2e-4)
    machine.process.send_signal(number)
    if number == signal.SIGKILL:
        machine.process.wait()


def killed(machine: Machine, random: Random) -> None:
    before, all_silences = machine.seen, machine.silences
    start_process(machine)
    silences = machine.silences
    strike(machine, random, signal.SIGKILL)
    if machine.setting.silence == "pause":
        wait_in_pause(machine)
    else:
        machine.pump(lambda: machine.silences > silences, what="the connection does not notice")
    machine.process = None
    machine.connect()
    judge_process(machine, before, machine.silences - silences, machine.silences - all_silences, is_dead=True)


def stopped(machine: Machine, random: Random) -> None:
    before, all_silences = machine.seen, machine.silences
    start_process(machine)
    silences = machine.silences
    strike(machine, random, signal.SIGSTOP)
    if machine.setting.silence == "pause":
        wait_in_pause(machine)
    else:
        machine.pump(lambda: machine.silences > silences, what="the connection does not notice")
        machine.exchange(random.randrange(5))
    machine.process.send_signal(signal.SIGCONT)
    machine.pump(lambda: not machine.is_silent, what="the connection does not recover")
    settle_process(machine)
    judge_process(machine, before, machine.silences - silences, machine.silences - all_silences, is_dead=False)
    before = machine.seen
    silences = all_silences = machine.silences
    end_process(machine)
    machine.process = None
    machine.connect()
    judge_process(machine, before, machine.silences - silences, machine.silences - all_silences, is_dead=True)


# --- Faults that end the run ----------------------------------------------------------------------------------------------


def end_by_mute(machine: Machine, random: Random) -> None:
    del random
    machine.exchange()
    machine.is_quiet = True
    machine.await_stop()


def end_by_kill(machine: Machine, random: Random) -> None:
    strike(machine, random, signal.SIGKILL)
    machine.await_stop()


def end_by_stop(machine: Machine, random: Random) -> None:
    strike(machine, random, signal.SIGSTOP)
    machine.await_stop()
    end_process(machine)


class Kind(NamedTuple):
    commit: Callable[[Machine, Random], None]
    counted: str  # where
    weight: int = 2  # how often it comes
    end: Optional[Callable[[Machine, Random], None]] = None  # what to do where silence ends the run
    is_process: bool = False


KINDS: Dict[str, Kind] = {
    "flipped message": Kind(flipped, "bad", 6),
    "truncated message": Kind(truncated, "bad", 3),
    "NaN or Inf": Kind(not_finite, "bad", 3),
    "wrong count": Kind(wrong_count, "bad"),
    "wrong type": Kind(wrong_type, "bad"),
    "oversized length": Kind(oversized, "bad"),
    "noise": Kind(noise, "bad"),
    "flood": Kind(flood, "bad, duplicate", 1),
    "number too new": Kind(new_number, "bad"),
    "number too old": Kind(old_number, "duplicate"),
    "duplicate": Kind(duplicate, "duplicate", 3),
    "reconnect": Kind(reconnected, "reconnects", 3),
    "cut off in a message": Kind(cut_off, "bad, reconnects"),
    "half-open": Kind(half_open, "reconnects"),
    "HELLO again": Kind(greeted_again, "reconnects", 1),
    "wrong version": Kind(wrong_version, "bad, reconnects", 1),
    "second client": Kind(second_client, "bad"),
    "port scan": Kind(scanned, "bad", 3),
    "slow reader": Kind(slow_reader, "lost"),
    "mute": Kind(mute, "late", 1, end_by_mute),
    "killed": Kind(killed, "late, reconnects", 2, end_by_kill, True),
    "stopped": Kind(stopped, "late", 2, end_by_stop, True),
}
