"""A viewer of `lockstep serve` for tests: the server as a process, and a WebSocket with nothing but the standard
library. docs/viewer-protocol.md says what is spoken.
"""

import base64
import json
import os
import re
import socket
import struct
import subprocess
import time
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
# A sanitizer or a busy machine makes everything slower, never wrong.
PATIENCE = 60.0


class Server:
    """`lockstep serve` with some arguments, on a free port."""

    def __init__(self, *arguments: str):
        self.process = subprocess.Popen([LOCKSTEP, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline()
        match = re.fullmatch(r"lockstep serves .* at (http://([\d.]+):(\d+)/(?:\?token=(\S+))?)\n", self.line)
        if not match:
            raise AssertionError(f"no address in '{self.line}': {self.process.communicate()[1]}")
        self.url, self.address, self.port, self.token = match[1], match[2], int(match[3]), match[4]
        self.host = f"{self.address}:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def connect(self) -> socket.socket:
        return socket.create_connection((self.address, self.port), timeout=PATIENCE)

    def ask(self, request: bytes) -> tuple:
        """Status, headers (lower case) and body of the response to a raw request."""
        with self.connect() as connection:
            connection.sendall(request)
            return read_answer(connection)

    def get(self, path: str, **headers: str) -> tuple:
        lines = [f"GET {path} HTTP/1.1", f"Host: {self.host}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return self.ask("\r\n".join(lines + ["", ""]).encode())


def read_answer(connection: socket.socket) -> tuple:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return (0, {}, data)
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        more = connection.recv(65536)
        if not more:
            break
        body += more
    return int(lines[0].split()[1]), headers, body


class StateMessage:
    """One decoded binary message of the stream."""

    def __init__(self, data: bytes):
        magic, self.scene, self.step, self.time, self.flags = struct.unpack_from("<4sIqdI", data)
        assert magic == b"LKV1", magic
        self.at = 28
        self.data = data
        self.poses = self._list(7)
        self.joints = self._list(1)
        self.contacts = self._list(6)
        self.rays = self._list(6)
        count, signals = struct.unpack_from("<II", data, self.at)
        self.at += 8
        numbers = struct.unpack_from(f"<{count * (1 + signals)}d", data, self.at)
        self.at += 8 * len(numbers)
        self.rows = [numbers[i:i + 1 + signals] for i in range(0, len(numbers), 1 + signals)]
        assert self.at == len(data), (self.at, len(data))

    def _list(self, width: int) -> list:
        (count,) = struct.unpack_from("<I", self.data, self.at)
        numbers = struct.unpack_from(f"<{count * width}f", self.data, self.at + 4)
        self.at += 4 + 4 * len(numbers)
        return [numbers[i:i + width] for i in range(0, len(numbers), width)]


class Viewer:
    """A WebSocket to the server. Pushes and states are collected while waiting for answers."""

    def __init__(self, server: Server, token: str = None, hello: bool = True):
        self.connection = server.connect()
        self.data = b""
        self.next_id = 1
        self.answers, self.pushes, self.states = {}, [], []
        self.closed = None
        path = "/ws" + (f"?token={token or server.token}" if token or server.token else "")
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nOrigin: http://{server.host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.data:
            more = self.connection.recv(4096)
            if not more:
                raise AssertionError("the server closed the connection")
            self.data += more
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            self.connection.close()
            raise AssertionError(head.decode())
        if hello:
            self.hello = self.request("hello")
            self.scene, self.status = self.hello["scene"], self.hello["status"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send(self, opcode: int, payload: bytes, final: bool = True, mask: bool = True) -> None:
        size = len(payload)
        head = bytes([(0x80 if final else 0) | opcode])
        flag = 0x80 if mask else 0
        if size < 126:
            head += bytes([flag | size])
        elif size < 65536:
            head += bytes([flag | 126]) + struct.pack(">H", size)
        else:
            head += bytes([flag | 127]) + struct.pack(">Q", size)
        # A mask of zeros is a mask, too.
        self.connection.sendall(head + (b"\0\0\0\0" if mask else b"") + payload)

    def _take(self, count: int) -> bytes:
        while len(self.data) < count:
            more = self.connection.recv(1 << 16)
            if not more:
                raise ConnectionError("the server closed the connection")
            self.data += more
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def read(self) -> None:
        """Reads and stores one message."""
        first, second = self._take(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self._take(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._take(8))
        payload = self._take(size)
        opcode = first & 0x0F
        if opcode == 1:
            message = json.loads(payload)
            if "push" in message:
                self.pushes.append(message)
                if message["push"] == "status":
                    self.status = message["status"]
                if message["push"] == "scene":
                    self.scene = message["scene"]
            else:
                self.answers[message["id"]] = message
        elif opcode == 2:
            self.states.append(StateMessage(payload))
            del self.states[:-1000]
        elif opcode == 8:
            self.closed = struct.unpack(">H", payload[:2])[0] if payload else 1005
            raise ConnectionError(f"closed: {self.closed} {payload[2:].decode()}")
        elif opcode == 9:
            self.send(10, payload)

    def read_until(self, condition, what: str = "what was expected"):
        end = time.monotonic() + PATIENCE
        while not (result := condition()):
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not arrive")
            self.read()
        return result

    def ask(self, do: str, **fields) -> dict:
        """The answer, accepted or rejected."""
        number = self.next_id
        self.next_id += 1
        self.send(1, json.dumps({"id": number, "do": do, **fields}).encode())
        self.read_until(lambda: number in self.answers, f"an answer to {do}")
        return self.answers.pop(number)

    def request(self, do: str, **fields) -> dict:
        answer = self.ask(do, **fields)
        if not answer["ok"]:
            raise AssertionError(f"{do} {fields}: {answer}")
        return answer

    def rejected(self, do: str, **fields) -> str:
        answer = self.ask(do, **fields)
        if answer["ok"]:
            raise AssertionError(f"{do} {fields} was not rejected")
        return answer["error"]

    def next_state(self) -> StateMessage:
        self.states.clear()
        return self.read_until(lambda: self.states and self.states[-1], "a state")

    def wait_for(self, state: str) -> dict:
        """The status once the run is in a state."""
        return self.read_until(lambda: self.status["state"] == state and self.status, f"state {state}")

    def wait_for_step(self, step: int) -> dict:
        return self.read_until(lambda: self.status["step"] >= step and self.status, f"step {step}")
