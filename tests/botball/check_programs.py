#!/usr/bin/env python3
"""What surrounds a program: several programs on one table, its keyboard, its files, its graphics, and the start light."""

import os
import struct
import subprocess
import unittest
from pathlib import Path

from botball import RIG, BotballTest, Run


class Several(BotballTest):
    def make_table(self) -> str:
        """The rig twice: the robots 'red' and 'blue', 5 m apart, each with a ball of its own."""
        text = Path(RIG).read_text()
        robot = text[text.index("  <robot"):text.index("</robot>") + 8]
        ball = next(line for line in text.splitlines() if 'name="ball"' in line)
        red = robot.replace('<robot name="rig"', '<robot name="red"')
        blue = robot.replace('<robot name="rig" position="0 0 1"', '<robot name="blue" position="0 5 1"')
        file = self.path / "table.xml"
        file.write_text(text.replace(robot, red + "\n" + blue).replace(
            ball, ball + "\n" + ball.replace('"ball"', '"ball2"').replace("2 0 5.005", "2 5 5.005")))
        return str(file)

    def drive(self, table: str, *options: object) -> Run:
        for name, loop in (("red", "while (digital(0) == 0) ++n;"), ("blue", "while (gmpc(0) < 700) ++n;")):
            (self.path / f"{name}.c").write_text(
                f'int main() {{ int n = 0; mav(0, 500); {loop} printf("{name} %d %d\\n", n, gmpc(0)); msleep(100); return 0; }}')
        return self.launch(self.path / "red.c", "--robot", "red", "--drive", f"blue={self.path}/blue.c", "--era", "W",
                           "--scenario", table, *options)

    def test_two_programs_drive_two_robots_in_one_time(self) -> None:
        table = self.make_table()
        first = self.drive(table)
        self.assertEqual([(each["robot"], each["end"]) for each in first.result["programs"]],
                         [("red", "main returned"), ("blue", "main returned")])
        # Red waits for the ball, 1 s; blue for 700 ticks at 500 ticks/s, and the start.
        self.assertAlmostEqual(first.time_of("red: red"), 1.0, delta=0.003)
        self.assertAlmostEqual(first.time_of("blue: blue"), 1.4, delta=0.1)
        again = self.drive(table)
        self.assertEqual((sorted(again.console), again.result["hash"]), (sorted(first.console), first.result["hash"]))

    def test_a_robot_without_a_program_stays_as_it_is(self) -> None:
        (self.path / "one.c").write_text('int main() { mav(0, 500); msleep(1000); printf("%d\\n", gmpc(0) > 400); return 0; }')
        run = self.launch(self.path / "one.c", "--robot", "blue", "--era", "W", "--scenario", self.make_table())
        self.assertEqual(run.text, "1", run.errors)

    def test_mistakes_in_the_options_are_named(self) -> None:
        (self.path / "one.c").write_text("int main() { return 0; }")
        for options, message in ((("--drive", "blue"), "--drive: error: 'blue'; expected ROBOT=PROGRAM"),
                                 (("--drive", f"blue={self.path}/one.c"), "--robot: error: is needed for the first program"),
                                 (("--robot", "green"), "green")):
            run = self.launch(self.path / "one.c", *options, "--scenario", self.make_table())
            self.assertEqual(run.code, 2)
            self.assertIn(message, run.errors)

    def test_a_killed_program_does_not_end_the_others(self) -> None:
        table = self.make_table()
        (self.path / "bad.c").write_text("int main() { msleep(200); *(volatile int *)8 = 1; return 0; }")
        (self.path / "good.c").write_text('int main() { msleep(1500); printf("good\\n"); return 0; }')
        run = self.launch(self.path / "bad.c", "--robot", "red", "--drive", f"blue={self.path}/good.c", "--era", "W", "--scenario", table)
        self.assertIn("good", run.text)
        self.assertEqual([each["end"] for each in run.result["programs"]], ["crash: invalid memory access in thread main", "main returned"])
        self.assertEqual(run.code, 1)

    def test_memory_that_is_overwritten_hurts_only_the_program(self) -> None:
        # The kernel writes random bytes wherever it may: over the C library, the library, and the shared memory.
        run = self.run_text("""
            #include <sys/mman.h>
            long sys3(long n, long a, long b, long c) { long r = n;
              __asm__ volatile("syscall" : "+a"(r) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory"); return r; }
            int main() { char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); long i; mav(0, 500); msleep(500);
              for (i = 0; i < 40000; ++i) sys3(318, (long)(p + i * 4096), 4096, 0);
              msleep(100); return 0; }""", "W", "--set", "//wire/@timeout=3 s")
        self.assertEqual(run.code, 1)
        self.assertIn(run.result["status"], ("stopped", "done", "finished", "ok"), run.result["status"])
        self.assertFalse(run.program["end"] == "main returned")


