"""Runs studies through the command, for the tests of this folder.

The environment is that of cmake/lockstep_module.cmake: LOCKSTEP, LOCKSTEP_SOURCE_DIR.
"""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))

# As root, with more processes than cores, over loopback.
MPIRUN = ["mpirun", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe",
          "--mca", "oob_tcp_if_include", "lo", "--mca", "btl", "self,vader"]

GENETIC = '<genetic population="8" exchange="2"/>'
WAY = '<objective name="way" maximize="max(cart/rail/position)"/>'
PARAMETERS = """
    <parameter name="amplitude" path="//sine/@amplitude" min="0" max="50 cm"/>
    <parameter name="frequency" path="//sine/@frequency" min="0.2 Hz" max="5 Hz" scale="log"/>
    <parameter name="mass" path="//box/@mass" min="0.5" max="2" step="0.25"/>"""


def cart(search: str = GENETIC, attributes: str = 'evaluations="120" islands="3"', objectives: str = WAY,
         parameters: str = PARAMETERS) -> str:
    """A cart on a rail that a servo drives along a sine, and a study of it."""
    return f"""<scenario name="cart" step="5 ms" duration="1 s">
  <robot name="cart">
    <link name="stand"/>
    <link name="wagon" parent="stand">
      <joint name="rail" type="slide" axis="1 0 0" damping="1"/>
      <box size="0.1 0.1 0.1" mass="1 kg"/>
    </link>
    <sensors><joint_state name="rail" joint="rail"/></sensors>
    <actuators><servo name="drive" joint="rail" stiffness="100" damping="5"/></actuators>
    <controllers><sine name="wave" signal="drive/target" amplitude="0.1" frequency="1 Hz"/></controllers>
  </robot>
  <study name="far" {attributes}>
    {parameters}
    {objectives}
    {search}
  </study>
</scenario>
"""


class Study:
    """A scenario in a temporary folder, and the commands for it."""

    def __init__(self, text: str):
        self.folder = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, self.folder)
        self.file = self.folder / "cart.xml"
        self.file.write_text(text, encoding="utf-8")

    def command(self, results: str, *options: str, prefix: tuple = ()) -> list:
        return [*prefix, LOCKSTEP, "optimize", str(self.file), "--results", str(self.folder / results), "--json", *options]

    def run(self, results: str, *options: str, prefix: tuple = ()) -> dict:
        done = subprocess.run(self.command(results, *options, prefix=prefix), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{done.args} exited with {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def bytes(self, results: str) -> bytes:
        return (self.folder / results).read_bytes()

    def lines(self, results: str) -> list:
        """The evaluations of a results file: (island, evaluation) and the rest of the line."""
        lines = [line.split("\t", 2) for line in (self.folder / results).read_text(encoding="utf-8").splitlines()]
        return [((int(line[0]), int(line[1])), line[2]) for line in lines if line[0].isdigit()]
