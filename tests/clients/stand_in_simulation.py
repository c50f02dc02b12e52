"""A simulation for the tests of clients, written from docs/protocol.md and nothing else: a mass on a line, pushed by
the controller, over any transport; with every fault that a simulation can have.

    with StandIn("tcp", steps=1000, fault="duplicate") as simulation:
        … connect to simulation.address …
        result = simulation.result()       # {"x": …, "v": …, "exchanges": …, …}
"""

import ctypes
import math
import mmap
import multiprocessing
import os
import random
import select
import signal
import socket
import struct
import tempfile
import time
import zlib

HELLO, WELCOME, MEASUREMENT, COMMAND, ERROR, BYE = range(1, 7)
PERIOD = 1_000_000  # ns
SECONDS_TO_GIVE_UP = 60.0


class ControllerLeft(Exception):
    """The controller sent BYE or disconnected."""


# --- Messages -----------------------------------------------------------------------------------------------------------


def message(type_: int, sequence: int, at: int, payload: bytes) -> bytes:
    body = b"LKS1" + struct.pack("<HHIIq", type_, 0, len(payload), sequence & 0xFFFFFFFF, at) + payload
    return body + struct.pack("<I", zlib.crc32(body))


def text(value: str) -> bytes:
    return struct.pack("<H", len(value.encode())) + value.encode()


def notice(type_: int, code: int, sentence: str) -> bytes:
    """ERROR or BYE."""
    return message(type_, 0, 0, struct.pack("<H", code) + text(sentence))


