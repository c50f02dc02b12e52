#!/usr/bin/env python3
"""Controller of the delta robot in scenarios/machines/delta.xml, the law of delta_control.c in Python, for 200 Hz.

    delta_controller.py [ADDRESS [ACCELERATION]]

ADDRESS is where the simulation listens, such as tcp:127.0.0.1:7000; default, also for "-": that
in LOCKSTEP_ADDRESS. ACCELERATION is the maximum of the cycle in m/s^2, default 9.81 (1 g). The module lockstep_client
is in clients/python.
"""

import math
import sys

import lockstep_client

# The machine, as in scenarios/machines/delta.xml: metres, kilograms, seconds.
BASE, ARM, ROD, PLATE = 0.125, 0.225, 0.5, 0.05
OUTWARD = [(1.0, 0.0, 0.0), (-0.5, math.sqrt(0.75), 0.0), (-0.5, -math.sqrt(0.75), 0.0)]
STEP, GRAVITY = 0.0005, 9.81
ARM_MASS, RODS_MASS, PLATE_MASS = 0.18, 0.06, 0.3
INERTIA = 8e-3 + ARM_MASS * (ARM**2 / 3.0 + 0.02**2 / 12.0)  # of arm and rotor at a motor
DAMPING, FRICTION, FRICTION_RATE = 0.02, 0.05, 0.2
TYPICAL_INERTIA = 0.02  # at a motor, with rods and a share of the plate

# The motor, as in scenarios/machines/motors/delta.csv.
GEAR, EFFICIENCY = 20.0, 0.9
CURRENTS = [0.0, 4.0, 8.0, 12.0]
SPEED_STEP = 2000.0 * 2.0 * math.pi / 60.0
TORQUES = [[0.0, 0.0, 0.0, 0.0], [0.320, 0.310, 0.296, 0.278], [0.620, 0.610, 0.596, 0.578], [0.880, 0.870, 0.856, 0.838]]

# The cycle: 25 mm up, 305 mm across, 25 mm down, and back.
START, PICK = (0.0, 0.0, -0.4), (-0.1525, 0.0, -0.425)
ACROSS, LIFT, LIFT_SHARE = 0.305, 0.025, 0.5
START_TIME, REST = 0.3, 0.02


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def in_plane_of_arm(i, forward, down):
    return forward * OUTWARD[i][0], forward * OUTWARD[i][1], -down


def quintic(time, length, way):
    """Position, velocity and acceleration along 10 u^3 - 15 u^4 + 6 u^5, at rest before and after."""
    u = min(max(time / length, 0.0), 1.0)
    return (way * u**3 * (10.0 + u * (6.0 * u - 15.0)), way / length * 30.0 * u**2 * (1.0 + u * (u - 2.0)),
            way / length**2 * 60.0 * u * (1.0 + u * (2.0 * u - 3.0)))


def path(time, acceleration):
    """Desired position, velocity and acceleration of the plate."""
    if time < START_TIME:
        axes = [quintic(time, START_TIME, pick - start) for start, pick in zip(START, PICK)]
        return tuple(zip(*((start + p, v, a) for start, (p, v, a) in zip(START, axes))))
    across = math.sqrt(10.0 / math.sqrt(3.0) * ACROSS / acceleration)
    lift = LIFT_SHARE * across
    moves, since = divmod(time - START_TIME, across + lift + REST)
    forth = moves % 2 == 0
    x = quintic(since - lift / 2.0, across, ACROSS if forth else -ACROSS)
    up, down = quintic(since, lift, LIFT), quintic(since - across, lift, -LIFT)
    return (((PICK[0] if forth else PICK[0] + ACROSS) + x[0], PICK[1], PICK[2] + up[0] + down[0]),
            (x[1], 0.0, up[1] + down[1]), (x[2], 0.0, up[2] + down[2]))


