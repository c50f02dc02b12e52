#!/usr/bin/env python3
"""The golden messages: bytes and their meaning, generated from docs/protocol.md without any code of Lockstep.

    make_golden_messages.py            writes NAME.bin and NAME.json of every case here
    make_golden_messages.py --check    says which files differ from what would be written, and exits with 1 if any does
"""

import json
import math
import struct
import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).parent
TYPES = {"HELLO": 1, "WELCOME": 2, "MEASUREMENT": 3, "COMMAND": 4, "ERROR": 5, "BYE": 6}
INFINITY = math.inf
SESSION = 0x1234  # of WELCOME, and of all messages after it
ASKS_FOR_SESSION = 1  # session of HELLO


def text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<H", len(encoded)) + encoded


def signals(entries: list) -> bytes:
    return struct.pack("<H", len(entries)) + b"".join(text(each["name"]) + text(each["unit"]) for each in entries)


def commands(entries: list) -> bytes:
    return struct.pack("<H", len(entries)) + b"".join(
        text(each["name"]) + text(each["unit"]) + struct.pack("<3d", each["initial"], each["lower"], each["upper"])
        for each in entries)


def fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def schema_hash(welcome: dict) -> int:
    return fnv1a(struct.pack("<qqH", welcome["period"], welcome["step"], welcome["mode"])
                 + signals(welcome["reads"]) + commands(welcome["writes"]))


def payload_bytes(kind: str, payload: dict) -> bytes:
    if kind == "HELLO":
        return (struct.pack("<IQq", payload["version"], int(payload["hash"], 16), payload["period"])
                + text(payload["name"]) + signals(payload["reads"]) + signals(payload["writes"]))
    if kind == "WELCOME":
        return (struct.pack("<IQqqH", payload["version"], int(payload["hash"], 16), payload["period"],
                            payload["step"], payload["mode"])
                + text(payload["scenario"]) + text(payload["connection"])
                + signals(payload["reads"]) + commands(payload["writes"]))
    if kind in ("MEASUREMENT", "COMMAND"):
        return struct.pack(f"<{len(payload['values'])}d", *payload["values"])
    return struct.pack("<H", payload["code"]) + text(payload["sentence"])


def message(kind: int, sequence: int, time: int, payload: bytes, session: int = SESSION, length=None) -> bytes:
    head = b"LKS1" + struct.pack("<HHIIq", kind, session, len(payload) if length is None else length, sequence, time)
    return head + payload + struct.pack("<I", zlib.crc32(head + payload))


def flipped(data: bytes, at: int, bits: int = 0x01) -> bytes:
    changed = bytearray(data)
    changed[at] ^= bits
    return bytes(changed)


# The example: an arm with one joint, exchanged every 2 ms.
READS = [{"name": "arm/elbow/angle", "unit": "rad"}, {"name": "arm/elbow/speed", "unit": "rad/s"}]
WRITES = [{"name": "arm/motor/torque", "unit": "N*m", "initial": 0.0, "lower": -2.5, "upper": 2.5}]
WELCOME = {"version": 1, "hash": "", "period": 2_000_000, "step": 500_000, "mode": 0, "scenario": "arm",
           "connection": "arm/plc", "reads": READS, "writes": WRITES}
WELCOME["hash"] = f"{schema_hash(WELCOME):016x}"
HELLO_ANY = {"version": 1, "hash": f"{0:016x}", "period": 0, "name": "plc", "reads": [], "writes": []}
HELLO_ALL = {"version": 1, "hash": WELCOME["hash"], "period": 2_000_000, "name": "plc", "reads": READS,
             "writes": [{"name": each["name"], "unit": each["unit"]} for each in WRITES]}


class Golden:
    """The cases, by name: bytes and what they mean."""

    def __init__(self) -> None:
        self.cases = {}

    def add(self, name: str, says: str, data: bytes, messages: list, bad: int = 0, incomplete: bool = False,
            message: str = "") -> None:
        self.cases[name] = (data, {
            "says": says, "messages": messages, "bad": bad, "incomplete": incomplete,
            "message": message or ("good" if len(messages) == 1 and bad == 0 and not incomplete else "bad")})

    def add_good(self, name: str, says: str, kind: str, sequence: int, time: int, payload: dict,
                 session: int = SESSION) -> bytes:
        data = message(TYPES[kind], sequence, time, payload_bytes(kind, payload), session)
        self.add(name, says, data, [meaning(kind, sequence, time, payload, session)])
        return data