def fnv1a(bytes_: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in bytes_:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def welcome(mode: int = 0, version: int = 1, schema_hash: int = 0, unit: str = "m", tail: bytes = b"") -> bytes:
    """The payload; each parameter makes it invalid in one place."""
    rhythm = struct.pack("<qqH", PERIOD, PERIOD // 2, mode)
    signals = struct.pack("<H", 2) + text("mass/x") + text(unit) + text("mass/v") + text("m/s")
    signals += struct.pack("<H", 1) + text("mass/force") + text("N") + struct.pack("<ddd", 0.25, -10.0, math.inf)
    schema_hash = schema_hash or fnv1a(rhythm + signals + tail)
    return struct.pack("<IQ", version, schema_hash) + rhythm + text("mass") + text("plc") + signals + tail


def read_hello(payload: bytes) -> dict:
    version, schema_hash, period = struct.unpack_from("<IQq", payload)
    at = 20

    def take_text() -> str:
        nonlocal at
        count, = struct.unpack_from("<H", payload, at)
        at += 2 + count
        return payload[at - count:at].decode()

    def take_signals() -> dict:
        nonlocal at
        count, = struct.unpack_from("<H", payload, at)
        at += 2
        return {take_text(): take_text() for _ in range(count)}

    hello = {"version": version, "hash": schema_hash, "period": period, "name": take_text(), "reads": take_signals(),
             "writes": take_signals()}
    assert at == len(payload)
    return hello


# --- Transports: accept(seconds) -> bool, send, receive(seconds) -> bytes or None, drop, close ------------------------


def split(bytes_: bytes) -> list:
    """Splits bytes into datagrams: one per message; anything else as one."""
    size = 28 + int.from_bytes(bytes_[8:12], "little")
    if len(bytes_) % size or any(bytes_[at:at + 4] != b"LKS1" for at in range(0, len(bytes_), size)):
        return [bytes_]
    return [bytes_[at:at + size] for at in range(0, len(bytes_), size)]


class SocketServer:
    def __init__(self, kind: str, folder: str) -> None:
        self.is_udp, self.connection, self.backlog = kind == "udp", None, []
        if kind == "unix":
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.listener.bind(f"{folder}/socket")
            self.address = f"unix:{folder}/socket"
        else:
            self.listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if self.is_udp else socket.SOCK_STREAM)
            self.listener.bind(("127.0.0.1", 0))
            self.address = f"{kind}:127.0.0.1:{self.listener.getsockname()[1]}"
        if not self.is_udp:
            self.listener.listen(8)

    def accept(self, seconds: float) -> bool:
        if not select.select([self.listener], [], [], seconds)[0]:
            return False
        if self.is_udp:
            bytes_, self.peer = self.listener.recvfrom(65536)
            self.backlog.append(bytes_)
            self.connection = self.listener
        else:
            self.connection, _ = self.listener.accept()
            if self.connection.family == socket.AF_INET:
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def send(self, bytes_: bytes) -> None:
        try:
            if self.is_udp:
                for piece in split(bytes_):
                    self.listener.sendto(piece, self.peer)
            else:
                self.connection.sendall(bytes_)
        except ConnectionError:
            raise ControllerLeft from None

    def receive(self, seconds: float):
        if self.backlog:
            return self.backlog.pop()
        if not select.select([self.connection], [], [], seconds)[0]:
            return None
        try:
            bytes_ = self.connection.recv(65536)
        except ConnectionError:
            bytes_ = b""
        if not bytes_:
            raise ControllerLeft
        return bytes_

    def drop(self) -> None:
        if not self.is_udp and self.connection:
            self.connection.close()

    def close(self) -> None:
        self.drop()
        self.listener.close()


class PipeServer:
    def __init__(self, _: str, folder: str) -> None:
        self.path, self.address, self.into, self.out = f"{folder}/pipe", f"pipe:{folder}/pipe", -1, -1
        self.make()

    def make(self) -> None:
        for ending in (".in", ".out"):
            if os.path.exists(self.path + ending):
                os.unlink(self.path + ending)
            os.mkfifo(self.path + ending)
        self.into = os.open(self.path + ".in", os.O_RDONLY | os.O_NONBLOCK)

    def accept(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self.out = os.open(self.path + ".out", os.O_WRONLY | os.O_NONBLOCK)  # fails while no process reads
                return True
            except OSError:
                time.sleep(0.001)
        return False

    def send(self, bytes_: bytes) -> None:
        while bytes_:
            select.select([], [self.out], [])
            try:
                bytes_ = bytes_[os.write(self.out, bytes_):]
            except BrokenPipeError:
                raise ControllerLeft from None

    def receive(self, seconds: float):
        poll = select.poll()
        poll.register(self.into, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return None
        try:
            bytes_ = os.read(self.into, 65536)
        except BlockingIOError:  # the controller has left, and the next one has opened the pipe since the poll
            bytes_ = b""
        if not bytes_:
            raise ControllerLeft
        return bytes_

    def drop(self) -> None:
        self.close()
        self.make()

    def close(self) -> None:
        for fd in (self.into, self.out):
            if fd >= 0:
                os.close(fd)
        self.into = self.out = -1


class SharedMemoryServer:
    SIZE = 1 << 12  # small, so that messages often wrap around the end of a ring
    OUT_WRITTEN, OUT_READ, OUT_SLEEPER, IN_WRITTEN, IN_READ, IN_SLEEPER = range(64, 385, 64)

    def __init__(self, _: str, folder: str) -> None:
        self.name = f"lockstep-test-{os.getpid()}-{os.path.basename(folder)}"
        self.address = f"shm:{self.name}"
        fd = os.open(f"/dev/shm/{self.name}", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        os.ftruncate(fd, 4096 + 2 * self.SIZE)
        self.map = mmap.mmap(fd, 4096 + 2 * self.SIZE)
        os.close(fd)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.words = memoryview(self.map)[:4096].cast("I")
        self.words[2], self.words[3] = self.SIZE, os.getpid()
        self.entered = self.get(28)
        for counter in (self.OUT_WRITTEN, self.IN_WRITTEN):  # so that the counters overflow in every test
            self.put(counter, 2**32 - 1000)
            self.put(counter + 64, 2**32 - 1000)
        self.map[:8] = b"LKSSHM1\0"

    def get(self, offset: int) -> int:
        return self.words[offset // 4]

    def put(self, offset: int, value: int) -> None:
        self.words[offset // 4] = value % 2**32

    def futex(self, offset: int, operation: int, value: int, seconds: float = 0.0) -> None:
        timeout = (ctypes.c_long * 2)(int(seconds), int(seconds % 1 * 1e9))
        ctypes.CDLL(None).syscall(ctypes.c_long(202), ctypes.c_void_p(self.base + offset), ctypes.c_long(operation),
                                  ctypes.c_long(value), timeout, None, ctypes.c_long(0))

    def accept(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.get(16) and self.get(28) != self.entered:  # otherwise it is still connecting
                self.controller, self.entered = self.get(16), self.get(28)
                self.put(self.OUT_READ, self.get(self.OUT_WRITTEN))
                self.put(self.IN_READ, self.get(self.IN_WRITTEN))
                self.put(20, self.get(20) + 1)
                return True
            time.sleep(0.001)
        return False

    def has_left(self) -> bool:
        if self.get(16) != self.controller or self.get(28) != self.entered:
            return True
        try:
            os.kill(self.controller, 0)
        except ProcessLookupError:
            self.put(16, 0)
            return True
        return False

    def send(self, bytes_: bytes) -> None:
        while bytes_:
            written = self.get(self.OUT_WRITTEN)
            space = self.SIZE - (written - self.get(self.OUT_READ)) % 2**32
            if self.has_left():
                raise ControllerLeft
            now = min(space, self.SIZE - written % self.SIZE, len(bytes_))
            if now == 0:
                time.sleep(0.0001)
                continue
            at = 4096 + written % self.SIZE
            self.map[at:at + now] = bytes_[:now]
            self.put(self.OUT_WRITTEN, written + now)
            self.futex(self.OUT_WRITTEN, 1, 2**31 - 1)
            bytes_ = bytes_[now:]

    def receive(self, seconds: float):
        end = time.monotonic() + seconds
        while True:
            written, read = self.get(self.IN_WRITTEN), self.get(self.IN_READ)
            if written != read:
                now = min((written - read) % 2**32, self.SIZE - read % self.SIZE)
                at = 4096 + self.SIZE + read % self.SIZE
                bytes_ = self.map[at:at + now]
                self.put(self.IN_READ, read + now)
                return bytes_
            if self.has_left():
                raise ControllerLeft
            if time.monotonic() > end:
                return None
            self.put(self.IN_SLEEPER, 1)
            self.futex(self.IN_WRITTEN, 0, written, 0.02)
            self.put(self.IN_SLEEPER, 0)

    def drop(self) -> None:
        if self.get(28) == self.entered:  # otherwise it has left, and the next one is connecting
            self.put(16, 0)
        self.futex(self.OUT_WRITTEN, 1, 2**31 - 1)

    def close(self) -> None:
        self.put(24, 1)
        self.futex(self.OUT_WRITTEN, 1, 2**31 - 1)


SERVERS = {"tcp": SocketServer, "udp": SocketServer, "unix": SocketServer, "pipe": PipeServer,
           "shm": SharedMemoryServer}


# --- Faults -----------------------------------------------------------------------------------------------------------


def damaged(good: bytes, dice: random.Random) -> bytes:
    """One or a few bits of it flipped."""
    bytes_ = bytearray(good)
    for _ in range(dice.randint(1, 3)):
        bytes_[dice.randrange(len(bytes_))] ^= 1 << dice.randrange(8)
    return bytes(bytes_) if bytes(bytes_) != good else damaged(good, dice)


def hostile(sequence: int, at: int, dice: random.Random) -> bytes:
    """A complete unexpected message, or bytes that look like the start of one."""
    values = struct.pack("<dd", 666.0, 666.0)
    wrong_session = bytearray(message(MEASUREMENT, sequence, at, values)[:-4])
    wrong_session[6] = 1
    return dice.choice([
        message(MEASUREMENT, sequence, at, values[:8]),
        message(MEASUREMENT, sequence, at, values + values),
        message(MEASUREMENT, sequence, at, values[:13]),
        message(MEASUREMENT, sequence - 2, at, values),
        message(MEASUREMENT, sequence + 2**31, at, values),
        message(WELCOME, sequence, at, welcome(unit="in")),
        message(HELLO, sequence, at, values),
        message(COMMAND, sequence, at, values[:8]),
        message(7, sequence, at, values),
        message(0, sequence, at, values),
        message(ERROR, sequence, at, b""),
        message(BYE, sequence, at, struct.pack("<HH", 6, 500) + b"short"),
        message(BYE, sequence, at, struct.pack("<H", 6) + text("line\nfeed")),
        bytes(wrong_session) + struct.pack("<I", zlib.crc32(wrong_session)),
        b"LKS1" + struct.pack("<HHIIq", MEASUREMENT, 0, 0xFFFFFFFF, sequence, at),
        b"LKS1" + struct.pack("<HHIIq", MEASUREMENT, 0, 1 << 20, sequence, at),
        b"GET / HTTP/1.1\r\n\r\n",
    ])


class Simulation:
    """A complete run. `fault` selects the fault."""

    def __init__(self, server, steps: int, fault: str, first: int, on_connection) -> None:
        self.server, self.steps, self.fault, self.first = server, steps, fault, first
        self.on_connection = on_connection
        self.x, self.v, self.done = 1.0, 0.0, 0
        self.connections, self.duplicates, self.problems = 0, 0, []
        self.hello, self.said_bye, self.mode = {}, False, int(fault == "real_time")
        self.inbox, self.last_command, self.dice = b"", b"", random.Random(7)
        self.session = 0  # this simulation uses no session numbers

    def take(self, seconds: float):
        """(type, sequence, time, payload, all bytes) of the next message; None if there is none."""
        end = time.monotonic() + seconds
        while len(self.inbox) < 28 or len(self.inbox) < 28 + struct.unpack_from("<I", self.inbox, 8)[0]:
            bytes_ = self.server.receive(max(0.0, end - time.monotonic()))
            if bytes_ is None:
                return None
            self.inbox += bytes_
        size = 28 + struct.unpack_from("<I", self.inbox, 8)[0]
        bytes_, self.inbox = self.inbox[:size], self.inbox[size:]
        magic, type_, session, _, sequence, at = struct.unpack_from("<4sHHIIq", bytes_)
        expected = 1 if type_ == HELLO else self.session
        if (magic, session) != (b"LKS1", expected) or struct.pack("<I", zlib.crc32(bytes_[:-4])) != bytes_[-4:]:
            self.problems.append(f"a bad message: {bytes_.hex()}")
        if type_ == BYE:
            self.said_bye = True
            raise ControllerLeft
        return type_, sequence, at, bytes_[24:-4], bytes_

    def greet(self) -> bool:
        """Whether the controller may stay."""
        found = self.take(10.0)
        if not found or found[:3] != (HELLO, 0, 0):
            self.problems.append(f"expected HELLO, not {found}")
            return False
        self.hello = read_hello(found[3])
        rejections = {"reject": (2, "there is no signal 'mass/y'; the connection has 'mass/x', 'mass/v'"),
                    "version": (1, "version 1 is not supported; expected 9")}
        if self.fault in rejections:
            self.server.send(notice(ERROR, *rejections[self.fault]))
            return False
        if self.fault == "busy" and self.connections < 4:
            self.server.send(notice(ERROR, 3, "another controller is connected"))
            return False
        payload = {"welcome_version": welcome(version=9), "welcome_hash": welcome(schema_hash=1),
                   "welcome_tail": welcome(tail=b"!"), "welcome_short": welcome()[:-9],
                   "welcome_text": welcome(unit="\x1b[2J"), "welcome_mode": welcome(mode=2),
                   "welcome_empty": b""}.get(self.fault, welcome(mode=self.mode))
        sequence, at = self.first + self.done, self.done * PERIOD
        if self.fault == "damage":
            self.server.send(damaged(message(MEASUREMENT, sequence, at, b""), self.dice))
        self.server.send(message(WELCOME, sequence, at, payload))
        return True

    def measurement(self) -> bytes:
        return message(MEASUREMENT, self.first + self.done, self.done * PERIOD, struct.pack("<dd", self.x, self.v))

    def send_measurement(self) -> None:
        good, sequence = self.measurement(), self.first + self.done
        if self.fault == "damage" and self.done % 3 != 2:
            self.server.send(damaged(good, self.dice))
            self.server.send(good[:self.dice.randrange(1, len(good))])
        if self.fault == "hostile":
            self.server.send(hostile(sequence, self.done * PERIOD, self.dice))
        if self.fault == "dribble":
            for byte in good:
                self.server.send(bytes([byte]))
        else:
            self.server.send(good)
        if self.fault == "duplicate":
            self.server.send(good)

    def await_command(self) -> float:
        end = time.monotonic() + SECONDS_TO_GIVE_UP
        ignored = 1 if self.fault == "lose" and self.done % 3 == 1 else 0
        while time.monotonic() < end:
            found = self.take(2.0)
            if found is None:
                self.server.send(self.measurement())
                continue
            type_, sequence, at, payload, bytes_ = found
            if type_ == HELLO and isinstance(self.server, SocketServer) and self.server.is_udp:
                continue
            if type_ == HELLO and isinstance(self.server, PipeServer):
                raise ControllerLeft  # and the next one opened its pipes before they were replaced
            if bytes_ == self.last_command:
                self.duplicates += 1
                continue
            if self.mode == 1 and type_ == COMMAND and sequence < self.first + self.done:
                continue
            if (type_, sequence, at) != (COMMAND, (self.first + self.done) % 2**32, self.done * PERIOD):
                self.problems.append(f"exchange {self.done}: not its answer: {found}")
            if ignored:  # as if it had been lost on the way
                ignored -= 1
                self.server.send(self.measurement())
                continue
            self.last_command = bytes_
            return struct.unpack("<d", payload)[0]
        raise TimeoutError(f"no answer to exchange {self.done}")

    def exchange(self) -> None:
        if self.fault == "real_time":  # five at once: only the newest counts
            older = b""
            for _ in range(4):
                older += self.measurement()
                self.done += 1
            self.server.send(older + self.measurement())
        elif self.fault == "error_5" and self.done == 3:
            self.send_measurement()
            self.await_command()
            self.last_command = b""
            self.server.send(notice(ERROR, 5, "command 'mass/force' is not finite"))
        else:
            self.send_measurement()
        force = self.await_command()
        self.v += force * 1e-3
        self.x += self.v * 1e-3
        self.done += 1

    def serve(self) -> None:
        """One connection."""
        self.inbox, self.said_bye, self.last_command = b"", False, b""
        self.connections += 1
        if not self.greet():
            return
        self.on_connection()
        while self.done < self.steps:
            if self.fault == "close" and self.done == self.steps // 2:
                self.done = self.steps
                return
            if self.fault == "error_8" and self.done == self.steps // 2:
                self.server.send(notice(ERROR, 8, "the controller was silent for 1 s"))
                self.done = self.steps
                return
            if self.fault == "hang" and self.done == self.steps // 2:
                time.sleep(SECONDS_TO_GIVE_UP)
            if self.fault == "die" and self.done == self.steps // 2:
                os.kill(os.getpid(), signal.SIGKILL)
            self.exchange()
        self.server.send(notice(BYE, 6, "the run is over"))

    def run(self) -> None:
        end = time.monotonic() + SECONDS_TO_GIVE_UP
        is_rejecting = self.fault.startswith("welcome_") or self.fault in ("reject", "version")
        while self.done < self.steps and time.monotonic() < end:
            if not self.server.accept(0.2):
                continue
            try:
                self.serve()
            except ControllerLeft:
                pass
            if is_rejecting:
                break
            if self.done < self.steps:
                self.server.drop()


def run_simulation(kind: str, folder: str, pipe, steps: int, fault: str, first: int) -> None:
    server = SERVERS[kind](kind, folder)
    simulation = Simulation(server, steps, fault, first, lambda: pipe.send("connected"))
    pipe.send(server.address)
    try:
        simulation.run()
    except Exception as error:  # report any error to the test
        simulation.problems.append(repr(error))
    # Closing at once would discard what the controller has not read yet.
    server.close()
    pipe.send({"x": simulation.x, "v": simulation.v, "exchanges": simulation.done, "hello": simulation.hello,
               "connections": simulation.connections, "duplicates": simulation.duplicates,
               "said_bye": simulation.said_bye, "problems": simulation.problems})


class StandIn:
    """A simulation in a separate process."""

    def __init__(self, kind: str, steps: int = 1000, fault: str = "", first: int = 0) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="stand-in-")
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=run_simulation,
                                       args=(kind, self.folder.name, other, steps, fault, first), daemon=True)
        self.process.start()
        other.close()
        self.address = self.pipe.recv()

    def _hear(self):
        if not self.pipe.poll(SECONDS_TO_GIVE_UP):
            raise TimeoutError("the stand-in simulation does not respond")
        return self.pipe.recv()

    def await_connection(self) -> None:
        """Waits until the next controller gets its WELCOME."""
        heard = self._hear()
        assert heard == "connected", heard

    def result(self) -> dict:
        """The result at the end."""
        while (heard := self._hear()) == "connected":
            pass
        return heard

    def __enter__(self) -> "StandIn":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.folder.cleanup()
        name = self.address.partition("shm:")[2]
        if name:
            os.unlink(f"/dev/shm/{name}")


def run_alone(steps: int) -> tuple:
    """Final state of the mass with the controller of the tests, without a connection."""
    x, v = 1.0, 0.0
    for _ in range(steps):
        force = -4.0 * x - 2.0 * v
        v += force * 1e-3
        x += v * 1e-3
    return x, v
