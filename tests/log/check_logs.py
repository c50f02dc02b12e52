#!/usr/bin/env python3
"""Logs as other programs see them: arrays with names and units, and complete rows when the disk is full."""

import json
import resource
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import h5py
import numpy

from logs import LOCKSTEP, ROOT, command, read_csv, read_hdf5


class Logs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_command(self, arguments: list, exit_code: int = 0, **options) -> subprocess.CompletedProcess:
        done = subprocess.run(arguments, cwd=self.folder, capture_output=True, text=True, check=False, **options)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def test_both_formats_hold_the_same_names_units_and_bits(self) -> None:
        self.run_command(command("two-arms", "--for", "2.5s", "--log", "a.csv", "--log", "a.h5"))
        csv, hdf5 = read_csv(self.folder / "a.csv"), read_hdf5(self.folder / "a.h5")
        self.assertEqual(csv.names, hdf5.names)
        self.assertEqual(csv.units, hdf5.units)
        self.assertIn(("left/joint2/angle", "rad"), list(zip(csv.names, csv.units)))
        self.assertEqual(csv.rows.shape[0], round(2.5 / 0.001))
        self.assertTrue(numpy.array_equal(csv.rows, hdf5.rows))
        self.assertTrue(numpy.array_equal(csv.rows[:, 0], numpy.arange(2500) / 1000))

    def test_hdf5_has_its_metadata_and_exactly_the_stated_rows(self) -> None:
        self.run_command(command("two-arms", "--for", "1.5s", "--log", "a.h5"))
        with h5py.File(self.folder / "a.h5", "r") as log:
            self.assertEqual(log.attrs["scenario"], "two-arms")
            self.assertEqual(log.attrs["step"], 0.001)
            self.assertEqual(log.attrs["rows"], 1500)
            self.assertEqual(log["time"].shape, (1500,))
            self.assertEqual(log["data"].shape, (1500, len(log["names"])))
            version = subprocess.run([LOCKSTEP, "--version"], capture_output=True, text=True, check=True).stdout.strip()
            self.assertEqual(log.attrs["lockstep"], version)

    def test_selected_signals_every_tenth_step(self) -> None:
        self.run_command(command("two-arms", "--for", "1s", "--log", "a.h5", "--log", "a.csv", "--log-signals", "left/*/angle",
                                 "--log-every", "10"))
        for log in (read_csv(self.folder / "a.csv"), read_hdf5(self.folder / "a.h5")):
            self.assertEqual(len(log.names), 8)
            self.assertTrue(numpy.array_equal(log.rows[:, 0], numpy.arange(100) / 100))

    def test_logging_does_not_change_the_run(self) -> None:
        plain = json.loads(self.run_command(command("snake", "--for", "1s")).stdout)["hash"]
        logged = json.loads(self.run_command(command("snake", "--for", "1s", "--log", "a.h5")).stdout)["hash"]
        self.assertEqual(logged, plain)

    def test_a_full_disk_ends_the_run_and_keeps_the_rows_before(self) -> None:
        self.run_command(command("two-arms", "--for", "20s", "--log", "whole.h5"))
        whole = read_hdf5(self.folder / "whole.h5")

        def fill_disk() -> None:  # limits the file size, so that a write fails as on a full disk
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))

        for name, read in (("full.csv", read_csv), ("full.h5", read_hdf5)):
            with self.subTest(name):
                done = self.run_command(command("two-arms", "--for", "20s", "--log", name), exit_code=1, preexec_fn=fill_disk)
                result = json.loads(done.stdout)
                self.assertEqual(result["status"], "output failed")
                self.assertEqual(result["cause"], "File too large")
                self.assertEqual(result["subject"], name)
                log = read(self.folder / name)
                self.assertGreater(len(log.rows), 1000)
                self.assertGreaterEqual(len(log.rows), result["failed_step"] - 1000, "at most one flush is lost")
                self.assertTrue(numpy.array_equal(log.rows, whole.rows[:len(log.rows)]))
        self.assertTrue((self.folder / "full.csv").read_text().endswith("\n"))

    def test_files_of_observers_go_below_the_output_folder(self) -> None:
        text = (ROOT / "scenarios/basics/pendulum.xml").read_text(encoding="utf-8")
        observer = '<observers><csv name="log" file="day/one.csv" signals="pendulum/hinge/*"/></observers>'
        (self.folder / "p.xml").write_text(text.replace("</scenario>", observer + "</scenario>"), encoding="utf-8")
        self.run_command([LOCKSTEP, "check", "p.xml"])
        self.assertFalse((self.folder / "day").exists(), "a check writes nothing")
        self.run_command([LOCKSTEP, "run", "p.xml", "--for", "1s", "--out", "results"])
        self.assertEqual(len(read_csv(self.folder / "results/day/one.csv").rows), 1000)
        done = self.run_command([LOCKSTEP, "run", "p.xml", "--log", "day/one.csv"], exit_code=2)
        self.assertEqual(done.stderr, "--log: error: 'day/one.csv' is also written by another output; choose another name\n")

    def test_drop_logs_every_impact_of_the_ball(self) -> None:
        self.run_command(command("drop"))
        impacts = read_csv(self.folder / "drop-impacts.csv")
        pauses = numpy.flatnonzero(numpy.diff(impacts.rows[:, 0]) > 0.0015)
        starts = [impacts.rows[i, 0] for i in (0, *(pauses + 1))]
        # It falls from h, and each time it rebounds with e = 0.8 of its speed and lands after 2 e v / g.
        height, restitution, g, before = 1.0, 0.8, 9.81, 0.010
        fall = (2.0 * height / g) ** 0.5
        speed, expected = g * fall, [fall]
        for _ in range(3):
            speed *= restitution
            expected.append(expected[-1] + 2.0 * speed / g)
        self.assertEqual(len(starts), 3, "the fourth is after the end")
        in_steps = 4 * 0.001
        for start, moment in zip(starts, expected):
            self.assertAlmostEqual(start + before, moment, delta=in_steps)
        self.assertEqual(impacts.names, ["time", "ball/x", "ball/y", "ball/z"])
        height_log = read_hdf5(self.folder / "drop.h5")
        self.assertTrue(numpy.array_equal(height_log.rows[:, 0], numpy.arange(200) / 100))

    def test_wrong_options_are_rejected(self) -> None:
        for options, error in (
                (["--log", "a.txt"], "--log: error: 'a.txt' has an unknown extension; expected '.csv', '.h5' or '.hdf5'"),
                (["--log", "a.csv", "--log", "./a.csv"], "--log: error: './a.csv' is also written by another output; choose another name"),
                (["--log", "a.csv", "--log-every", "0"],
                 "--log-every: error: 0 is out of range; expected 1 or more steps"),
                (["--log", "a.csv", "--log-signals", "pendulum/hinge/angel"],
                 "--log-signals: error: there is no signal 'pendulum/hinge/angel'; did you mean 'pendulum/hinge/angle'?"),
                (["--log-every", "2"], "--log-signals, --log-every: error: need --log FILE"),
        ):
            with self.subTest(options):
                self.assertEqual(self.run_command(command("pendulum", *options), exit_code=2).stderr, error + "\n")

    def test_a_real_time_run_logs_its_timing(self) -> None:
        self.run_command(command("pendulum", "--for", "100ms", "--speed", "2", "--log", "a.csv"))
        log = read_csv(self.folder / "a.csv")
        self.assertEqual(list(zip(log.names, log.units))[-4:],
                         [("timing/lateness", "s"), ("timing/worst_lateness", "s"), ("timing/overruns", ""),
                          ("timing/missed_cycles", "")])
        self.assertGreater(log.rows[-1, -3], 0.0, "no step begins exactly on time")
        self.assertTrue((numpy.diff(log.rows[:, -3:], axis=0) >= 0.0).all(), "worst and counts only grow")

    def test_no_output_overwrites_the_scenario_or_another_output(self) -> None:
        scenario = (ROOT / "scenarios" / "basics" / "pendulum.xml").read_text(encoding="utf-8")
        (self.folder / "p.xml").write_text(scenario, encoding="utf-8")
        run = [LOCKSTEP, "run", "p.xml", "--for", "10ms"]
        for option in ("--save", "--record", "--hash-log"):
            rejected = self.run_command([*run, option, "./p.xml"], exit_code=2)
            self.assertEqual(rejected.stderr, f"{option}: error: './p.xml' is the scenario itself\n")
        rejected = self.run_command([LOCKSTEP, "pack", "p.xml", "-o", "p.xml"], exit_code=2)
        self.assertEqual(rejected.stderr, "--output: error: 'p.xml' is the scenario itself\n")
        rejected = self.run_command([*run, "--record", "a", "--save", "a"], exit_code=2)
        self.assertEqual(rejected.stderr, "--save: error: 'a' is also written by another output; choose another name\n")
        self.assertEqual((self.folder / "p.xml").read_text(encoding="utf-8"), scenario)
        self.assertFalse((self.folder / "a").exists())

    def test_a_plot_is_the_same_from_both_formats_and_is_well_formed(self) -> None:
        self.run_command(command("two-arms", "--for", "2s", "--log", "a.csv", "--log", "a.h5"))
        for name in ("a.csv", "a.h5"):
            self.run_command([LOCKSTEP, "plot", name, "-s", "*/joint2/angle", "*/joint2/torque", "-o", name + ".svg",
                              "--title", "Joint 2 & more", "--from", "500 ms", "--to", "1.5s"])
        drawn = [(self.folder / name).read_text(encoding="utf-8") for name in ("a.csv.svg", "a.h5.svg")]
        self.assertEqual(drawn[0], drawn[1])
        texts = [text.text for text in xml.etree.ElementTree.fromstring(drawn[0]).iter("{http://www.w3.org/2000/svg}text")]
        for expected in ("Joint 2 & more", "angle [rad]", "torque [N·m]", "time [s]", "left/joint2/angle"):
            self.assertIn(expected, texts)

    def test_a_plot_of_an_unknown_signal_suggests_the_right_one(self) -> None:
        self.run_command(command("pendulum", "--for", "10ms", "--log", "a.csv"))
        done = self.run_command([LOCKSTEP, "plot", "a.csv", "-s", "pendulum/hinge/angel", "-o", "a.svg"], exit_code=2)
        self.assertEqual(done.stderr, "a.csv: error: there is no signal 'pendulum/hinge/angel'; "
                                      "did you mean 'pendulum/hinge/angle'?\n")


if __name__ == "__main__":
    unittest.main()
