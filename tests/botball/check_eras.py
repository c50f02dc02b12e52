#!/usr/bin/env python3
"""What the same program does on the controllers of different years. Expected values are the documented rules of each."""

import unittest

from botball import BotballTest

ERAS = ("C1", "C2", "L", "W")
LEVEL = 1685.0 / 4095.0  # of the range finder at 20 cm
PRINTED = 0.001


class Eras(BotballTest):
    def outputs(self, body: str, before: str = "") -> dict:
        return {era: self.run_main(body, era, before=before).text for era in ERAS}

    def test_analog_has_8_10_or_12_bits(self) -> None:
        ports = {"C1": 8}
        for era, scale in (("C1", 255), ("C2", 255), ("L", 1023), ("W", 4095)):
            run = self.run_main(f'printf("%d %d\\n", analog({ports.get(era, 0)}), analog10({ports.get(era, 0)}));', era)
            value, ten = map(int, run.text.split())
            self.assertAlmostEqual(value, LEVEL * scale, delta=1.5, msg=era)
            self.assertAlmostEqual(ten, LEVEL * 1023, delta=1.5, msg=era)

    def test_an_open_analog_port_reads_full_scale(self) -> None:
        body = 'printf("%d\\n", analog(5));'
        for era, expected in (("C2", 255), ("L", 1023), ("W", 4095)):
            self.assertEqual(self.run_main(body, era).text, str(expected), era)

    def test_digital_ports_have_other_numbers_and_answers_if_they_do_not_exist(self) -> None:
        for era, port in (("C1", 0), ("C2", 8), ("L", 8), ("W", 0)):
            run = self.run_main(f'msleep(1100); printf("%d\\n", digital({port}));', era)
            self.assertEqual(run.text, "1", era)
        for era, port, answer in (("C1", 8, "-1"), ("C2", 0, "-1"), ("L", 0, "1"), ("W", 12, "0")):
            run = self.run_main(f'int x = digital({port}); printf("%d\\n", x);', era)
            self.assertEqual(run.text.splitlines()[-1], answer, era)

    def test_servos_start_off_and_are_switched_on_as_on_each_controller(self) -> None:
        # The arm follows only a servo that is on: on C2 a position switches it on.
        body = 'set_servo_position({port}, 1500); printf("%d\\n", get_servo_position({port})); msleep(500);'
        for era, is_on in (("C1", False), ("C2", True), ("L", False), ("W", False)):
            log = self.path / f"{era}.csv"
            run = self.run_main(body.format(port=1 if era == "C1" else 0), era, "--log", log)
            self.assertAlmostEqual(int(run.text), 1500, delta=1)
            self.assertEqual(self.arm_moves(log), is_on, era)

    def arm_moves(self, log) -> bool:
        names, *rows = log.read_text().splitlines()
        column = [name.split(" ")[0] for name in names.split(",")].index("rig/arm/angle")
        return any(abs(float(row.split(",")[column])) > 0.1 for row in rows)

    def test_enabled_servos_turn_by_the_pulse_of_each_controller(self) -> None:
        # 10 us are one degree: 2047 is 2550 us on C, 2500 us on L, 2400 us on W; the middle is 1500 us.
        for era, degrees in (("C2", 104.99), ("L", 100.0), ("W", 90.0)):
            log = self.path / f"{era}.csv"
            self.run_main("enable_servos(); set_servo_position(0, 2047); msleep(2000);", era, "--log", log)
            names, *rows = log.read_text().splitlines()
            column = [name.split(" ")[0] for name in names.split(",")].index("rig/arm/angle")
            self.assertAlmostEqual(float(rows[-1].split(",")[column]) * 57.29578, degrees, delta=0.2, msg=era)

    def test_the_position_of_a_disabled_servo(self) -> None:
        body = 'set_servo_position(1, 700); disable_servos(); printf("%d\\n", get_servo_position(1));'
        self.assertEqual({era: text for era, text in self.outputs(body).items()},
                         {"C1": "700", "C2": "-1", "L": "700", "W": "700"})

    def test_positions_beyond_the_end(self) -> None:
        body = 'set_servo_position(1, 100); set_servo_position(1, 2100); printf("%d\\n", get_servo_position(1));'
        last = {era: text.splitlines()[-1] for era, text in self.outputs(body).items()}
        # C rejects them; L uses the low 11 bits, 52; W clamps.
        self.assertEqual(last, {"C1": "100", "C2": "100", "L": "52", "W": "2047"})

    def test_sleep_takes_fractions_only_on_the_cbc(self) -> None:
        for era, expected in (("C1", 0.5), ("C2", 0.5), ("L", 0.0), ("W", 0.0)):
            run = self.run_main('sleep(.5); printf("awake\\n");', era)
            self.assertAlmostEqual(run.time_of("awake"), expected, delta=PRINTED, msg=era)

    def test_seconds_begin_at_the_first_call_on_the_cbc(self) -> None:
        body = 'msleep(500); double a = seconds(); msleep(1500); printf("%.2f %.2f\\n", a, seconds());'
        self.assertEqual(self.outputs(body), {"C1": "0.00 1.50", "C2": "0.00 1.50", "L": "1000.50 1002.00", "W": "1000.50 1002.00"})

    def test_run_for_ends_a_function_or_looks_once_a_second(self) -> None:
        for before, expected in (("void f() { while (1); }", 3.0), ("void f() { msleep(400); }", 1.0)):
            run = self.run_main('run_for(3, f); printf("back\\n");', "C2", before=before)
            self.assertAlmostEqual(run.time_of("back"), expected, delta=PRINTED)

    def test_beep_takes_time_only_on_the_first_cbc(self) -> None:
        for era, expected in (("C1", 0.1), ("C2", 0.0), ("L", 0.0), ("W", 0.0)):
            run = self.run_main('beep(); printf("x\\n");', era)
            self.assertAlmostEqual(next(time for time, text in run.console if text.endswith("x")), expected, delta=PRINTED, msg=era)

    def test_char_is_unsigned(self) -> None:
        self.assertEqual(self.run_main('char c = 200; printf("%d\\n", 256 * c);').text, "51200")


