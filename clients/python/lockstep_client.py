"""Client library for controllers of Lockstep; needs only the standard library.

    import lockstep_client

    with lockstep_client.connect(name="hold") as sim:
        for time in sim:
            sim["arm/elbow_motor/torque"] = -3 * sim["arm/elbow/angle"]

`connect()` agrees with the simulation on the signals; the loop body runs once per exchange, and its commands are sent
at the next iteration. If numpy is installed, `sim.measurements` and `sim.commands` are arrays. The protocol is in
docs/protocol.md.
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import mmap
import os
import platform
import select
import socket
import stat
import struct
import time as _time
import zlib
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

try:
    import numpy as _numpy
except ImportError:  # uses lists instead
    _numpy = None

__version__ = "0.1.0"
__all__ = ["connect", "Client", "Limits", "Error", "Rejected", "ConnectionLost", "Timeout"]

VERSION = 1
HELLO, WELCOME, MEASUREMENT, COMMAND, ERROR, BYE = range(1, 7)
MAGIC = b"LKS1"
MAX_PAYLOAD = 1 << 20
_USES_SESSIONS = 1  # session of HELLO: the other messages have that of WELCOME
_HEADER = struct.Struct("<4sHHIIq")
_CHECKSUM = struct.Struct("<I")
_OVERHEAD = _HEADER.size + _CHECKSUM.size
_MAX_MESSAGE = MAX_PAYLOAD + _OVERHEAD

# UDP loses messages, and its sockets do not notice a dead peer. So HELLO is repeated until it is answered, and the last
# COMMAND when nothing has arrived for a while: if the simulation's socket is closed, this gives an error.
_REPEAT_HELLO = 0.1
_REPEAT_COMMAND = 1.0
_MAX_SKIPPED = 1000  # in real time older measurements are skipped, up to this number


class Error(Exception):
    """Base class of all errors of this module."""


class Rejected(Error):
    """The simulation rejected the controller; the text says what differs."""


class ConnectionLost(Error):
    """The simulation has ended or is not reachable."""


class Timeout(Error):
    """Timeout. The connection stays open; step() may be called again."""


class Limits(NamedTuple):
    """Limits of a command, in its unit; may be infinite."""

    lower: float
    upper: float


# --- Messages -----------------------------------------------------------------------------------------------------------


class Message(NamedTuple):
    type: int
    sequence: int
    time: int  # ns
    payload: bytes
    session: int = 0


def encode(message: Message) -> bytes:
    """The bytes of a message."""
    bytes_ = _HEADER.pack(MAGIC, message.type, message.session, len(message.payload), message.sequence,
                          message.time) + message.payload
    return bytes_ + _CHECKSUM.pack(zlib.crc32(bytes_))


class Inbox:
    """Splits received bytes into messages; drops and counts damaged and unexpected ones."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.dropped = 0
        self.measurement_size: Optional[int] = None  # payload of a MEASUREMENT, once it is known
        self._is_searching = False  # between a bad message and the next magic

    def _header_fits(self, type_: int, length: int) -> bool:
        """A damaged length must not make us wait for bytes that never come: once the size of measurements is known,
        the valid lengths of each type are known."""
        if self.measurement_size is not None:
            if type_ == MEASUREMENT:
                return length == self.measurement_size
            if type_ in (ERROR, BYE):
                return length <= 4 + 65535
            return type_ == WELCOME and length <= MAX_PAYLOAD
        return HELLO <= type_ <= BYE and length <= MAX_PAYLOAD

    def _has_magic(self, begin: int) -> bool:
        found = self.bytes[begin:begin + 4]
        return found == MAGIC[:len(found)]

    def _read(self, begin: int) -> Tuple[bool, Optional[Message]]:
        """(may be a message, the complete message) at `begin`, where a magic is."""
        count = len(self.bytes) - begin
        if count < _HEADER.size:
            return True, None
        _, type_, session, length, sequence, time = _HEADER.unpack_from(self.bytes, begin)
        if not self._header_fits(type_, length):
            return False, None
        if count < length + _OVERHEAD:
            return True, None
        end = begin + _HEADER.size + length
        covered = bytes(self.bytes[begin:end])
        if zlib.crc32(covered) != _CHECKSUM.unpack_from(self.bytes, end)[0]:
            return False, None
        return True, Message(type_, sequence, time, covered[_HEADER.size:], session)

    def take(self) -> Optional[Message]:
        """The next complete message of a stream; None if more bytes are needed."""
        begin, message = 0, None
        while begin < len(self.bytes):
            has_magic = self._has_magic(begin)
            could_be, message = self._read(begin) if has_magic else (False, None)
            if message:
                begin += len(message.payload) + _OVERHEAD
                self._is_searching = False
            if could_be:
                break
            # Bytes between a bad message and the next magic count as part of the bad one.
            self.dropped += has_magic or not self._is_searching
            self._is_searching = True
            begin = self.bytes.find(MAGIC[0], begin + 1)
            if begin < 0:
                begin = len(self.bytes)
        del self.bytes[:begin]
        return message

    def take_datagram(self) -> Optional[Message]:
        """The same for one datagram: it is one message or none."""
        if not self.bytes:
            return None
        _, message = self._read(0) if self._has_magic(0) else (False, None)
        if message and len(message.payload) + _OVERHEAD != len(self.bytes):
            message = None
        self.dropped += message is None
        self.bytes.clear()
        return message


