"""Faults in messages: damaged, wrong, old or too many. Each is a function of a machine and a random generator, see faults.py."""

import math
import struct
from random import Random
from typing import Callable

from machine import Failure, Machine
from wires import COMMAND, ERROR, HELLO, MEASUREMENT, WELCOME, Message, Question, command, encode

WRONG = 0.6180339887  # N*m; no good command carries it
REGIONS = {"magic": (0, 4), "type": (4, 6), "session": (6, 8), "length": (8, 12), "sequence": (12, 16),
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
    disturb(machine, lambda question: encode(Message(kind, question.sequence, question.time, payload, question.session)))
    if kind in (WELCOME, MEASUREMENT, HELLO):
        expect_error(machine, CODE_MISFIT)


def wrong_count(machine: Machine, random: Random) -> None:
    size = random.choice([0, 1, 7, 8, 15, 17, 24, 4096])
    payload = (600 * struct.pack("<d", WRONG))[:size]
    machine.book.bad += 1
    disturb(machine, lambda question: encode(Message(COMMAND, question.sequence, question.time, payload, question.session)))
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


def wrong_time(machine: Machine, random: Random) -> None:
    later = random.choice([-1, 1, -1_000_000, 1_000_000, 2**62])
    machine.book.bad += 1
    disturb(machine, lambda question: command(question, WRONG, later=later))
    expect_error(machine, CODE_MISFIT)


def replayed(machine: Machine, random: Random) -> None:
    """As recorded in another run, or on an earlier connection: all is right but the session."""
    session = random.choice([0, machine.session % 0xFFFF + 1, (machine.session or 1) ^ 0x8000])
    machine.book.bad += 1
    disturb(machine, lambda question: command(question._replace(session=session), WRONG))
    expect_error(machine, CODE_MISFIT)


def extreme(machine: Machine, random: Random) -> None:
    """Finite numbers at the limits of their range are good commands, and no signal may become infinite by them."""
    number = machine.number + random.randrange(1, 3)
    for each in range(machine.number, number + 1):
        machine.extremes[each + 1] = random.choices([1.7e308, -1.7e308, 5e-324, -1e300, 1e-300], k=2)
    machine.extremes = {key: tuple(values) for key, values in machine.extremes.items()}
    machine.exchange(number - machine.number + 2)


def flood_of_rejections(machine: Machine, random: Random) -> None:
    """More messages that must be answered than one exchange handles."""
    count = random.randrange(100, 400)
    machine.book.bad += count

    def act(question: Question) -> None:
        wrong = encode(Message(COMMAND, question.sequence, question.time, b"", question.session))
        machine.plc.send(count * wrong)  # at once: many small messages would fill the socket, and the simulation reads later
        machine.answer(question)

    machine.is_excused = True
    machine.act = act
    machine.pump(lambda: machine.act is None)
    machine.pump(lambda: machine.seen.bad == machine.book.bad, what="not all are counted")
    machine.is_excused = False
