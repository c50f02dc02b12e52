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


class Boards(BotballTest):
    def test_a_range_finder_switches_the_pull_up_of_a_link_off(self) -> None:
        body = 'printf("%d %d %d %d\\n", analog(5), get_analog_pullup(5), analog_et(5), get_analog_pullup(5));'
        self.assertEqual(self.run_main('int a = analog(5), b = get_analog_pullup(5), c = analog_et(5), d = get_analog_pullup(5);'
                                       'printf("%d %d %d %d\\n", a, b, c, d);', "L").text, "1023 1 0 0")
        self.assertEqual(self.run_main(body, "W").text, "4095 0 4095 0")

    def test_servo_ports_begin_at_1_in_2009(self) -> None:
        for era, port, bad in (("C1", 4, 0), ("C2", 3, 4), ("L", 3, 4), ("W", 3, 4)):
            run = self.run_main(f'set_servo_position({port}, 600); int a = get_servo_position({port}); set_servo_position({bad}, 600);'
                                f'int b = get_servo_position({bad}); printf("%d %d\\n", a, b);', era)
            expected = {"C1": "600 -1", "C2": "600 -1", "L": "600 65535", "W": "600 0"}[era]
            self.assertEqual(run.text.splitlines()[-1], expected, era)

    def test_positions_of_a_link_read_back_through_its_pulses(self) -> None:
        # 1 + 2047 (6500 + pos 26000 / 2047 - 6500) / 26000 in integers.
        for position in (0, 1, 700, 2047):
            expected = 1 + 2047 * (position * 26000 // 2047) // 26000
            run = self.run_main(f'set_servo_position(0, {position}); printf("%d\\n", get_servo_position(0));', "L")
            self.assertEqual(int(run.text), expected)

    def test_pwm_has_another_range_on_each_controller(self) -> None:
        # A free wheel at half power: 550 ticks/s.
        for era, half, result in (("C1", 127, 0), ("C2", 50, 0)):
            run = self.run_main(f'int r = setpwm(0, {half}); msleep(2000); int a = get_motor_position_counter(0); msleep(1000);'
                                f'printf("%d %d %d\\n", r, getpwm(0), get_motor_position_counter(0) - a);', era)
            r, pwm, ticks = map(int, run.text.split())
            self.assertEqual((r, pwm), (result, half))
            self.assertAlmostEqual(ticks, 550, delta=12, msg=era)
        for era in ("L", "W"):
            self.assertEqual(self.run_main('int r = setpwm(0, 50); printf("%d %d\\n", r, getpwm(0));', era).text, "-1 -1")

    def test_asking_for_the_end_of_a_move_takes_time(self) -> None:
        for era, pause in (("C2", 0.001), ("L", 0.0505), ("W", 0.00215)):
            run = self.run_main('int i; double t = systime(); for (i = 0; i < 100; ++i) get_motor_done(0); printf("%.0f\\n", systime() - t);', era)
            self.assertAlmostEqual(float(run.text) / 1000, 100 * pause, delta=0.003, msg=era)

    def test_bad_motor_ports(self) -> None:
        body = 'int a = get_motor_position_counter(7), b = mrp(7, 100, 100), c = get_motor_done(7); printf("%d %d %d\\n", a, b, c);'
        for era, expected in (("C2", "0 -1 -1"), ("L", "65535 -1 -1"), ("W", "0 -1 -1")):
            self.assertEqual(self.run_main(body, era).text.splitlines()[-1], expected, era)

    def test_percent_beyond_100(self) -> None:
        # A CBC rejects it and keeps its state; a Link and a Wombat limit it.
        body = 'motor(0, 50); msleep(500); motor(0, 150); msleep(2000); int a = get_motor_position_counter(0); msleep(1000); printf("%d\\n", get_motor_position_counter(0) - a);'
        for era, expected in (("C2", 550), ("L", 1100)):
            self.assertAlmostEqual(int(self.run_main(body, era).text.splitlines()[-1]), expected, delta=0.02 * expected, msg=era)

    def test_buttons_have_other_names(self) -> None:
        body = 'msleep(1000); printf("%d %d %d %d %d %d\\n", a_button(), c_button(), black_button(), right_button(), up_button(), any_button());'
        for era, button, expected in (("C2", "up", "0 0 0 0 1 0"), ("L", "side", "0 0 1 0 0 1"), ("W", "right", "0 0 1 1 0 1"), ("W", "c", "0 1 0 0 0 1")):
            self.assertEqual(self.run_main(body, era, "--press", f"{button}@0.9s+1s").text, expected, (era, button))

    def test_x_y_and_z_exist_only_when_shown(self) -> None:
        run = self.run_main('msleep(500); int a = x_button(); extra_buttons_show(); int b = x_button(); printf("%d %d %d\\n", a, b, get_extra_buttons_visible());',
                            "L", "--press", "x@0.1s+5s")
        self.assertEqual(run.text, "0 1 1")

    def test_a_click_ends_with_the_release(self) -> None:
        run = self.run_main('while (!a_button_clicked()); printf("clicked\\n");', "L", "--press", "a@1s+500ms")
        self.assertAlmostEqual(run.time_of("clicked"), 1.5, delta=0.012)

    def test_gravity_has_another_unit_on_each_controller(self) -> None:
        for era, expected in (("C1", 1365), ("C2", 64), ("L", 256), ("W", -512)):
            file = self.path / "gravity.c"
            file.write_text('int main() { msleep(500); printf("%d\\n", accel_z()); return 0; }')
            run = self.launch(file, "--era", era)
            self.assertAlmostEqual(int(run.text), expected, delta=0.01 * abs(expected) + 1, msg=era)

    def test_gains_are_read_back_and_change_nothing_on_a_wombat(self) -> None:
        body = ('set_pid_gains(0, 1, 0, 0, 1000, 1, 1); mav(0, 600); msleep(2000); int a = get_motor_position_counter(0); msleep(1000);'
                'printf("%d\\n", get_motor_position_counter(0) - a);')
        self.assertAlmostEqual(int(self.run_main(body, "W").text), 600, delta=12)
        self.assertLess(int(self.run_main(body, "L").text), 60)


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