def _text(text: str) -> bytes:
    encoded = text.encode()
    if len(encoded) > 65535:
        raise ValueError(f"a text of {len(encoded)} bytes does not fit into a message; at most 65535 do")
    return struct.pack("<H", len(encoded)) + encoded


def _signals(signals: Mapping[str, str]) -> bytes:
    return struct.pack("<H", len(signals)) + b"".join(_text(name) + _text(unit) for name, unit in signals.items())


def hello(name: str, schema_hash: int = 0, period_ns: int = 0, reads: Optional[Mapping[str, str]] = None,
          writes: Optional[Mapping[str, str]] = None) -> bytes:
    """The message HELLO."""
    payload = struct.pack("<IQq", VERSION, schema_hash, period_ns) + _text(name)
    token = os.environ.get("LOCKSTEP_TOKEN", "")
    payload += _signals(reads or {}) + _signals(writes or {}) + (_text(token) if token else b"")
    return encode(Message(HELLO, 0, 0, payload, _USES_SESSIONS))


def bye(sequence: int, time: int, code: int, sentence: str, session: int = 0) -> bytes:
    """The message BYE."""
    return encode(Message(BYE, sequence, time, struct.pack("<H", code) + _text(sentence), session))


def _read_text(bytes_: bytes) -> str:
    """Raises ValueError (or its subclass UnicodeDecodeError) for invalid UTF-8 or control characters."""
    if any(byte < 0x20 or byte == 0x7F for byte in bytes_):
        raise ValueError("control character")
    return bytes_.decode()


def read_message(message: Message) -> Optional[Tuple[int, str]]:
    """Code and sentence of ERROR or BYE; None if it is invalid."""
    try:
        code, count = struct.unpack_from("<HH", message.payload)
        return (code, _read_text(message.payload[4:])) if count == len(message.payload) - 4 else None
    except (struct.error, ValueError):
        return None


class Signal(NamedTuple):
    name: str
    unit: str
    initial: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf


class Welcome:
    """What the simulation offers. Raises ValueError with the end of "the simulation's WELCOME …"."""

    def __init__(self, payload: bytes) -> None:
        self._payload, self._at = payload, 0
        if self._take("<I") != VERSION:
            raise ValueError("has an unsupported protocol version; expected 1")
        self.schema_hash: int = self._take("<Q")
        hashed = self._at
        self.period_ns: int = self._take("<q")
        self.step_ns: int = self._take("<q")
        mode = self._take("<H")
        names = self._at
        self.scenario = self._take_text()
        self.connection = self._take_text()
        signals = self._at
        self.reads = [Signal(self._take_text(), self._take_text()) for _ in range(self._take("<H"))]
        self.writes = [Signal(self._take_text(), self._take_text(), self._take("<d"), self._take("<d"), self._take("<d"))
                       for _ in range(self._take("<H"))]
        if self._at != len(payload):
            raise ValueError("has a length that does not match its content")
        if fnv1a(payload[hashed:names] + payload[signals:]) != self.schema_hash:
            raise ValueError("has a schema hash that does not match its content")
        if mode > 1:
            raise ValueError("has an unknown mode")
        if self.period_ns <= 0 or self.step_ns <= 0:
            raise ValueError("has a period or a step that is not positive")
        if any(not math.isfinite(s.initial) or math.isnan(s.lower) or math.isnan(s.upper) for s in self.writes):
            raise ValueError("has limits that are not numbers")
        self.is_realtime = mode == 1

    def _take(self, layout: str):
        try:
            value, = struct.unpack_from(layout, self._payload, self._at)
        except struct.error:
            raise ValueError("has a length that does not match its content") from None
        self._at += struct.calcsize(layout)
        return value

    def _take_text(self) -> str:
        count = self._take("<H")
        text = self._payload[self._at:self._at + count]
        if len(text) != count:
            raise ValueError("has a length that does not match its content")
        self._at += count
        try:
            return _read_text(text)
        except ValueError:
            raise ValueError("has a text with invalid UTF-8 or control characters") from None