def meaning(kind: str, sequence: int, time: int, payload, session: int = SESSION) -> dict:
    return {"type": kind, "session": session, "sequence": sequence, "time": time, "payload": payload}


def make_cases() -> dict:
    golden = Golden()
    hello = golden.add_good("hello_any", "A controller that accepts any connection.", "HELLO", 0, 0, HELLO_ANY,
                            ASKS_FOR_SESSION)
    golden.add_good("hello_all", "A controller that insists on hash, period, names and units.", "HELLO", 0, 0, HELLO_ALL,
                    ASKS_FOR_SESSION)
    golden.add_good("hello_version_2", "An unsupported version.", "HELLO", 0, 0, {**HELLO_ANY, "version": 2},
                    ASKS_FOR_SESSION)
    golden.add_good("hello_without_session", "A controller that does not use session numbers.", "HELLO", 0, 0, HELLO_ANY, 0)
    golden.add_good("welcome", "The signals, and that exchange 1 is next.", "WELCOME", 1, 0, WELCOME)
    golden.add_good("welcome_real_time", "Real time, limits that are infinite, a name with letters of two bytes.",
                    "WELCOME", 4711, 9_422_000_000,
                    (lambda welcome: {**welcome, "hash": f"{schema_hash(welcome):016x}"})(
                        {**WELCOME, "mode": 1, "scenario": "Förderband", "writes": [
                            {"name": "belt/speed", "unit": "m/s", "initial": 0.5, "lower": -INFINITY,
                             "upper": INFINITY}]}))
    golden.add_good("welcome_empty", "A connection without signals.", "WELCOME", 0, 0,
                    (lambda welcome: {**welcome, "hash": f"{schema_hash(welcome):016x}"})(
                        {**WELCOME, "scenario": "", "connection": "", "reads": [], "writes": []}))
    first = {"values": [0.25, -1.5]}
    measurement = golden.add_good("measurement_0", "The first exchange.", "MEASUREMENT", 1, 0, first)
    command = golden.add_good("command_0", "Its answer: the same sequence number and time.", "COMMAND", 1, 0,
                              {"values": [-0.75]})
    golden.add_good("command_without_session", "An answer of a controller that does not use session numbers.", "COMMAND",
                    1, 0, {"values": [-0.75]}, 0)
    golden.add_good("measurement_1", "The second exchange, one period later.", "MEASUREMENT", 2, 2_000_000,
                    {"values": [0.2470703125, -1.4375]})
    second = golden.add_good("command_1", "Its answer.", "COMMAND", 2, 2_000_000, {"values": [-0.7412109375]})
    golden.add_good("measurement_last", "The largest sequence number, a time of 73 days, numbers at their limits.",
                    "MEASUREMENT", 2**32 - 1, 6_307_200_000_000_001, {"values": [5e-324, -1.7976931348623157e308]})
    golden.add_good("command_none", "No numbers: a connection that only measures.", "COMMAND", 7, 14_000_000, {"values": []})
    golden.add_good("command_nan", "A valid message with non-finite numbers: answered with ERROR 5, not used.",
                    "COMMAND", 1, 2_000_000, {"values": [math.nan, INFINITY, -INFINITY]})
    golden.add_good("error_differs", "The connection does not match HELLO.", "ERROR", 0, 0, {
        "code": 2, "sentence": "signal 'arm/elbow/angel' cannot be read; did you mean 'arm/elbow/angle'?"})
    golden.add_good("bye_over", "The run is over.", "BYE", 2, 2_000_000, {"code": 6, "sentence": "the run is over"})
    golden.add_good("bye_leaves", "The controller leaves.", "BYE", 1, 2_000_000,
                    {"code": 7, "sentence": "the controller leaves"})

    # Complete messages with an invalid payload: good messages, payload null.
    for name, says, kind, payload in [
            ("hello_text_too_long", "A text longer than the payload.", "HELLO",
             struct.pack("<IQqH", 1, 0, 0, 400) + b"plc"),
            ("hello_count_too_large", "A count of 65,535 signals without their data.", "HELLO",
             struct.pack("<IQq", 1, 0, 0) + text("plc") + struct.pack("<H", 0xFFFF)),
            ("hello_trailing_byte", "One trailing byte.", "HELLO",
             payload_bytes("HELLO", HELLO_ANY) + b"\0"),
            ("hello_control_character", "A name with a line feed.", "HELLO",
             payload_bytes("HELLO", {**HELLO_ANY, "name": "p\nc"})),
            ("hello_wrong_utf8", "A name that is not UTF-8.", "HELLO",
             payload_bytes("HELLO", HELLO_ANY).replace(b"plc", b"p\xC3\x28")),
            ("command_half_number", "Twelve bytes are one and a half numbers.", "COMMAND", bytes(12)),
            ("error_empty", "An ERROR without code and sentence.", "ERROR", b"")]:
        golden.add(name, says, message(TYPES[kind], 0, 0, payload), [meaning(kind, 0, 0, None)])

    # Several messages, and damage between them, on a stream.
    command_0 = meaning("COMMAND", 1, 0, {"values": [-0.75]})
    command_1 = meaning("COMMAND", 2, 2_000_000, {"values": [-0.7412109375]})
    for name, says, data, messages, bad in [
            ("two_messages", "Two messages without a gap.", command + second, [command_0, command_1], 0),
            ("garbage_then_message", "Any number of bytes without a magic count as one bad message.",
             bytes(range(64)) + command, [command_0], 1),
            ("magic_in_garbage", "A magic in garbage begins a message, and it is bad.",
             b"GET / LKS1 HTTP/1.1\r\n\r\n" + bytes(20) + command, [command_0], 2),
            ("damaged_then_message", "A flipped bit loses one message; the next one is good.",
             flipped(command, 27) + second, [command_1], 1),
            ("two_damaged_then_message", "Two damaged messages count as two.",
             flipped(command, 27) + flipped(command, 26) + second, [command_1], 2),
            ("truncated_then_message", "The end of a message is missing; the one after it is found within its bytes.",
             command[:-9] + second, [command_1], 1),
            ("magic_in_payload", "A payload may contain the magic.",
             message(4, 0, 0, b"LKS1LKS1"), [meaning("COMMAND", 0, 0, {"values": [struct.unpack("<d", b"LKS1LKS1")[0]]})], 0),
            ("longer_by_a_damaged_length", "A length that has become 16 bytes too large swallows part of the next message.",
             flipped(command, 8, 0x10) + second, [command_1], 1)]:
        golden.add(name, says, data, messages, bad)

    # Damaged messages by themselves.
    for name, says, data in [
            ("damaged_checksum", "A bit of the checksum is flipped.", flipped(command, len(command) - 1)),
            ("damaged_payload", "A bit of the payload is flipped.", flipped(command, 24)),
            ("damaged_sequence", "A bit of the sequence number is flipped.", flipped(command, 12)),
            ("damaged_time", "A bit of the time is flipped.", flipped(measurement, 20)),
            ("unknown_type_0", "Unknown type 0.", message(0, 0, 0, b"")),
            ("unknown_type_7", "Unknown type 7.", message(7, 0, 0, b"")),
            ("length_too_large", "One byte more than a payload may have, whether or not it follows.",
             message(4, 0, 0, bytes(8), length=1_048_577)),
            ("length_huge", "The largest length that can be written.", message(4, 0, 0, bytes(8), length=2**32 - 1)),
            ("wrong_magic", "The magic of another protocol version.", b"LKS2" + command[4:])]:
        golden.add(name, says, data, [], bad=1)

    # Incomplete messages: a stream waits, a datagram is bad.
    for name, says, data in [
            ("truncated_in_magic", "Three bytes of a magic.", command[:3]),
            ("truncated_in_header", "A header that ends too early.", hello[:17]),
            ("truncated_in_payload", "A payload that ends too early.", hello[:30]),
            ("truncated_in_checksum", "The last byte is missing.", command[:-1])]:
        golden.add(name, says, data, [], incomplete=True, message="bad")
    return golden.cases


def speakable(value):
    """JSON has no NaN and no infinity: "nan", "inf", "-inf"."""
    if isinstance(value, dict):
        return {key: speakable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [speakable(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def main() -> int:
    files = {}
    for name, (data, says) in make_cases().items():
        files[f"{name}.bin"] = data
        files[f"{name}.json"] = (json.dumps(speakable(says), indent=2, ensure_ascii=False) + "\n").encode()
    there = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.suffix in (".bin", ".json")}
    if sys.argv[1:] == ["--check"]:
        wrong = sorted(name for name in files.keys() | there.keys() if files.get(name) != there.get(name))
        for name in wrong:
            print(f"{FOLDER / name}: differs from what {Path(__file__).name} writes")
        print(f"{len(files)} files, {len(wrong)} differ")
        return 1 if wrong else 0
    for name in there.keys() - files.keys():
        (FOLDER / name).unlink()
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