def inverse(p):
    """Motor angles for the plate at p; a ValueError if it is out of reach."""
    angles = []
    for u in OUTWARD:
        outward = dot(p, u) + PLATE - BASE
        a, b = 2.0 * ARM * outward, -2.0 * ARM * p[2]
        c = outward**2 + dot(p, p) - dot(p, u) ** 2 + ARM**2 - ROD**2
        angles.append(math.atan2(b, a) - math.acos(c / math.hypot(a, b)))
    return angles


def torques(p, v, a):
    """Torques at the arms, and their rates, for a plate at p that moves with v and a."""
    rates, at_motors, rows = [], [], []
    force = [PLATE_MASS * a[0], PLATE_MASS * a[1], PLATE_MASS * (a[2] + GRAVITY)]
    for i, q in enumerate(inverse(p)):
        lever = in_plane_of_arm(i, -ARM * math.sin(q), ARM * math.cos(q))
        to_axis = in_plane_of_arm(i, -ARM * math.cos(q), -ARM * math.sin(q))
        inner = in_plane_of_arm(i, BASE - PLATE + ARM * math.cos(q), ARM * math.sin(q))
        rod = [p[k] - inner[k] for k in range(3)]
        leverage = dot(rod, lever)
        rate = dot(rod, v) / leverage
        rod_rate = [v[k] - lever[k] * rate for k in range(3)]
        acc = (dot(rod, a) + dot(rod_rate, rod_rate) - dot(rod, to_axis) * rate**2) / leverage
        elbow = [lever[k] * acc + to_axis[k] * rate**2 for k in range(3)]
        weight = (0.0, 0.0, RODS_MASS * GRAVITY / 2.0)
        at_elbow = [RODS_MASS * (2.0 * elbow[k] + a[k]) / 6.0 + weight[k] for k in range(3)]
        force = [force[k] + RODS_MASS * (elbow[k] + 2.0 * a[k]) / 6.0 + weight[k] for k in range(3)]
        friction = FRICTION * min(max(rate / FRICTION_RATE, -1.0), 1.0)
        at_motors.append(INERTIA * acc - ARM_MASS * GRAVITY * ARM / 2.0 * math.cos(q) + DAMPING * rate + friction
                         + dot(lever, at_elbow))
        rates.append(rate)
        rows.append([component / leverage for component in rod])
    others = [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])]
    determinant = dot(rows[0], others[0])
    return [own + dot(force, other) / determinant for own, other in zip(at_motors, others)], rates


def current_for(torque, rate):
    """Current from the table of the motor, which applies to both directions."""
    sign = -1.0 if torque < 0.0 else 1.0
    wanted = abs(torque) / (GEAR * EFFICIENCY)
    position = min(max(sign * rate * GEAR / SPEED_STEP, 0.0), 3.0)
    column = min(int(position), 2)
    levels = [line[column] + (position - column) * (line[column + 1] - line[column]) for line in TORQUES]
    for low in range(3):
        if wanted <= levels[low + 1]:
            share = (wanted - levels[low]) / (levels[low + 1] - levels[low])
            return sign * (CURRENTS[low] + share * (CURRENTS[low + 1] - CURRENTS[low]))
    return sign * CURRENTS[-1]


def main(address=None, acceleration=9.81):
    motors = [f"delta/motor{i}" for i in (1, 2, 3)]
    with lockstep_client.connect(address, "delta_controller.py") as sim:
        bandwidth, lead = min(200.0, 0.3 / sim.period), (sim.period - STEP) / 2.0
        errors_before = None
        for time in sim:
            wanted = inverse(path(time, acceleration)[0])
            errors = [want - sim[f"{motor}/angle"] for want, motor in zip(wanted, motors)]
            planned, rates = torques(*path(time + lead, acceleration))
            for motor, error, before, torque, rate in zip(motors, errors, errors_before or errors, planned, rates):
                change = (error - before) / sim.period
                torque += TYPICAL_INERTIA * bandwidth * (bandwidth * error + 2.0 * change)
                sim[f"{motor}/current"] = current_for(torque, rate)
            errors_before = errors


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else "-"
    main(None if given == "-" else given, *map(float, sys.argv[2:3]))
