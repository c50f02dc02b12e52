#!/usr/bin/env python3
"""Requests that a hostile, broken or careless program could send: each gets the right answer, and the simulation
is not affected.

The table is REQUESTS (over plain HTTP), TEXTS (requests over the WebSocket) and FRAMES (malformed WebSocket frames).
"""

import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from viewer import LOCKSTEP, PATIENCE, ROOT, Server, Viewer, read_answer

UPGRADE = ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
           "Sec-WebSocket-Version: 13\r\n")


def get(path: str, headers: str = "", host: str = "Host: {host}\r\n", method: str = "GET") -> str:
    return f"{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n"


# Case, request ({host} and {port} are the server's), and expected status.
REQUESTS = [
    ("a good one", get("/"), 200),
    ("localhost is us", get("/", host="Host: localhost:{port}\r\n"), 200),
    ("no Host", get("/", host=""), 400),
    ("two Hosts", get("/", host="Host: {host}\r\nHost: evil.example\r\n"), 400),
    ("another name: DNS was rebound", get("/", host="Host: evil.example\r\n"), 403),
    ("another name with our port", get("/", host="Host: evil.example:{port}\r\n"), 403),
    ("our name as a prefix of another", get("/", host="Host: 127.0.0.1.evil.example:{port}\r\n"), 403),
    ("another port", get("/", host="Host: 127.0.0.1:1\r\n"), 403),
    ("no port", get("/", host="Host: 127.0.0.1\r\n"), 403),
    ("an address of a private net", get("/", host="Host: 192.168.0.1:{port}\r\n"), 403),
    ("empty Host", get("/", host="Host: \r\n"), 403),
    ("another Origin", get("/", "Origin: http://evil.example\r\n"), 403),
    ("another Origin that begins like ours", get("/", "Origin: http://{host}.evil.example\r\n"), 403),
    ("Origin of another scheme", get("/", "Origin: https://{host}\r\n"), 403),
    ("Origin null: a sandboxed page", get("/", "Origin: null\r\n"), 403),
    ("two Origins", get("/", "Origin: http://{host}\r\nOrigin: http://evil.example\r\n"), 400),
    ("WebSocket of another Origin", get("/ws", UPGRADE + "Origin: http://evil.example\r\n"), 403),
    ("WebSocket of Origin null", get("/ws", UPGRADE + "Origin: null\r\n"), 403),
    ("WebSocket of another Host", get("/ws", UPGRADE, host="Host: evil.example:{port}\r\n"), 403),
    ("WebSocket without upgrade", get("/ws"), 426),
    ("WebSocket of an old version", get("/ws", UPGRADE.replace("13", "8")), 426),
    ("WebSocket without a key", get("/ws", UPGRADE.replace("Sec-WebSocket-Key", "X")), 400),
    ("traversal", get("/../../../../etc/passwd"), 404),
    ("traversal, encoded", get("/%2e%2e/%2e%2e/etc/passwd"), 404),
    ("traversal, encoded twice", get("/%252e%252e/etc/passwd"), 404),
    ("traversal with backslashes", get("/..\\..\\etc\\passwd"), 404),
    ("traversal from the assets", get("/assets/../../secret.xml"), 404),
    ("traversal from the gallery", get("/gallery/../CMakeLists.txt"), 404),
    ("traversal to an image", get("/gallery/../../secret.png"), 404),
    ("an absolute path in the gallery", get("/gallery//etc/hostname.png"), 404),
    ("a scenario as a thumbnail", get("/gallery/pendulum.xml"), 404),
    ("a file of the root", get("/secret.xml"), 404),
    ("a mesh that does not exist", get("/scene/mesh/00000000000000000000000000000000"), 404),
    ("a mesh of a negative number", get("/scene/mesh/-1"), 404),
    ("a mesh of a long name", get("/scene/mesh/" + "0" * 1900), 404),
    ("a download that was not requested", get("/download/00000000000000000000000000000000"), 404),
    ("an empty download", get("/download/"), 404),
    ("the address of another server: a proxy", get("http://evil.example/"), 400),
    ("no path", get("*", method="OPTIONS"), 400),
    ("POST", get("/", method="POST"), 405),
    ("PUT", get("/index.html", "Content-Length: 1\r\n", method="PUT").replace("\r\n\r\n", "\r\n\r\nx"), 405),
    ("DELETE", get("/", method="DELETE"), 405),
    ("TRACE", get("/", method="TRACE"), 405),
    ("CONNECT", get("evil.example:443", method="CONNECT"), 400),
    ("a method of no name", get("/", method="\x01\x02"), 400),
    ("no HTTP at all", "hello\r\n\r\n", 400),
    ("HTTP of the future", "GET / HTTP/3.7\r\nHost: {host}\r\n\r\n", 400),
    ("a line feed in the path", "GET /\nX: y HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
    ("a zero byte in the path", get("/\0"), 400),
    ("a header without a name", get("/", ": x\r\n"), 400),
    ("a header of 100 kB", get("/", "X: " + "y" * 100_000 + "\r\n"), 431),
    ("3000 headers", get("/", "".join(f"X{i}: y\r\n" for i in range(3000))), 431),
    ("a path of 10 kB", get("/" + "a" * 10_000), 414),
    ("a body of 1 MB", get("/", "Content-Length: 1000000\r\n", method="POST"), 413),
    ("a body of 2^63 bytes", get("/", "Content-Length: 9223372036854775808\r\n", method="POST"), 413),
    ("a body of a negative length", get("/", "Content-Length: -1\r\n", method="POST"), 400),
    ("two lengths", get("/", "Content-Length: 1\r\nContent-Length: 2\r\n", method="POST"), 400),
    ("chunks of no length", get("/", "Transfer-Encoding: chunked\r\n", method="POST") + "zz\r\n", 400),
]

OUTSIDE = ["../secret.xml", "/etc/passwd", "a/../../secret.xml", "./../secret.xml", "link.xml", "folder-link/secret.xml",
           "..", ".", "", "pendulum.xml\0.txt", "....//secret.xml", "fifo.xml", "notes.txt", "a" * 5000 + ".xml",
           "file:///etc/passwd", "~/secret.xml"]

# Requests of a viewer; each is rejected with an error that contains these words.
TEXTS = [
    *[({"do": "open", "path": path}, "") for path in OUTSIDE],
    *[({"do": "open", "gallery": name}, "") for name in ("../secret", "/etc/passwd", "..", "", "../scenarios/../secret")],
    *[({"do": "open", "text": "<scenario/>", "name": name}, "name") for name in ("../x.xml", "/x.xml", "a\\b.xml", "", "..")],
    ({"do": "open", "text": "<scenario name='x'><include src='../secret.xml'/></scenario>", "name": "x.xml"}, "leaves"),
    ({"do": "open", "text": "<scenario name='x'><terrain src='/etc/passwd'/></scenario>", "name": "x.xml"}, ""),
    ({"do": "open", "text": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><scenario>&b;</scenario>", "name": "x.xml"}, ""),
    ({"do": "open", "text": "<a>" * 100_000, "name": "x.xml"}, ""),
    ({"do": "open", "path": "pendulum.xml", "gallery": "pendulum"}, "one of"),
    ({"do": "open"}, "one of"),
    ({"do": "edit", "xpath": "//robot/@src", "value": "../secret.xml"}, ""),
    ({"do": "edit", "xpath": "//" * 400, "value": "1"}, "XPath"),
    ({"do": "edit", "xpath": "a" * 5000, "value": "1"}, "too long"),
    ({"do": "edit", "xpath": "//joint/@damping", "value": "nan"}, ""),
    ({"do": "edit", "xpath": "document('/etc/passwd')", "value": "1"}, ""),
    ({"do": "save", "name": "x" * 1000}, "too long"),
    ({"do": "load", "name": "../secret"}, "no snapshot"),
    ({"do": "delete", "name": "../secret"}, "no snapshot"),
    ({"do": "download", "what": "snapshot", "name": "../../etc/passwd"}, "no snapshot"),
    ({"do": "download", "what": "/etc/passwd"}, "what"),
    ({"do": "download", "what": "scenario", "name": "../secret.xml"}, "name"),
    ({"do": "attributes", "path": "../../secret"}, "no element"),
    ({"do": "speed", "factor": 0}, "range"),
    ({"do": "speed", "factor": 1e300}, "range"),
    ({"do": "speed", "factor": "fast"}, "number"),
    ({"do": "step", "count": 10**12}, "range"),
    ({"do": "step", "count": -1}, "range"),
    ({"do": "step", "count": 1.5}, "integer"),
    ({"do": "play", "for": -1}, "range"),
    ({"do": "seek", "time": 1e8}, "recorded"),
    ({"do": "seek", "time": -1}, "range"),
    ({"do": "set", "signal": "pendulum/hinge/angle", "value": 1}, "measured"),
    ({"do": "set", "signal": "x" * 100_000, "value": 1}, "too long"),
    ({"do": "joint", "joint": "pendulum/hinge", "position": 1e9}, "range"),
    ({"do": "attach", "joint": "pendulum/hinge", "attached": False}, "not detachable"),
    ({"do": "pull", "body": "world", "point": [0, 0, 0], "target": [0, 0, 0]}, ""),
    ({"do": "pull", "body": "pendulum/rod", "point": [0, 0], "target": [0, 0, 0]}, "three numbers"),
    ({"do": "pull", "body": "pendulum/rod", "point": [0, 0, 0], "target": [0, 0, 1e12]}, "three numbers"),
    ({"do": "pull", "body": "pendulum/rod", "point": [0, 0, 0], "target": [0, 0, 0], "stiffness": 1e9}, "too high"),
    ({"do": "subscribe", "signals": ["no/such"]}, "no signal"),
    ({"do": "subscribe", "signals": ["time"] * 5000}, "at most"),
    ({"do": "subscribe", "rate": 1000}, "range"),
    ({"do": "subscribe", "signals": "time"}, "list"),
    ({"do": "shutdown"}, "unknown request"),
    ({"do": "pause", "sudo": True}, "no field"),
    ({"do": 7}, "text"),
]

# Bytes of a text message, and whether the viewer is still connected afterwards.
MESSAGES = [
    (b"", True),
    (b"null", True),
    (b"[]", True),
    (b"{", True),
    (b'{"id": 1}', True),
    (b'{"id": "x", "do": "pause"}', True),
    (b'{"id": -5, "do": "pause"}', True),
    (b'{"id": 1e400, "do": "pause"}', True),
    (b'{"id": 99999999999999999999, "do": "pause"}', True),
    (b'{"id": 1, "do": "speed", "factor": NaN}', True),
    (b'{"id": 1, "do": "speed", "factor": 1e999}', True),
    (b"[" * 100_000, True),
    (b'{"a":' * 100_000, True),
    (b'{"id": 1, "do": "' + b"x" * 1_000_000 + b'"}', True),
    (b"{" + b",".join(b'"k%d":1' % i for i in range(50_000)) + b"}", True),
    (b'{"id": 1, "do": "pause\xff"}', False),
]


def mask(head: bytes, payload: bytes = b"") -> bytes:
    return head + b"\0\0\0\0" + payload


# Malformed WebSocket frames: each ends the connection.
FRAMES = [
    ("a frame without a mask", b"\x81\x02{}"),
    ("a reserved bit", mask(b"\xC1\x82", b"{}")),
    ("an unknown opcode", mask(b"\x83\x82", b"{}")),
    ("a frame of 17 MiB", mask(b"\x81\xFF" + struct.pack(">Q", 17 << 20))),
    ("a frame of 2^63 bytes", mask(b"\x81\xFF" + struct.pack(">Q", 1 << 63))),
    ("a message that goes on without a beginning", mask(b"\x80\x82", b"{}")),
    ("a ping of 200 bytes", mask(b"\x89\xFE\x00\xC8", b"x" * 200)),
    ("a ping in pieces", mask(b"\x09\x82", b"{}")),
    ("a binary message", mask(b"\x82\x82", b"{}")),
    ("a close of one byte", mask(b"\x88\x81", b"x")),
]

STEPS = 200_000


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.outer = tempfile.TemporaryDirectory()
        outer = Path(cls.outer.name)
        cls.folder = outer / "root"
        (cls.folder / "a").mkdir(parents=True)
        shutil.copy(ROOT / "scenarios/basics/pendulum.xml", cls.folder)
        for name in ("secret.xml", "secret.png"):
            shutil.copy(ROOT / "scenarios/basics/pendulum.xml", outer / name)
        (cls.folder / "link.xml").symlink_to(outer / "secret.xml")
        (cls.folder / "folder-link").symlink_to(outer)
        (cls.folder / "notes.txt").write_text("<scenario/>")
        os.mkfifo(cls.folder / "fifo.xml")
        cls.server = Server(str(cls.folder / "pendulum.xml"))
        cls.watcher = Viewer(cls.server)
        # Meanwhile a run of known length continues.
        step = cls.watcher.scene["step"]
        cls.watcher.request("play", **{"for": STEPS * step})

    @classmethod
    def tearDownClass(cls):
        cls.watcher.connection.close()
        code = cls.server.end()
        assert code == 0, f"the server ended with {code}"
        cls.outer.cleanup()

    def test_there_are_enough_of_them(self):
        self.assertGreaterEqual(len(REQUESTS) + len(TEXTS) + len(MESSAGES) + len(FRAMES), 120)

    def test_requests(self):
        for what, request, status in REQUESTS:
            with self.subTest(what):
                data = request.replace("{host}", self.server.host).replace("{port}", str(self.server.port))
                answer = self.server.ask(data.encode("latin-1"))
                self.assertEqual(answer[0], status, answer)
                self.assertNotIn(b"root:", answer[2])
                self.assertEqual(answer[1]["x-content-type-options"], "nosniff")

    def test_texts(self):
        with Viewer(self.server) as viewer:
            for fields, words in TEXTS:
                with self.subTest(str(fields)[:200]):
                    number = viewer.next_id
                    viewer.next_id += 1
                    viewer.send(1, json.dumps({"id": number, **fields}).encode())
                    answer = viewer.read_until(lambda: viewer.answers.pop(number, None), "an answer")
                    self.assertFalse(answer["ok"])
                    self.assertIn(words, answer["error"])
                    self.assertNotIn("root:", json.dumps(answer))
            self.assertEqual(viewer.status["state"], "running")

    def test_messages(self):
        for data, stays in MESSAGES:
            with self.subTest(data[:60]), Viewer(self.server) as viewer:
                viewer.send(1, data)
                if stays:
                    self.assertEqual(viewer.ask("files")["ok"], True)
                    wrong = [answer for answer in viewer.answers.values() if not answer["ok"]]
                    self.assertEqual(len(wrong), 1)
                else:
                    with self.assertRaises(OSError):
                        viewer.ask("files")

    def test_frames(self):
        for what, data in FRAMES:
            with self.subTest(what), Viewer(self.server) as viewer:
                viewer.connection.sendall(data)
                with self.assertRaises(OSError):
                    viewer.read_until(lambda: False)

    def test_first_words(self):
        """A viewer without a valid hello and token is closed."""
        for text in ({"id": 1, "do": "pause"}, {"id": 1, "do": "hello", "token": "guess"}, {"id": 1, "do": "hello", "x": 1}):
            with self.subTest(text), Viewer(self.server, hello=False) as viewer:
                viewer.send(1, json.dumps(text).encode())
                self.assertFalse(viewer.read_until(lambda: viewer.answers.get(1))["ok"])
                with self.assertRaises(OSError):
                    viewer.read_until(lambda: False)

    def test_slow_loris(self):
        """A request that arrives too slowly is abandoned; meanwhile others are served."""
        slow = [self.server.connect() for _ in range(20)]
        for connection in slow:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        began = time.monotonic()
        ended = set()
        while len(ended) < len(slow) and time.monotonic() - began < 40:
            for connection in set(slow) - ended:
                try:
                    connection.sendall(b"x")
                    connection.settimeout(0.05)
                    connection.recv(10_000)
                    ended.add(connection)
                except TimeoutError:
                    pass
                except OSError:
                    ended.add(connection)
            self.assertEqual(self.server.get("/")[0], 200)
            time.sleep(0.5)
        self.assertEqual(len(ended), len(slow))
        self.assertGreater(time.monotonic() - began, 5)
        for connection in slow:
            connection.close()

    def test_a_thousand_connections(self):
        """Connections above the limit get 503; after they close, new ones are accepted."""
        connections, full = [], 0
        for _ in range(1000):
            connections.append(self.server.connect())
        for connection in connections:
            connection.settimeout(PATIENCE)
            try:
                connection.sendall(f"GET / HTTP/1.1\r\nHost: {self.server.host}\r\n\r\n".encode())
                full += read_answer(connection)[0] == 503
            except OSError:
                full += 1
        for connection in connections:
            connection.close()
        self.assertGreater(full, 850)
        end = time.monotonic() + PATIENCE
        while self.server.get("/")[0] != 200 and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(self.server.get("/")[0], 200)

    def test_viewers_that_do_not_read(self):
        """A viewer that sends requests and never reads is closed; it neither slows the run nor fills the memory."""
        with Viewer(self.server) as stuck:
            stuck.request("subscribe", poses=True, contacts=True, rays=True, signals=["time"])
            stuck.connection.settimeout(5)
            with self.assertRaises(OSError):
                for i in range(1_000_000):
                    stuck.send(1, json.dumps({"id": i, "do": "source"}).encode())
        self.assertEqual(self.server.get("/")[0], 200)

    def test_zz_the_run_was_not_disturbed(self):
        """Its state at the end is that of a run without viewers, bit for bit."""
        step = self.watcher.scene["step"]
        self.assertEqual(self.watcher.ask("speed", factor=None)["ok"], True)
        self.watcher.wait_for("paused")
        self.assertEqual(self.watcher.status["step"], STEPS)
        url = self.watcher.request("download", what="snapshot")["url"]
        status, headers, body = self.server.get(url)
        self.assertEqual(status, 200)
        self.assertEqual(self.server.get(url)[0], 404, "a download is valid once")
        snapshot = Path(self.outer.name) / "end.snapshot"
        snapshot.write_bytes(body)

        def hash_of(*options: str) -> str:
            done = subprocess.run([LOCKSTEP, "run", str(self.folder / "pendulum.xml"), "--json", *options],
                                  capture_output=True, check=True)
            return json.loads(done.stdout)["hash"]

        self.assertEqual(hash_of("--load", str(snapshot), "--for", "0s"), hash_of("--for", f"{STEPS * step}s"))


class Token(unittest.TestCase):
    """Any address but loopback needs a token, and guessing does not help."""

    def test_token(self):
        with Server("--address", "0.0.0.0") as server:
            server.host = f"127.0.0.1:{server.port}"
            server.address = "127.0.0.1"
            good = server.token
            self.assertRegex(good, "^[0-9a-f]{32}$")
            for guess in ("", "?token=", "?token=x", f"?token={good[:-1]}", f"?token={good}0", f"?token={good.upper()}x",
                          f"?Token={good}", f"?x=1&token={good[::-1]}"):
                with self.subTest(guess):
                    self.assertEqual(server.get("/" + guess)[0], 401)
                    value = guess.rpartition("=")[2]
                    if value == good:
                        continue  # ignored under this name
                    with self.assertRaises(AssertionError):
                        Viewer(server, token=value or "none")
            self.assertEqual(server.get("/", Authorization="Bearer " + "0" * 32)[0], 401)
            self.assertEqual(server.get("/", Cookie=f"lockstep-{server.port}=0")[0], 401)
            status, headers, _ = server.get(f"/?token={good}")
            self.assertEqual(status, 200)
            cookie = headers["set-cookie"]
            self.assertIn("HttpOnly", cookie)
            self.assertIn("SameSite=Strict", cookie)
            self.assertEqual(server.get("/", Cookie=cookie.partition(";")[0])[0], 200)
            self.assertEqual(server.get("/", Authorization=f"Bearer {good}")[0], 200)
            self.assertEqual(server.get(f"/?token={good}", Host="evil.example")[0], 400)
            with Viewer(server) as viewer:
                self.assertEqual(viewer.status["state"], "empty")

    def test_a_token_that_is_too_short_is_rejected(self):
        done = subprocess.run([LOCKSTEP, "serve", "--port", "0", "--token", "short"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--token: error: invalid token: it has 5 characters; expected 16 to 128", done.stderr)


if __name__ == "__main__":
    unittest.main()
