#!/usr/bin/env python3
"""Writes seven-segments.obj: an arm of seven segments on a base, as a CAD program might export it.

    make_seven_segments.py > seven-segments.obj

One object for each part, millimetres, z up, upright. The joints are 0.2 m apart, and the segments get thinner towards the
tip. A segment that turns about y has a hub there, which is a part of its own.
"""

import math

CORNERS = 16
AXES = "z", "y", "y", "y", "z", "y", "z"  # of the joints 1 to 7
PITCH = 200.0  # mm between joints
BASE = 100.0  # mm, height of the base
THICKNESS = 100.0, 100.0, 80.0, 80.0, 60.0, 60.0, 60.0  # mm


class Obj:
    def __init__(self) -> None:
        self.lines = ["# Seven segments on a base; millimetres. Written by make_seven_segments.py."]
        self.count = 0

    def part(self, name: str) -> None:
        self.lines.append(f"o {name}")

    def prism(self, corners: list, axis: int, low: float, high: float) -> None:
        """A convex polygon, counter-clockwise seen against the axis, drawn out along it."""
        first = self.count + 1
        for end in (low, high):
            for u, v in corners:
                point = [0.0, 0.0, 0.0]
                point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3] = end, u, v
                self.lines.append("v " + " ".join(f"{round(x, 4) + 0.0:g}" for x in point))
        n = len(corners)
        self.count += 2 * n
        self.lines.append("f " + " ".join(str(first + i) for i in reversed(range(n))))
        self.lines.append("f " + " ".join(str(first + n + i) for i in range(n)))
        for i in range(n):
            j = (i + 1) % n
            self.lines.append(f"f {first + i} {first + j} {first + n + j} {first + n + i}")


def circle(radius: float, u: float = 0.0, v: float = 0.0) -> list:
    return [(u + radius * math.cos(2 * math.pi * i / CORNERS), v + radius * math.sin(2 * math.pi * i / CORNERS))
            for i in range(CORNERS)]


def main() -> None:
    obj = Obj()
    obj.part("base")
    obj.prism(circle(80.0), 2, 0.0, BASE - 10.0)
    for i, (axis, thickness) in enumerate(zip(AXES, THICKNESS), start=1):
        foot = BASE + PITCH * (i - 1)
        half = thickness / 2
        length = PITCH if i < len(AXES) else 100.0
        obj.part(f"segment{i}")
        obj.prism(circle(half), 2, foot + half if axis == "y" else foot, foot + length - half - 10.0)
        if axis == "y":  # the hub: z and x are the plane that y goes through
            obj.part(f"hub{i}")
            obj.prism(circle(half - 5.0, foot, 0.0), 1, -half, half)
    print("\n".join(obj.lines))


if __name__ == "__main__":
    main()
