#!/usr/bin/env python3
"""Both clients make of the golden frames what their meaning says, and make the same bytes of that meaning."""

import json
import math
import os
import struct
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
FRAMES = str(Path(os.environ["LOCKSTEP_BUILD_DIR"]) / "bin" / "client_frames")
GOLDEN = sorted((ROOT / "tests" / "golden_frames").glob("*.json"))
sys.path.insert(0, str(ROOT / "clients" / "python"))

import lockstep_client  # noqa: E402

TYPES = ("", "HELLO", "WELCOME", "MEASUREMENT", "COMMAND", "ERROR", "BYE")


def number(value) -> float:
    """JSON has no infinite numbers, and C's are printed as texts."""
    value = float(value)
    return "nan" if math.isnan(value) else value


def comparable(meaning: dict) -> dict:
    """Numbers as numbers, and of HELLO only that it is one: a controller never reads it."""
    frames = []
    for frame in meaning["frames"]:
        payload = frame["payload"]
        if frame["type"] == "HELLO":
            payload = "unread"
        elif payload and "values" in payload:
            payload = {"values": [number(value) for value in payload["values"]]}
        elif payload and "writes" in payload:
            payload = payload | {"writes": [{key: value if key in ("name", "unit") else number(value)
                                             for key, value in signal.items()} for signal in payload["writes"]]}
        frames.append(frame | {"payload": payload})
    return {"frames": frames, **{key: meaning[key] for key in ("bad", "incomplete", "message")}}


def python_payload(frame: lockstep_client.Frame):
    if frame.type == lockstep_client.HELLO:
        return "unread"
    if frame.type == lockstep_client.WELCOME:
        try:
            welcome = lockstep_client.Welcome(frame.payload)
        except ValueError:
            return None
        return {"version": 1, "hash": f"{welcome.schema_hash:016x}", "period": welcome.period_ns,
                "step": welcome.step_ns, "mode": int(welcome.is_realtime), "scenario": welcome.scenario,
                "link": welcome.link, "reads": [{"name": s.name, "unit": s.unit} for s in welcome.reads],
                "writes": [s._asdict() for s in welcome.writes]}
    if frame.type in (lockstep_client.ERROR, lockstep_client.BYE):
        found = lockstep_client.read_message(frame)
        return found and {"code": found[0], "sentence": found[1]}
    if len(frame.payload) % 8:
        return None
    return {"values": list(struct.unpack(f"<{len(frame.payload) // 8}d", frame.payload))}


def decode_in_python(bytes_: bytes) -> dict:
    inbox = lockstep_client.Inbox()
    inbox.bytes += bytes_
    frames = []
    while frame := inbox.take():
        frames.append({"type": TYPES[frame.type], "sequence": frame.sequence, "time": frame.time,
                       "payload": python_payload(frame)})
    datagram = lockstep_client.Inbox()
    datagram.bytes += bytes_
    return {"frames": frames, "bad": inbox.dropped, "incomplete": bool(inbox.bytes),
            "message": "good" if datagram.take_datagram() else "bad"}


def encode_in_python(frame: dict) -> bytes:
    payload = frame["payload"]
    if frame["type"] == "HELLO":
        signals = [{signal["name"]: signal["unit"] for signal in payload[key]} for key in ("reads", "writes")]
        return lockstep_client.hello(payload["name"], int(payload["hash"], 16), payload["period"], *signals)
    if frame["type"] == "BYE":
        return lockstep_client.bye(frame["sequence"], frame["time"], payload["code"], payload["sentence"])
    values = [float(value) for value in payload["values"]]
    return lockstep_client.encode(lockstep_client.Frame(
        lockstep_client.COMMAND, frame["sequence"], frame["time"], struct.pack(f"<{len(values)}d", *values)))


def encode_in_c(frame: dict) -> bytes:
    payload, arguments = frame["payload"], [frame["type"]]
    if frame["type"] == "HELLO":
        arguments += [payload["hash"], payload["period"], payload["name"]]
        for key, end in (("reads", [""]), ("writes", [])):
            for signal in payload[key]:
                arguments += [signal["name"], signal["unit"]]
            arguments += end
    elif frame["type"] == "BYE":
        arguments += [frame["sequence"], frame["time"], payload["code"], payload["sentence"]]
    else:
        arguments += [frame["sequence"], frame["time"], *payload["values"]]
    return subprocess.run([FRAMES, *map(str, arguments)], capture_output=True, check=True, timeout=60).stdout


class GoldenFrames(unittest.TestCase):
    def each(self):
        self.assertGreater(len(GOLDEN), 40)
        return [(json.loads(path.read_text(encoding="utf-8")), path.with_suffix(".bin")) for path in GOLDEN]

    def test_c_decodes_them(self) -> None:
        for meaning, path in self.each():
            with self.subTest(path.stem):
                done = subprocess.run([FRAMES, "decode", str(path)], capture_output=True, check=True, timeout=60)
                self.assertEqual(comparable(json.loads(done.stdout)), comparable(meaning))

    def test_python_decodes_them(self) -> None:
        for meaning, path in self.each():
            with self.subTest(path.stem):
                self.assertEqual(comparable(decode_in_python(path.read_bytes())), comparable(meaning))

    def test_both_encode_what_a_controller_sends(self) -> None:
        count = 0
        for meaning, path in self.each():
            frames = meaning["frames"]
            is_good = len(frames) == 1 and frames[0]["payload"] and not meaning["bad"] and not meaning["incomplete"]
            if not is_good or frames[0]["type"] not in ("HELLO", "COMMAND", "BYE"):
                continue
            if frames[0]["type"] == "HELLO" and frames[0]["payload"]["version"] != 1:
                continue
            count += 1
            with self.subTest(path.stem):
                self.assertEqual(encode_in_python(frames[0]).hex(), path.read_bytes().hex())
                self.assertEqual(encode_in_c(frames[0]).hex(), path.read_bytes().hex())
        self.assertGreaterEqual(count, 6)


if __name__ == "__main__":
    unittest.main()
