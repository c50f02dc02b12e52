"""Independent forward kinematics of a URDF file: the pose of a link is that of its parent, times
the origin of the joint between them, times the motion of the joint along or about its axis."""

import math
import random
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def numbers(text: str) -> list:
    left_over = re.fullmatch(r"\$\(optenv \S+ (.*)\)", text.strip())
    return [float(word) for word in (left_over[1] if left_over else text).split()]


def multiply(a: list, b: list) -> list:
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def transform(rotation: list, position: list) -> list:
    return [rotation[i] + [position[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def about(axis: list, angle: float) -> list:
    """Rodrigues' formula."""
    length = math.sqrt(sum(a * a for a in axis))
    x, y, z = (a / length for a in axis)
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    return [[c + x * x * v, x * y * v - z * s, x * z * v + y * s],
            [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v]]


def rpy(roll: float, pitch: float, yaw: float) -> list:
    product = [transform(about(axis, angle), [0.0] * 3)
               for axis, angle in (([0, 0, 1], yaw), ([0, 1, 0], pitch), ([1, 0, 0], roll))]
    result = multiply(multiply(product[0], product[1]), product[2])
    return [row[:3] for row in result[:3]]


def origin_of(element: ElementTree.Element) -> list:
    origin = element.find("origin")
    if origin is None:
        return transform(IDENTITY, [0.0] * 3)
    return transform(rpy(*numbers(origin.get("rpy", "0 0 0"))), numbers(origin.get("xyz", "0 0 0")))


class Robot:
    def __init__(self, file: Path):
        root = ElementTree.parse(file).getroot()
        self.name = root.get("name")
        self.links = [link.get("name") for link in root.findall("link")]
        self.joints = [joint for joint in root.findall("joint") if joint.get("type")]

    def draw(self, generator: random.Random) -> dict:
        """A random position for each independent joint, within its limits."""
        drawn = {}
        for joint in self.joints:
            kind, limit = joint.get("type"), joint.find("limit")
            if kind not in ("revolute", "continuous", "prismatic", "planar") or joint.find("mimic") is not None:
                continue
            low, high = (-math.pi, math.pi) if kind != "prismatic" else (-0.5, 0.5)
            if kind in ("revolute", "prismatic") and limit is not None:
                low, high = float(limit.get("lower", 0.0)), float(limit.get("upper", 0.0))
            drawn[joint.get("name")] = generator.uniform(low, high)
        return drawn

    def value_of(self, joint: ElementTree.Element, values: dict) -> float:
        mimic = joint.find("mimic")
        if mimic is None:
            return values.get(joint.get("name"), 0.0)
        leader = next(each for each in self.joints if each.get("name") == mimic.get("joint"))
        return float(mimic.get("multiplier", 1.0)) * self.value_of(leader, values) + float(mimic.get("offset", 0.0))

    def motion(self, joint: ElementTree.Element, values: dict) -> list:
        kind = joint.get("type")
        axis_element = joint.find("axis")
        axis = numbers(axis_element.get("xyz", "1 0 0")) if axis_element is not None else [1.0, 0.0, 0.0]
        value = self.value_of(joint, values)
        if kind in ("revolute", "continuous", "planar"):
            return transform(about(axis, value), [0.0] * 3)
        if kind == "prismatic":
            length = math.sqrt(sum(a * a for a in axis))
            return transform(IDENTITY, [value * a / length for a in axis])
        return transform(IDENTITY, [0.0] * 3)

    def poses(self, values: dict) -> dict:
        """The pose of each link as a matrix; the root is at the origin."""
        above = {joint.find("child").get("link"): joint for joint in self.joints}
        found = {}

        def pose(link: str) -> list:
            if link not in found:
                joint = above.get(link)
                found[link] = transform(IDENTITY, [0.0] * 3) if joint is None else multiply(
                    multiply(pose(joint.find("parent").get("link")), origin_of(joint)), self.motion(joint, values))
            return found[link]

        for link in self.links:
            pose(link)
        return found


def matrix_of(quaternion: list) -> list:
    w, x, y, z = quaternion
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