def fnv1a(bytes_: bytes) -> int:
    """The 64-bit FNV-1a hash."""
    value = 0xCBF29CE484222325
    for byte in bytes_:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


# --- Transports -------------------------------------------------------------------------------------------------------
#
# Each has send(bytes, deadline), receive(deadline) -> bytes (at least one, but for an empty datagram) and close(). A
# deadline is a time.monotonic(), None for never. They raise Timeout, ConnectionLost, or _TryAgain while opening.


class _TryAgain(Exception):
    """A temporary failure; connect() retries."""


def _left(deadline: Optional[float]) -> Optional[float]:
    return None if deadline is None else max(0.0, deadline - _time.monotonic())


class _Socket:
    is_datagram = False

    def __init__(self, address: str, deadline: Optional[float]) -> None:
        kind, _, place = address.partition(":")
        self.is_datagram = kind == "udp"
        try:
            self._socket = self._open_unix(place) if kind == "unix" else self._open_internet(place)
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise _TryAgain(f"{address}: {error.strerror}") from None
            raise ConnectionLost(f"{address}: {error.strerror}") from None
        try:
            self._socket.settimeout(_left(deadline) or 0.001 if deadline is not None else None)
            self._socket.connect(self._to)
            if kind == "tcp":
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        except OSError as error:
            self._socket.close()
            raise _TryAgain(f"{address}: {error.strerror or error}") from None
        self._wait: Optional[float] = self._socket.gettimeout()

    def _open_unix(self, path: str) -> socket.socket:
        if not path or len(os.fsencode(path)) > 107:
            raise ConnectionLost(f"unix:{path}: the path is empty or too long for a Unix socket")
        self._to = path
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def _open_internet(self, place: str) -> socket.socket:
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ConnectionLost(f"'{place}': expected HOST:PORT after 'tcp:' or 'udp:'")
        kind = socket.SOCK_DGRAM if self.is_datagram else socket.SOCK_STREAM
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=kind)
        # A simulation listens on the IPv4 loopback unless told otherwise.
        family, kind, protocol, _, self._to = min(found, key=lambda one: one[0] != socket.AF_INET)
        return socket.socket(family, kind, protocol)

    def _set_wait(self, deadline: Optional[float]) -> None:
        wait = None if deadline is None else max(1e-6, deadline - _time.monotonic())
        if wait != self._wait:
            self._socket.settimeout(wait)
            self._wait = wait

    def send(self, bytes_: bytes, deadline: Optional[float]) -> None:
        self._set_wait(deadline)
        try:
            self._socket.sendall(bytes_)
        except TimeoutError:
            raise Timeout("the simulation did not accept a command within the timeout") from None
        except OSError as error:
            raise ConnectionLost(f"connection lost: {error.strerror}") from None

    def receive(self, deadline: Optional[float]) -> bytes:
        self._set_wait(deadline)
        try:
            bytes_ = self._recv()
        except (TimeoutError, BlockingIOError):
            raise Timeout from None
        except OSError as error:
            raise ConnectionLost(f"connection lost: {error.strerror}") from None
        if not bytes_ and not self.is_datagram:
            raise ConnectionLost("the simulation closed the connection without a BYE")
        return bytes_

    def _recv(self) -> bytes:
        try:
            return self._socket.recv(65536)
        except ConnectionRefusedError as rejected:
            # The simulation's socket is closed; its last datagrams come after this error.
            if not self.is_datagram:
                raise
            self._socket.settimeout(0)
            self._wait = 0
            try:
                return self._socket.recv(65536)
            except BlockingIOError:
                raise rejected from None

    def close(self) -> None:
        self._socket.close()