class Surroundings(BotballTest):
    def test_the_keyboard_is_a_file(self) -> None:
        file = self.path / "keys.txt"
        file.write_text("12\nhello world\n")
        run = self.run_main('int n; char line[40]; scanf("%d", &n); getchar(); fgets(line, 40, stdin);'
                            'printf("%d %s%d\\n", n, line, getchar());', "L", "--input", file)
        self.assertEqual(run.text, "12 hello world\n-1")

    def test_the_console_is_written_without_times(self) -> None:
        file = self.path / "console.txt"
        self.run_main('printf("a"); msleep(500); printf("b\\n"); console_clear(); printf("c\\n");', "W", "--console", file)
        self.assertEqual(file.read_bytes(), b"ab\n\x0cc\n")

    def test_a_display_keeps_its_rows(self) -> None:
        run = self.run_main('display_printf(0, 1, "speed %d", 7); display_printf(6, 1, "%d", 9); display_printf(43, 2, "next");', "L")
        self.assertEqual(run.text.splitlines(), ["speed 7", "speed 9", "next"])

    def test_graphics_are_an_image(self) -> None:
        file = self.path / "window.bmp"
        run = self.run_main('printf("%d ", graphics_open(50, 30)); printf("%d\\n", graphics_open(9, 9)); graphics_fill(10, 20, 30);'
                            'graphics_rectangle_fill(10, 5, 20, 8, 255, 0, 0); graphics_pixel(49, 29, 1, 2, 3); graphics_pixel(50, 30, 9, 9, 9);'
                            'graphics_line(0, 29, 49, 29, 0, 255, 0); graphics_pixel(49, 29, 1, 2, 3); graphics_circle_fill(30, 15, 4, 0, 0, 255);'
                            'unsigned char two[] = {7, 8, 9, 4, 5, 6}; graphics_blit(two, 0, 0, 2, 1); graphics_update();', "W", "--graphics", file)
        self.assertEqual(run.text, "1 0")
        data = file.read_bytes()
        width, height = struct.unpack_from("<ii", data, 18)
        self.assertEqual((width, height), (50, -30))

        def pixel(x: int, y: int) -> tuple:
            at = 54 + y * ((3 * width + 3) // 4 * 4) + 3 * x
            return data[at + 2], data[at + 1], data[at]

        for place, color in (((25, 25), (10, 20, 30)), ((10, 5), (255, 0, 0)), ((20, 8), (255, 0, 0)), ((21, 8), (10, 20, 30)), ((49, 29), (1, 2, 3)),
                             ((0, 29), (0, 255, 0)), ((30, 15), (0, 0, 255)), ((26, 15), (0, 0, 255)), ((34, 15), (10, 20, 30)),
                             ((0, 0), (7, 8, 9)), ((1, 0), (4, 5, 6))):
            self.assertEqual(pixel(*place), color, place)

    def test_an_operator_repeats_a_calibration_without_a_difference(self) -> None:
        # Nothing on port 0 sees the lamp. Each try takes 2 x 0.5 s and a pause of 5 s.
        scenario = self.path / "lamp.xml"
        scenario.write_text(Path(RIG).read_text().replace("panel/running", "panel/running panel/start"))
        run = self.run_main("wait_for_light(0);", "L", "--operator", "--for", "13s", scenario=str(scenario))
        self.assertEqual(sum("Bad calibration" in text for _, text in run.console), 2)
        self.assertAlmostEqual(run.time_of("Bad calibration"), 1.0, delta=0.1)
        self.assertIn("Turn the light", run.text)

    def test_the_start_light_starts(self) -> None:
        for era in ("C1", "C2", "L", "W"):
            run = self.run_main('wait_for_light(0); printf("go\\n");', era, "--start", "2.5s")
            self.assertAlmostEqual(run.time_of("go"), 2.5, delta=0.03, msg=era)


class Files(BotballTest):
    def test_headers_by_their_path_on_a_controller_are_found(self) -> None:
        (self.path / "speeds.h").write_text("#define FAST 100\n")
        run = self.run_text('#include "/home/root/Documents/KISS/team/speeds.h"\nint main() { printf("%d\\n", FAST); return 7 / (FAST - 100); }\n')
        self.assertEqual(run.text, "100")
        self.assertIn("note: '/home/root/Documents/KISS/team/speeds.h' is", run.errors)
        self.assertTrue(run.program["place"].endswith("program.c:2"), run.program["place"])

    def test_other_files_of_the_folder_are_compiled_when_needed(self) -> None:
        (self.path / "moves.c").write_text("int twice(int x) { return 2 * x; }\n")
        (self.path / "other.c").write_text("int main() { return 1; }\n")
        run = self.run_text('int twice(int); int main() { printf("%d\\n", twice(21)); return 0; }')
        self.assertEqual(run.text, "42")
        self.assertIn("moves.c: note: also compiled", run.errors)

    def test_a_missing_function_is_named(self) -> None:
        run = self.run_text("int main() { no_such_function(1); return 0; }")
        self.assertEqual(run.code, 2)
        self.assertIn("undefined reference to `no_such_function'", run.errors)

    def test_data_of_a_project_is_there(self) -> None:
        for name, text in (("src/main.c", '#include <kipr/wombat.h>\nint main() { char t[9]; FILE *f = fopen("speeds.txt", "r"); printf("%s\\n", fgets(t, 9, f)); return 0; }'),
                           ("data/speeds.txt", "fast")):
            (self.path / name).parent.mkdir(exist_ok=True)
            (self.path / name).write_text(text)
        self.assertEqual(self.launch(self.path, "--scenario", RIG).text, "fast")

    def test_a_built_program_is_a_file(self) -> None:
        (self.path / "one.c").write_text("int main() { return 0; }")
        done = subprocess.run([os.environ["LOCKSTEP"], "botball", "build", self.path / "one.c", "-o", self.path / "robot"], check=False, capture_output=True)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(os.access(self.path / "robot", os.X_OK))


if __name__ == "__main__":
    unittest.main()
