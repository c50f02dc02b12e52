#!/usr/bin/env python3
"""Holds the arm of scenarios/arms/wired-arm.xml at 0.5 rad."""

import lockstep_client

with lockstep_client.connect(name="hold_angle") as sim:
    for time in sim:
        error = 0.5 - sim["arm/shoulder/angle"]
        sim["arm/shoulder_motor/torque"] = 300 * error - 30 * sim["arm/shoulder/speed"]
