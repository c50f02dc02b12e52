#!/usr/bin/env python3
"""Both clients decode the golden messages to their documented meaning, and encode it to the same bytes."""

import json
import math
import os
import struct
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
MESSAGES = str(Path(os.environ["LOCKSTEP_BUILD_DIR"]) / "bin" / "client_messages")
GOLDEN = sorted((ROOT / "tests" / "golden_messages").glob("*.json"))
sys.path.insert(0, str(ROOT / "clients" / "python"))

import lockstep_client  # noqa: E402

TYPES = ("", "HELLO", "WELCOME", "MEASUREMENT", "COMMAND", "ERROR", "BYE")


def number(value) -> float:
    """JSON has no infinite numbers; the C program prints them as strings."""
    value = float(value)
    return "nan" if math.isnan(value) else value


def comparable(meaning: dict) -> dict:
    """Numbers as numbers; HELLO without payload, because a controller never decodes it."""
    messages = []
    for message in meaning["messages"]:
        payload = message["payload"]
        if message["type"] == "HELLO":
            payload = "unread"
        elif payload and "values" in payload:
            payload = {"values": [number(value) for value in payload["values"]]}
        elif payload and "writes" in payload:
            payload = payload | {"writes": [{key: value if key in ("name", "unit") else number(value)
                                             for key, value in signal.items()} for signal in payload["writes"]]}
        messages.append(message | {"payload": payload})
    return {"messages": messages, **{key: meaning[key] for key in ("bad", "incomplete", "message")}}


def python_payload(message: lockstep_client.Message):
    if message.type == lockstep_client.HELLO:
        return "unread"
    if message.type == lockstep_client.WELCOME:
        try:
            welcome = lockstep_client.Welcome(message.payload)
        except ValueError:
            return None
        return {"version": 1, "hash": f"{welcome.schema_hash:016x}", "period": welcome.period_ns,
                "step": welcome.step_ns, "mode": int(welcome.is_realtime), "scenario": welcome.scenario,
                "connection": welcome.connection, "reads": [{"name": s.name, "unit": s.unit} for s in welcome.reads],
                "writes": [s._asdict() for s in welcome.writes]}
    if message.type in (lockstep_client.ERROR, lockstep_client.BYE):
        found = lockstep_client.read_message(message)
        return found and {"code": found[0], "sentence": found[1]}
    if len(message.payload) % 8:
        return None
    return {"values": list(struct.unpack(f"<{len(message.payload) // 8}d", message.payload))}


def decode_in_python(bytes_: bytes) -> dict:
    inbox = lockstep_client.Inbox()
    inbox.bytes += bytes_
    messages = []
    while message := inbox.take():
        messages.append({"type": TYPES[message.type], "session": message.session, "sequence": message.sequence, "time": message.time,
                       "payload": python_payload(message)})
    datagram = lockstep_client.Inbox()
    datagram.bytes += bytes_
    return {"messages": messages, "bad": inbox.dropped, "incomplete": bool(inbox.bytes),
            "message": "good" if datagram.take_datagram() else "bad"}


def encode_in_python(message: dict) -> bytes:
    payload = message["payload"]
    if message["type"] == "HELLO":
        signals = [{signal["name"]: signal["unit"] for signal in payload[key]} for key in ("reads", "writes")]
        return lockstep_client.hello(payload["name"], int(payload["hash"], 16), payload["period"], *signals)
    if message["type"] == "BYE":
        return lockstep_client.bye(message["sequence"], message["time"], payload["code"], payload["sentence"],
                                   message["session"])
    values = [float(value) for value in payload["values"]]
    return lockstep_client.encode(lockstep_client.Message(
        lockstep_client.COMMAND, message["sequence"], message["time"], struct.pack(f"<{len(values)}d", *values), message["session"]))


def encode_in_c(message: dict) -> bytes:
    payload, arguments = message["payload"], [message["type"]]
    if message["type"] == "HELLO":
        arguments += [payload["hash"], payload["period"], payload["name"]]
        for key, end in (("reads", [""]), ("writes", [])):
            for signal in payload[key]:
                arguments += [signal["name"], signal["unit"]]
            arguments += end
    elif message["type"] == "BYE":
        arguments += [message["session"], message["sequence"], message["time"], payload["code"], payload["sentence"]]
    else:
        arguments += [message["session"], message["sequence"], message["time"], *payload["values"]]
    return subprocess.run([MESSAGES, *map(str, arguments)], capture_output=True, check=True, timeout=60).stdout


class GoldenMessages(unittest.TestCase):
    def each(self):
        self.assertGreater(len(GOLDEN), 40)
        return [(json.loads(path.read_text(encoding="utf-8")), path.with_suffix(".bin")) for path in GOLDEN]

    def test_c_decodes_them(self) -> None:
        for meaning, path in self.each():
            with self.subTest(path.stem):
                done = subprocess.run([MESSAGES, "decode", str(path)], capture_output=True, check=True, timeout=60)
                self.assertEqual(comparable(json.loads(done.stdout)), comparable(meaning))

    def test_python_decodes_them(self) -> None:
        for meaning, path in self.each():
            with self.subTest(path.stem):
                self.assertEqual(comparable(decode_in_python(path.read_bytes())), comparable(meaning))

    def test_both_encode_what_a_controller_sends(self) -> None:
        count = 0
        for meaning, path in self.each():
            messages = meaning["messages"]
            is_good = len(messages) == 1 and messages[0]["payload"] and not meaning["bad"] and not meaning["incomplete"]
            if not is_good or messages[0]["type"] not in ("HELLO", "COMMAND", "BYE"):
                continue
            if messages[0]["type"] == "HELLO" and (messages[0]["payload"]["version"] != 1 or messages[0]["session"] == 0):
                continue
            count += 1
            with self.subTest(path.stem):
                self.assertEqual(encode_in_python(messages[0]).hex(), path.read_bytes().hex())
                self.assertEqual(encode_in_c(messages[0]).hex(), path.read_bytes().hex())
        self.assertGreaterEqual(count, 6)


if __name__ == "__main__":
    unittest.main()