class _Pipes:
    is_datagram = False

    def __init__(self, address: str, deadline: Optional[float]) -> None:
        del deadline
        path = address.partition(":")[2]
        self._out = self._in = -1
        try:
            self._out = self._open(path + ".in", os.O_WRONLY)
            fcntl.flock(self._out, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._in = self._open(path + ".out", os.O_RDONLY)
            # The simulation creates new pipes for each connection: the open one may have been replaced.
            if not os.path.samestat(os.fstat(self._out), os.stat(path + ".in")):
                raise FileNotFoundError(0, "the simulation is creating new pipes")
        except BlockingIOError:
            self.close()
            raise _TryAgain(f"{address}: another controller is connected") from None
        except OSError as error:
            self.close()
            raise _TryAgain(f"{address}: {error.strerror}") from None

    def _open(self, name: str, flags: int) -> int:
        fd = os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.close(fd)
            self.close()
            raise ConnectionLost(f"{name} is not a named pipe")
        return fd

    def send(self, bytes_: bytes, deadline: Optional[float]) -> None:
        view = memoryview(bytes_)
        while view:
            try:
                view = view[os.write(self._out, view):]
            except BlockingIOError:
                if not select.select([], [self._out], [], _left(deadline))[1]:
                    raise Timeout("the simulation did not accept a command within the timeout") from None
            except OSError as error:
                raise ConnectionLost(f"connection lost: {error.strerror}") from None

    def receive(self, deadline: Optional[float]) -> bytes:
        # poll(), not select(): before the simulation has opened its end, select() reports an end of file.
        poll = select.poll()
        poll.register(self._in, select.POLLIN)
        left = _left(deadline)
        if not poll.poll(None if left is None else math.ceil(left * 1000)):
            raise Timeout
        bytes_ = os.read(self._in, 65536)
        if not bytes_:
            raise ConnectionLost("the simulation closed the connection without a BYE")
        return bytes_

    def close(self) -> None:
        for fd in (self._out, self._in):
            if fd >= 0:
                os.close(fd)
        self._out = self._in = -1


_SYS_FUTEX = 202  # x86-64
_FUTEX_WAIT, _FUTEX_WAKE = 0, 1


class _Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def futex(address: int, operation: int, value: int, timeout: Optional[float] = None) -> None:
    """The system call, on a word of shared memory."""
    time = None
    if timeout is not None:
        time = ctypes.byref(_Timespec(int(timeout), int(timeout % 1 * 1e9)))
    ctypes.CDLL(None).syscall(ctypes.c_long(_SYS_FUTEX), ctypes.c_void_p(address), ctypes.c_long(operation),
                              ctypes.c_long(value), time, None, ctypes.c_long(0))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return process > 0


class _SharedMemory:
    """Two rings of bytes in a file of /dev/shm.

    Python has no memory barriers. On x86-64 stores become visible in their order, which is all that a ring needs; that
    a store is visible before a later look, which sleeping needs, the futex call itself sees to.
    """

    is_datagram = False
    spin = 50e-6
    RINGS = 4096
    RING_SIZE, SIMULATION, CONTROLLER, EPOCH, CLOSED, ENTERED = (offset // 4 for offset in (8, 12, 16, 20, 24, 28))
    OUT_WRITTEN, OUT_READ, OUT_SLEEPER, IN_WRITTEN, IN_READ = (offset // 4 for offset in (64, 128, 192, 256, 320))
    NAP = 0.05  # s, period at which a sleeper checks whether the simulation is alive
    SHORT_NAP = 1e-4

    def __init__(self, address: str, deadline: Optional[float]) -> None:
        name = address.partition(":")[2]
        if platform.machine() != "x86_64":
            raise ConnectionLost(f"{address}: in Python shared memory needs an x86-64 processor; use unix: or tcp:")
        if not name or "/" in name or len(name) > 255:
            raise ConnectionLost(f"{address}: expected the name of a file in /dev/shm")
        try:
            fd = os.open(f"/dev/shm/{name}", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise _TryAgain(f"{address}: {error.strerror}") from None
        with os.fdopen(fd, "r+b", buffering=0):
            size = os.fstat(fd).st_size
            if not stat.S_ISREG(os.fstat(fd).st_mode) or size <= self.RINGS:
                raise _TryAgain(f"{address}: not the shared memory of a simulation")
            self._map = mmap.mmap(fd, size)
            self._bytes = memoryview(self._map)
            self._words = self._bytes[:self.RINGS].cast("I")
            pin = ctypes.c_char.from_buffer(self._map)
            self._base = ctypes.addressof(pin)
            del pin
            try:
                self._enter(address, size, fd, deadline)
            except BaseException:
                self._unmap()
                raise

    def _enter(self, address: str, size: int, fd: int, deadline: Optional[float]) -> None:
        words = self._words
        # The magic is written last, so a file without it may be incomplete.
        if self._bytes[:8] != b"LKSSHM1\0":
            raise _TryAgain(f"{address}: not the shared memory of a simulation")
        self._size = words[self.RING_SIZE]
        if self._size == 0 or self._size & self._size - 1 or self.RINGS + 2 * self._size > size:
            raise ConnectionLost(f"{address}: the file has the wrong size for two rings")
        if words[self.CLOSED] or not _is_alive(words[self.SIMULATION]):
            raise _TryAgain(f"{address}: the simulation that created it has ended")
        self._self = os.getpid()
        other = self._swap_controller(fd)
        if other:
            raise _TryAgain(f"{address}: another controller is connected (process {other})")
        # The simulation does nothing before ENTERED changes, so this is the previous epoch.
        before = words[self.EPOCH]
        words[self.ENTERED] = words[self.ENTERED] + 1 & 0xFFFFFFFF
        while words[self.EPOCH] == before:
            is_late = deadline is not None and _time.monotonic() >= deadline
            # The end of the previous connection may have freed the slot that we have just taken.
            if words[self.CONTROLLER] != self._self:
                raise _TryAgain(f"{address}: the controller slot was freed meanwhile")
            if is_late or words[self.CLOSED] or not _is_alive(words[self.SIMULATION]):
                words[self.CONTROLLER] = 0
                raise _TryAgain(f"{address}: the simulation does not respond")
            _time.sleep(self.SHORT_NAP)
        self._epoch = words[self.EPOCH]

    def _swap_controller(self, fd: int) -> int:
        """Writes our process id into the controller slot if it is 0. Otherwise returns the id in it."""
        expected = ctypes.c_uint32(0)
        try:
            swap = getattr(ctypes.CDLL("libatomic.so.1"), "__atomic_compare_exchange_4")
        except (OSError, AttributeError):
            # Without GCC's library Python has no atomic operations. A lock excludes other Python controllers; one in C
            # could still interfere between these lines.
            fcntl.lockf(fd, fcntl.LOCK_EX)
            expected.value = self._words[self.CONTROLLER]
            if expected.value == 0:
                self._words[self.CONTROLLER] = self._self
            fcntl.lockf(fd, fcntl.LOCK_UN)
            return expected.value
        swap.restype = ctypes.c_bool
        order = 5  # sequentially consistent
        done = swap(ctypes.c_void_p(self._base + 4 * self.CONTROLLER), ctypes.byref(expected),
                    ctypes.c_uint32(self._self), order, order)
        return 0 if done else expected.value

    def _is_closed(self) -> bool:
        words = self._words
        return bool(words[self.CLOSED] or words[self.EPOCH] != self._epoch or words[self.CONTROLLER] != self._self)

    def send(self, bytes_: bytes, deadline: Optional[float]) -> None:
        # Released even if this fails: the memory cannot be closed while a view of it exists.
        with self._bytes[self.RINGS + self._size:self.RINGS + 2 * self._size] as ring:
            self._put(ring, memoryview(bytes_), deadline)

    def _put(self, ring: memoryview, view: memoryview, deadline: Optional[float]) -> None:
        words, size = self._words, self._size
        while view:
            written = words[self.IN_WRITTEN]
            space = size - (written - words[self.IN_READ] & 0xFFFFFFFF)
            if space < 0 or self._is_closed() or (space == 0 and not _is_alive(words[self.SIMULATION])):
                raise ConnectionLost("the simulation closed the connection")
            if space == 0:
                if deadline is not None and _time.monotonic() >= deadline:
                    raise Timeout("the simulation did not accept a command within the timeout")
                _time.sleep(self.SHORT_NAP)
                continue
            at = written & size - 1
            now = min(len(view), space)
            first = min(now, size - at)
            ring[at:at + first] = view[:first]
            ring[:now - first] = view[first:now]
            words[self.IN_WRITTEN] = written + now & 0xFFFFFFFF
            # Wake it unconditionally: without a barrier the value of the sleeper cell might be outdated.
            futex(self._base + 4 * self.IN_WRITTEN, _FUTEX_WAKE, 0x7FFFFFFF)
            view = view[now:]

    def receive(self, deadline: Optional[float]) -> bytes:
        words, size = self._words, self._size
        spin_end = None
        while True:
            read = words[self.OUT_READ]
            waiting = words[self.OUT_WRITTEN] - read & 0xFFFFFFFF
            if waiting > size or words[self.EPOCH] != self._epoch:
                raise ConnectionLost("the simulation closed the connection without a BYE")
            if waiting:
                break
            now = _time.monotonic()
            spin_end = spin_end or now + self.spin
            is_late = deadline is not None and now >= deadline
            if (is_late or now >= spin_end) and not self._has_more():
                if is_late:
                    raise Timeout
                self._nap(deadline)
        at = read & size - 1
        first = min(waiting, size - at)
        begin = self.RINGS
        bytes_ = bytes(self._bytes[begin + at:begin + at + first]) + bytes(self._bytes[begin:begin + waiting - first])
        words[self.OUT_READ] = read + waiting & 0xFFFFFFFF
        return bytes_

    def _has_more(self) -> bool:
        """Whether there is something to read, such as the last bytes of a simulation that has ended. Raises
        ConnectionLost if nothing more can come."""
        words = self._words
        is_gone = self._is_closed() or not _is_alive(words[self.SIMULATION])
        if words[self.OUT_WRITTEN] != words[self.OUT_READ]:
            return True
        if is_gone:
            raise ConnectionLost("the simulation closed the connection without a BYE")
        return False

    def _nap(self, deadline: Optional[float]) -> None:
        words = self._words
        written = words[self.OUT_READ]
        words[self.OUT_SLEEPER] = 1
        left = _left(deadline)
        futex(self._base + 4 * self.OUT_WRITTEN, _FUTEX_WAIT, written, self.NAP if left is None else min(left, self.NAP))
        words[self.OUT_SLEEPER] = 0

    def close(self) -> None:
        if self._map.closed:
            return
        if self._words[self.EPOCH] == self._epoch and self._words[self.CONTROLLER] == self._self:
            self._words[self.CONTROLLER] = 0
        futex(self._base + 4 * self.IN_WRITTEN, _FUTEX_WAKE, 0x7FFFFFFF)
        self._unmap()

    def _unmap(self) -> None:
        self._words.release()
        self._bytes.release()
        self._map.close()


_TRANSPORTS = {"tcp": _Socket, "udp": _Socket, "unix": _Socket, "pipe": _Pipes, "shm": _SharedMemory}


# --- The controller's side --------------------------------------------------------------------------------------------


def connect(address: Optional[str] = None, name: str = "controller", timeout: float = 10.0, *,
            reads: Optional[Mapping[str, str]] = None, writes: Optional[Mapping[str, str]] = None,
            period: float = 0.0, schema_hash: int = 0) -> Client:
    """Connects to a simulation and agrees with it on the signals.

    address: such as "tcp:HOST:PORT" or "shm:NAME"; all forms are in docs/protocol.md. Default: the environment
        variable LOCKSTEP_ADDRESS, which `lockstep run --controller` sets.
    name: of the controller, for messages of the simulation.
    timeout: s to retry while no simulation listens or another controller is connected; other errors fail at once.
    reads, writes, period, schema_hash: what the controller insists on, signals as {name: unit}. The simulation rejects
        with a reason (Rejected) if anything differs.
    """
    address = address or os.environ.get("LOCKSTEP_ADDRESS")
    if not address:
        raise Error("no address given, and the environment variable LOCKSTEP_ADDRESS is not set")
    transport_class = _TRANSPORTS.get(address.partition(":")[0])
    if not transport_class:
        *first, last = (f"'{kind}:'" for kind in _TRANSPORTS)
        raise Error(f"'{address}': expected an address that begins with {', '.join(first)} or {last}")
    greeting = hello(name, schema_hash, round(period * 1e9), reads, writes)
    deadline = None if math.isinf(timeout) else _time.monotonic() + timeout
    pause = 0.01
    while True:
        try:
            transport = transport_class(address, deadline)
            try:
                return Client(transport, greeting, deadline)
            except BaseException:
                transport.close()
                raise
        except _TryAgain as problem:
            if deadline is not None and _time.monotonic() + pause >= deadline:
                raise ConnectionLost(str(problem)) from None
            _time.sleep(pause)
            pause = min(2 * pause, 0.16)


class Client:
    """A connection to a simulation; created by connect()."""

    reads: List[str]  #: names of the signals that are measured
    writes: List[str]  #: names of the commands
    units: Dict[str, str]  #: unit of each of them
    limits: Dict[str, Limits]  #: of each command
    period: float  #: s of simulated time between two exchanges
    is_realtime: bool  #: the simulation does not wait for answers
    time: float  #: simulated time of the last measurement, s
    timeout: Optional[float]  #: longest wait of step(), s; None waits as long as the simulation lives

    def __init__(self, transport, greeting: bytes, deadline: Optional[float]) -> None:
        self._transport = transport
        self._inbox = Inbox()
        self._take = self._inbox.take_datagram if transport.is_datagram else self._inbox.take
        message = self._shake_hands(greeting, deadline)
        try:
            welcome = Welcome(message.payload)
        except ValueError as error:
            raise Rejected(f"the simulation's WELCOME {error}") from None
        self.scenario, self.connection = welcome.scenario, welcome.connection
        self.schema_hash = welcome.schema_hash
        self.period, self.is_realtime = welcome.period_ns / 1e9, welcome.is_realtime
        self.reads = [signal.name for signal in welcome.reads]
        self.writes = [signal.name for signal in welcome.writes]
        self.units = {signal.name: signal.unit for signal in welcome.reads + welcome.writes}
        self.limits = {signal.name: Limits(signal.lower, signal.upper) for signal in welcome.writes}
        self._read_index = {name: index for index, name in enumerate(self.reads)}
        self._write_index = {name: index for index, name in enumerate(self.writes)}
        self.measurements = self._row([math.nan] * len(self.reads))
        self.commands = self._row([signal.initial for signal in welcome.writes])
        self._measurement_layout = struct.Struct(f"<{len(self.reads)}d")
        self._command_layout = struct.Struct(f"<{len(self.writes)}d")
        self._inbox.measurement_size = self._measurement_layout.size
        self._time_ns, self._sequence = message.time, message.sequence - 1 & 0xFFFFFFFF
        self._session = message.session
        self.time, self.timeout = message.time / 1e9, None
        self._is_pending = False  # the last measurement is not answered yet
        self._is_over = False
        self._sent = b""  # the last sent COMMAND
        self._lost: Optional[Error] = None

    @staticmethod
    def _row(values: List[float]):
        return values if _numpy is None else _numpy.array(values, dtype=float)

    def _shake_hands(self, greeting: bytes, deadline: Optional[float]) -> Message:
        while True:
            try:
                self._transport.send(greeting, deadline)
                return self._wait_for_welcome(deadline)
            except ConnectionLost as error:
                raise _TryAgain(f"{error}; HELLO was not answered") from None
            except Timeout:
                if not self._transport.is_datagram or (deadline is not None and _time.monotonic() >= deadline):
                    raise _TryAgain("the simulation did not answer HELLO in time") from None

    def _wait_for_welcome(self, deadline: Optional[float]) -> Message:
        if self._transport.is_datagram:
            soon = _time.monotonic() + _REPEAT_HELLO
            deadline = soon if deadline is None else min(soon, deadline)
        while True:
            self._inbox.bytes += self._transport.receive(deadline)
            while message := self._take():
                if message.type == WELCOME:
                    return message
                # Measurements for the previous controller may still arrive.
                found = read_message(message) if message.type in (ERROR, BYE) else None
                if not found:
                    continue
                code, sentence = found
                if message.type == BYE:
                    raise _TryAgain(f"the simulation has ended: {sentence} (code {code})")
                rejection = f"the simulation rejected: {sentence} (code {code})"
                raise _TryAgain(rejection) if code == 3 else Rejected(rejection)

    def step(self) -> bool:
        """Sends the commands as the answer to the current measurement, if any, and waits for the next one.

        True: there is one. False: the run is over. A command that is not finite raises ValueError and a wait that is too
        long Timeout; after these step() may be called again. In real time the newest measurement is taken.
        """
        if self._lost:
            raise self._lost
        if self._is_over:
            return False
        deadline = None if self.timeout is None else _time.monotonic() + self.timeout
        if self._is_pending:
            self._answer(deadline)
        while not self._use_messages(deadline):
            if self._is_over:
                return False
            try:
                self._inbox.bytes += self._receive(deadline)
            except Timeout:
                if deadline is not None and _time.monotonic() >= deadline:
                    raise Timeout(f"no measurement within {self.timeout:g} s; "
                                  "the simulation may be paused or stopped") from None
                if self._sent:
                    self._send(deadline)
        return not self._is_over

    def _receive(self, deadline: Optional[float]) -> bytes:
        if self._transport.is_datagram:
            soon = _time.monotonic() + _REPEAT_COMMAND
            deadline = soon if deadline is None else min(soon, deadline)
        try:
            return self._transport.receive(deadline)
        except ConnectionLost as error:
            raise self._lose(error)

    def _lose(self, error: Error) -> Error:
        self._lost = error
        return error

    def _send(self, deadline: Optional[float]) -> None:
        try:
            self._transport.send(self._sent, deadline)
        except Timeout as error:
            raise self._lose(ConnectionLost(str(error))) from None
        except ConnectionLost:
            pass  # the reason for closing may still be unread

    def _answer(self, deadline: Optional[float]) -> None:
        for name, value in zip(self.writes, self.commands):
            if not math.isfinite(value):
                raise ValueError(f"command '{name}' is {value}; expected a finite number")
        payload = self._command_layout.pack(*self.commands)
        self._sent = encode(Message(COMMAND, self._sequence, self._time_ns, payload, self._session))
        self._is_pending = False
        self._send(deadline)

    def _use_messages(self, deadline: Optional[float]) -> bool:
        """Uses the received messages. True if there is a new measurement."""
        is_new = False
        for _ in range(_MAX_SKIPPED):
            message = self._take()
            if message:
                is_new |= self._use(message, deadline)
                if self._is_over or (is_new and not self.is_realtime):
                    break
            elif not is_new or self._inbox.bytes or not self._look():
                break
        return is_new

    def _look(self) -> bool:
        """In real time: receives more without waiting."""
        try:
            self._inbox.bytes += self._transport.receive(_time.monotonic())
        except (Timeout, ConnectionLost):
            return False
        return True

    def _use(self, message: Message, deadline: Optional[float]) -> bool:
        if message.type == WELCOME:  # again, for a repeated HELLO
            self._session = message.session
            return False
        if message.session != self._session:  # of an earlier connection
            self._inbox.dropped += 1
            return False
        if message.type == MEASUREMENT:
            if message.sequence == self._sequence and self._sent and not self._is_pending:
                self._send(deadline)  # the answer got lost
                return False
            if not 0 < (message.sequence - self._sequence & 0xFFFFFFFF) < 0x80000000:
                return False
            self.measurements[:] = self._measurement_layout.unpack(message.payload)
            self._sequence, self._time_ns = message.sequence, message.time
            self.time = message.time / 1e9
            self._is_pending = True
            return True
        if message.type not in (ERROR, BYE):
            return False
        found = read_message(message)
        if not found:
            self._inbox.dropped += 1
        elif message.type == BYE:
            self._is_over = True
        else:
            code, sentence = found
            error = Error(f"the simulation reports: {sentence} (code {code})")
            if code not in (4, 5):
                raise self._lose(error)
            # The connection stays open, and the measurement is still unanswered.
            self._is_pending = bool(self._sent)
            raise error
        return False

    def __iter__(self) -> Iterator[float]:
        """Steps until the run is over; yields the simulated time of each measurement, s."""
        while self.step():
            yield self.time

    def __getitem__(self, signal: str) -> float:
        """The last measurement of a signal; for a command, the last written value."""
        if signal in self._read_index:
            return float(self.measurements[self._read_index[signal]])
        if signal in self._write_index:
            return float(self.commands[self._write_index[signal]])
        raise KeyError(f"unknown signal '{signal}'; expected one of {', '.join(self.reads + self.writes)}")

    def __setitem__(self, signal: str, value: float) -> None:
        """Sets a command. It keeps its value until written again; the first value comes from the simulation."""
        if signal not in self._write_index:
            raise KeyError(f"the controller does not write '{signal}'; it writes {', '.join(self.writes)}")
        self.commands[self._write_index[signal]] = float(value)

    def __contains__(self, signal: object) -> bool:
        return signal in self.units

    @property
    def is_connected(self) -> bool:
        """Whether the connection is usable; otherwise close and connect again."""
        return not self._is_over and self._lost is None

    @property
    def bad_messages(self) -> int:
        """Number of dropped messages: damaged or unexpected."""
        return self._inbox.dropped

    def set_spin(self, seconds: float) -> None:
        """Shared memory: time to spin before sleeping, s."""
        self._transport.spin = seconds

    def close(self) -> None:
        """Sends BYE and closes the connection."""
        if self._transport is None:
            return
        transport, self._transport = self._transport, None
        if not self._is_over and not self._lost:
            self._lost = ConnectionLost("the connection was closed")
            try:
                transport.send(bye(self._sequence, self._time_ns, 7, "the controller leaves", self._session), _time.monotonic() + 1)
            except Error:
                pass
        transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_) -> None:
        self.close()
