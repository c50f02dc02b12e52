#!/usr/bin/env python3
"""Holds the arm of scenarios/arms/packet-arm.xml at 0.3 rad: UDP and two structs, without any library of Lockstep."""

import os
import socket
import struct

MEASUREMENT = struct.Struct("<HHffhhI")  # magic, count, speeds, angles in 0.1 mrad, CRC-32
ORDER = struct.Struct("<HHii")  # magic, count, torques in mN*m; a sum of all bytes follows


def torque(angle: int, speed: float) -> int:
    return round(1000.0 * (40.0 * (0.3 - 1e-4 * angle) - 4.0 * speed))


_, host, port = os.environ["LOCKSTEP_ADDRESS"].split(":")
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.connect((host, int(port)))
wire.settimeout(1.0)
wire.send(b"?")  # any datagram announces the controller
try:
    while True:
        _, count, v1, v2, q1, q2, _ = MEASUREMENT.unpack(wire.recv(64))
        order = ORDER.pack(21930, count, torque(q1, v1), torque(q2, v2))
        wire.send(order + bytes([sum(order) % 256]))
except (TimeoutError, ConnectionError):
    pass  # the run is over
