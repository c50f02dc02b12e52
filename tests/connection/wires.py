"""The controller's end of a connection, with direct access to the bytes."""

import os
import struct
import sys
import time
from pathlib import Path
from typing import NamedTuple, Optional, Tuple

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path[:0] = [str(ROOT / "clients/python"), str(ROOT / "tests")]
import lockstep_client as client  # noqa: E402
from lockstep_client import BYE, COMMAND, ERROR, HELLO, MEASUREMENT, WELCOME, Message, encode  # noqa: E402, F401
from transports import TRANSPORTS, Transport, local_address  # noqa: E402, F401

SCALE = 2.0**-20  # of commands: exact, and small enough for any motor


class Closed(Exception):
    """The other side has closed the connection."""


class Wire:
    """One connection."""

    def __init__(self, address: str, patience: float = 60.0) -> None:
        make = client._TRANSPORTS[address.partition(":")[0]]
        deadline = time.monotonic() + patience
        while True:
            try:
                self.transport = make(address, deadline)
                break
            except client._TryAgain as problem:
                if time.monotonic() >= deadline:
                    raise Closed(str(problem)) from None
                time.sleep(0.002)
        self.inbox = client.Inbox()
        self._take = self.inbox.take_datagram if self.transport.is_datagram else self.inbox.take

    def send(self, data: bytes) -> None:
        try:
            self.transport.send(data, time.monotonic() + 30.0)
        except client.Error as problem:
            raise Closed(str(problem)) from None

    def take(self, wait: float) -> Optional[Message]:
        """The next message; None on timeout."""
        deadline = time.monotonic() + wait
        while not (message := self._take()):
            try:
                self.inbox.bytes += self.transport.receive(deadline)
            except client.Timeout:
                return None
            except client.Error as problem:
                raise Closed(str(problem)) from None
        return message

    def close(self) -> None:
        self.transport.close()


def hello(version: int = 1) -> bytes:
    """With session numbers."""
    payload = struct.pack("<IQq", version, 0, 0) + client._text("campaign") + struct.pack("<HH", 0, 0)
    return encode(Message(HELLO, 0, 0, payload, 1))


class Question(NamedTuple):
    """The fields of a MEASUREMENT that the answer needs."""

    sequence: int
    time: int
    session: int


def values_of(number: int) -> Tuple[float, float]:
    """Values of a good COMMAND with this number: all different, and each identifies its pair."""
    return number * SCALE, -number * SCALE


def command(question: Question, first: Optional[float] = None, second: Optional[float] = None, ahead: int = 0,
            later: int = 0) -> bytes:
    """The good answer, or one with other numbers, a sequence number that is ahead, or a time that is later by ns."""
    good = values_of(question.sequence)
    numbers = struct.pack("<2d", good[0] if first is None else first, good[1] if second is None else second)
    return encode(Message(COMMAND, question.sequence + ahead & 0xFFFFFFFF, question.time + later, numbers,
                          question.session))
