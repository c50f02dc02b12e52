"""The faults. Each is a function of a machine and a random generator; it causes the fault, records in the machine's book
what the connection must count, and leaves the machine with a controller that answers."""

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

import message_faults as messages
import wires
from machine import Failure, Machine
from message_faults import CODE_OCCUPIED, CODE_SILENT, QUESTIONS_IN_PAUSE, WRONG, garbage
from wires import ERROR, Closed, Question, Wire, command

STEADY = str(Path(os.environ.get("LOCKSTEP_BUILD_DIR", wires.ROOT / "build/release")) / "bin" / "steady_controller")


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
            wire.send(wires.client.bye(0, 0, 7, "enough", machine.session))
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


def tampered(machine: Machine, random: Random) -> None:
    """The controller writes nonsense into the counters of its shared memory, or truncates it."""
    file = Path("/dev/shm", machine.address.partition(":")[2])

    def act(_: Question) -> None:
        with open(file, "r+b") as memory:
            memory.seek(random.choice([256, 128]))  # in.written, out.read
            memory.write(struct.pack("<I", random.randrange(2**31, 2**32)))

    def truncate(_: Question) -> None:
        machine.plc.transport._unmap()  # this process must not touch it any more
        os.truncate(file, random.choice([0, 4096]))
        machine.plc, machine.is_welcome = None, False

    is_truncated = random.random() < 0.5
    machine.act = truncate if is_truncated else act
    machine.pump(lambda: machine.act is None)
    machine.is_excused = True
    if not is_truncated:
        machine.pump(lambda: machine.plc is None, what="the connection stays open")
    lost = machine.book.lost
    machine.connect()
    machine.is_excused = False
    # What was sent again into the memory that is gone cannot be seen here.
    if not lost <= machine.seen.lost <= lost + 3:
        raise Failure(f"{machine.seen.lost - lost} messages were sent again")
    machine.book.lost = machine.seen.lost


def hung(machine: Machine, random: Random) -> None:
    """A controller that is there but does not answer any more gives way: to another that connects or, where no other can,
    after ten times the timeout."""
    machine.is_quiet = True
    silences = machine.silences
    machine.pump(lambda: machine.silences > silences, what="the connection does not notice")
    wire = machine.plc
    if machine.setting.wire.has_waiting_line:
        machine.exchange(random.randrange(5))
        time.sleep(1.1 * machine.setting.timeout)
        machine.plc, machine.is_welcome = None, False
    else:
        machine.pump(lambda: CODE_SILENT in machine.errors, what="the hung controller keeps its place")
        machine.forget()
    machine.is_quiet = False
    machine.connect()
    wire.close()


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
    is_possible: Callable[[object], bool] = lambda setting: True  # of the setting


KINDS: Dict[str, Kind] = {
    "flipped message": Kind(messages.flipped, "bad", 6),
    "truncated message": Kind(messages.truncated, "bad", 3),
    "NaN or Inf": Kind(messages.not_finite, "bad", 3),
    "wrong count": Kind(messages.wrong_count, "bad"),
    "wrong type": Kind(messages.wrong_type, "bad"),
    "oversized length": Kind(messages.oversized, "bad"),
    "noise": Kind(messages.noise, "bad"),
    "flood": Kind(messages.flood, "bad, duplicate", 1),
    "flood to reject": Kind(messages.flood_of_rejections, "bad", 1, is_possible=lambda s: s.transport != "udp"),
    "wrong time": Kind(messages.wrong_time, "bad"),
    "replayed session": Kind(messages.replayed, "bad", 3),
    "extreme number": Kind(messages.extreme, "nothing", is_possible=lambda s: s.mode == "lockstep"),
    "tampered memory": Kind(tampered, "reconnects", 6, is_possible=lambda s: s.transport == "shm" and s.silence != "stop"),
    "hung holder": Kind(hung, "late, reconnects", 1, is_possible=lambda s: s.silence in ("hold", "zero")),
    "number too new": Kind(messages.new_number, "bad"),
    "number too old": Kind(messages.old_number, "duplicate"),
    "duplicate": Kind(messages.duplicate, "duplicate", 3),
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
