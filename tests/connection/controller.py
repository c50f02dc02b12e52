#!/usr/bin/env python3
"""A controller for the tests of connections, written from docs/protocol.md alone.

    controller.py [--leave-after N] [--hang-after N] [--change-at N] [--exit-code N]

connects to LOCKSTEP_ADDRESS, which must be of TCP, and answers every measurement with torques that hold the arm of
scenarios/arms/wired-arm.xml: 40 (0.3 - angle) - 4 speed for each joint. After N exchanges it leaves with BYE, hangs until
it is killed, or commands 0.5 N*m more.
"""

import argparse
import os
import socket
import struct
import sys
import time
import zlib

HELLO, WELCOME, MEASUREMENT, COMMAND, ERROR, BYE = range(1, 7)
HEADER = struct.Struct("<4sHHIIq")


def text(string: str) -> bytes:
    data = string.encode()
    return struct.pack("<H", len(data)) + data


def message(kind: int, sequence: int, nanoseconds: int, payload: bytes) -> bytes:
    data = HEADER.pack(b"LKS1", kind, 0, len(payload), sequence, nanoseconds) + payload
    return data + struct.pack("<I", zlib.crc32(data))


class Wire:
    def __init__(self, address: str):
        _, host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the simulation closed the connection")
            data += more
        return data

    def receive(self) -> tuple:
        """Kind, sequence, time and payload of the next message."""
        head = self.take(HEADER.size)
        magic, kind, _, length, sequence, nanoseconds = HEADER.unpack(head)
        payload = self.take(length)
        (check,) = struct.unpack("<I", self.take(4))
        if magic != b"LKS1" or check != zlib.crc32(head + payload):
            raise ConnectionError("a damaged message")
        return kind, sequence, nanoseconds, payload

    def send(self, kind: int, sequence: int, nanoseconds: int, payload: bytes) -> None:
        self.socket.sendall(message(kind, sequence, nanoseconds, payload))


def read_signals(payload: bytes, at: int, extra: int) -> tuple:
    """The names of a list in a WELCOME and where it ends; each signal has `extra` bytes after its texts."""
    (count,) = struct.unpack_from("<H", payload, at)
    at += 2
    names = []
    for _ in range(count):
        for is_name in (True, False):
            (length,) = struct.unpack_from("<H", payload, at)
            if is_name:
                names.append(payload[at + 2:at + 2 + length].decode())
            at += 2 + length
        at += extra
    return names, at


def read_welcome(payload: bytes) -> tuple:
    """Names of the signals read and written."""
    at = 4 + 8 + 8 + 8 + 2
    for _ in range(2):
        at += 2 + struct.unpack_from("<H", payload, at)[0]
    reads, at = read_signals(payload, at, 0)
    writes, at = read_signals(payload, at, 24)
    if at != len(payload):
        raise ConnectionError("a WELCOME with trailing bytes")
    return reads, writes


def torque_of(name: str, values: dict) -> float:
    joint = name.split("/")[1].removesuffix("_motor")
    return 40.0 * (0.3 - values[f"arm/{joint}/angle"]) - 4.0 * values[f"arm/{joint}/speed"]


def main() -> int:
    parser = argparse.ArgumentParser()
    for option in ("--leave-after", "--hang-after", "--change-at"):
        parser.add_argument(option, type=int, default=-1)
    parser.add_argument("--exit-code", type=int, default=0)
    options = parser.parse_args()
    wire = Wire(os.environ["LOCKSTEP_ADDRESS"])
    wire.send(HELLO, 0, 0, struct.pack("<IQq", 1, 0, 0) + text("test") + struct.pack("<HH", 0, 0))
    reads, writes = [], []
    exchanges = 0
    while True:
        kind, sequence, nanoseconds, payload = wire.receive()
        if kind == WELCOME:
            reads, writes = read_welcome(payload)
        elif kind == MEASUREMENT:
            exchanges += 1
            if exchanges - 1 == options.hang_after:
                time.sleep(60)
            if exchanges - 1 == options.leave_after:
                wire.send(BYE, sequence, nanoseconds, struct.pack("<H", 7) + text("enough"))
                return options.exit_code
            values = dict(zip(reads, struct.unpack(f"<{len(reads)}d", payload)))
            more = 0.5 if 0 <= options.change_at <= exchanges else 0.0
            torques = [torque_of(name, values) + more for name in writes]
            wire.send(COMMAND, sequence, nanoseconds, struct.pack(f"<{len(torques)}d", *torques))
        elif kind == BYE:
            return options.exit_code
        else:
            print("rejected:", payload[4:].decode(errors="replace"), file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