class Motors(BotballTest):
    def test_a_move_takes_its_ticks_over_its_speed(self) -> None:
        # 1000 ticks at 500 ticks/s; on C2 the unit of speed is 1.136 ticks/s.
        for era, expected in (("C1", 2.0), ("C2", 2.0 / 1.136), ("L", 2.0), ("W", 2.0)):
            run = self.run_main('mrp(0, 500, 1000); bmd(0); printf("%d\\n", get_motor_position_counter(0));', era)
            # The start, and on L the grid of 50 ms.
            self.assertAlmostEqual(run.console[-1][0], expected, delta=0.16, msg=era)
            self.assertAlmostEqual(int(run.text), 1000, delta=30, msg=era)

    def test_done_is_seen_in_a_grid_of_50_ms_on_the_link(self) -> None:
        run = self.run_main('mrp(0, 500, 1000); bmd(0); printf("x\\n");', "L")
        # 1 ms for the command; each look is 50 ms and 0.5 ms for reading.
        looks = (run.time_of("x") - 0.001) / 0.0505
        self.assertAlmostEqual(looks, round(looks), delta=0.05)

    def test_a_velocity_is_held(self) -> None:
        for era, expected in (("C1", 600), ("C2", 600 * 1.136), ("L", 600), ("W", 600)):
            run = self.run_main('mav(0, 600); msleep(2000); int a = get_motor_position_counter(0); msleep(1000);'
                                'int b = get_motor_position_counter(0); printf("%d %d\\n", b - a, get_motor_done(0));', era)
            ticks, done = map(int, run.text.split())
            self.assertAlmostEqual(ticks, expected, delta=0.02 * expected, msg=era)
            self.assertEqual(done, 0, era)

    def test_percent_is_power_until_the_link_and_velocity_on_the_wombat(self) -> None:
        # 50 %: half of 1.1 turns/s without load, or 750 ticks/s.
        for era, expected in (("C2", 550), ("L", 550), ("W", 750)):
            run = self.run_main('motor(0, 50); msleep(2000); int a = get_motor_position_counter(0); msleep(1000);'
                                'printf("%d\\n", get_motor_position_counter(0) - a);', era)
            self.assertAlmostEqual(int(run.text), expected, delta=0.02 * expected, msg=era)

    def test_off_coasts_and_freeze_brakes(self) -> None:
        # The wheel has no friction of its own.
        body = 'motor(0, 50); msleep(2000); {}; msleep(1000); int a = get_motor_position_counter(0); msleep(1000); printf("%d\\n", get_motor_position_counter(0) - a);'
        for era in ("L", "W"):
            self.assertGreater(int(self.run_main(body.format("off(0)"), era).text), 400, era)
        for era in ERAS:
            # C holds a position within the ticks of a few cycles of its controller.
            self.assertAlmostEqual(int(self.run_main(body.format("freeze(0)"), era).text), 0, delta=10, msg=era)

    def test_the_counter_is_cleared_and_the_first_cbc_stops(self) -> None:
        body = 'mav(0, 500); msleep(1000); clear_motor_position_counter(0); printf("%d\\n", get_motor_position_counter(0));'
        for era in ERAS:
            run = self.run_main(body, era)
            self.assertAlmostEqual(int(run.text), 0, delta=3, msg=era)
            self.assertAlmostEqual(run.console[-1][0], 1.04 if era == "C1" else 1.0, delta=0.004, msg=era)


if __name__ == "__main__":
    unittest.main()
