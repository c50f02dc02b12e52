#!/usr/bin/env python3
"""Programs in virtual time: what loops, threads, timers and ends of programs must give, by the rules of the controllers.
The tolerances are costs of calls: 150 us for reading a sensor on W, 1 ms for a loop that calls nothing."""

import unittest

from botball import RIG, BotballTest

READ = 0.00015  # s, W
PRINTED = 0.001  # s: times are printed to the millisecond


class Loops(BotballTest):
    def test_a_loop_that_polls_a_sensor_ends_within_one_poll_of_the_event(self) -> None:
        # A ball falls 4.905 m: 1 s.
        run = self.run_main('int polls = 0; while (digital(0) == 0) ++polls; printf("%d polls\\n", polls);')
        self.assertAlmostEqual(run.time_of(""), 1.0, delta=0.003)
        polls = int(run.text.split()[0])
        self.assertAlmostEqual(polls, 1.0 / READ, delta=30)
        again = self.run_main('int polls = 0; while (digital(0) == 0) ++polls; printf("%d polls\\n", polls);')
        self.assertEqual(again.text, run.text)

    def test_an_empty_loop_on_a_button_ends_when_it_is_pressed(self) -> None:
        run = self.run_main('while (a_button() == 0); printf("pressed\\n");', "W", "--press", "a@2.345s")
        self.assertAlmostEqual(run.time_of("pressed"), 2.345, delta=READ + PRINTED)

    def test_a_loop_on_the_clock_takes_its_time_also_in_a_float(self) -> None:
        for era in ("C2", "L", "W"):
            run = self.run_main('float t0 = seconds(); while (seconds() < t0 + 5); printf("done\\n");', era)
            self.assertAlmostEqual(run.time_of("done"), 5.0, delta=0.002, msg=era)

    def test_the_clocks_of_the_c_library_agree(self) -> None:
        run = self.run_text("""
            #include <sys/time.h>
            #include <time.h>
            int main() {
              struct timeval a; struct timespec b;
              time_t t = time(0);
              msleep(2500);
              gettimeofday(&a, 0);
              clock_gettime(CLOCK_MONOTONIC, &b);
              printf("%ld %ld %ld %.2f\\n", (long)t, (long)a.tv_sec, (long)b.tv_sec, seconds());
            }""")
        self.assertEqual(run.text, "1000 1002 1002 1002.50")

    def test_a_loop_without_calls_sees_what_another_thread_sets(self) -> None:
        run = self.run_main("""
            thread t = thread_create(set);
            thread_start(t);
            while (!flag);
            printf("seen\\n");""", before="int flag; void set() { msleep(250); flag = 1; }")
        # 0.1 ms to create the thread, and at most 1 ms per turn of the loop.
        self.assertAlmostEqual(run.time_of("seen"), 0.250, delta=0.0025)

    def test_computing_is_free_but_a_loop_for_ever_is_not(self) -> None:
        run = self.run_main("""
            int i, sum = 0;
            for (i = 0; i < 20000; ++i) sum += i;
            printf("computed\\n");
            for (;;) sum += i;""", "W", "--for", "0.2s")
        self.assertEqual(run.time_of("computed"), 0.0)
        self.assertEqual(run.program["end"], "time limit")
        self.assertEqual(run.program["threads"][0]["waits_for"], "a loop that calls no function of the library")

    def test_sleeping_is_exact_and_negative_times_are_none(self) -> None:
        run = self.run_main('int i; for (i = 0; i < 1000; ++i) msleep(1); msleep(-5); msleep(0); printf("done\\n");')
        self.assertAlmostEqual(run.time_of("done"), 1.0, delta=PRINTED)


class Threads(BotballTest):
    def test_four_threads_that_step_servos_give_the_same_trace_in_every_run(self) -> None:
        program = """
            void step(int port, int pause) { int p; for (p = 0; p < 400; p += 25) {
              set_servo_position(port, p); printf("%d %d\\n", port, get_servo_position(port)); msleep(pause); } }
            void a() { step(0, 1); } void b() { step(1, 7); } void c() { step(2, 13); } void d() { step(3, 20); }
            int main() {
              thread t[4] = {thread_create(a), thread_create(b), thread_create(c), thread_create(d)};
              int i;
              for (i = 0; i < 4; ++i) thread_start(t[i]);
              for (i = 0; i < 4; ++i) thread_wait(t[i]);
              printf("all\\n");
              return 0; }"""
        first = self.run_text(program)
        self.assertIn("all", first.text)
        for _ in range(4):
            again = self.run_text(program)
            self.assertEqual((again.console, again.result["hash"]), (first.console, first.result["hash"]))

    def test_a_thread_that_is_destroyed_in_a_long_sleep_never_goes_on(self) -> None:
        run = self.run_main("""
            thread t = thread_create(f);
            thread_start(t);
            msleep(500);
            thread_destroy(t);
            msleep(1000);
            printf("end\\n");""", before='void f() { printf("start\\n"); msleep(1000); printf("never\\n"); }')
        self.assertEqual(run.text, "start\nend")
        self.assertAlmostEqual(run.time_of("end"), 1.5, delta=PRINTED)

    def test_the_return_of_main_ends_every_thread(self) -> None:
        run = self.run_main("thread_start(thread_create(f)); msleep(100);", before="void f() { while (1) msleep(10); }")
        self.assertEqual(run.program["end"], "main returned")
        self.assertAlmostEqual(run.program["time"], 0.1, delta=PRINTED)

    def test_mutexes_let_waiters_in_by_their_order(self) -> None:
        run = self.run_main("""
            m = mutex_create();
            mutex_lock(m);
            thread_start(thread_create(f)); msleep(1); thread_start(thread_create(g));
            msleep(100); mutex_unlock(m); msleep(100);""", before="""
            mutex m; void f() { mutex_lock(m); printf("f\\n"); msleep(10); mutex_unlock(m); }
            void g() { mutex_lock(m); printf("g\\n"); mutex_unlock(m); }""")
        self.assertEqual(run.text, "f\ng")
        self.assertAlmostEqual(run.time_of("f"), 0.101, delta=PRINTED)
        self.assertAlmostEqual(run.time_of("g"), 0.111, delta=PRINTED)

    def test_posix_threads_barriers_and_conditions_work(self) -> None:
        run = self.run_text("""
            #include <pthread.h>
            #include <unistd.h>
            pthread_barrier_t all; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
            pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;
            void *f(void *x) { usleep(250000); pthread_barrier_wait(&all); sleep(1);
              pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return x; }
            int main() { pthread_t t; void *r; pthread_barrier_init(&all, 0, 2);
              pthread_create(&t, 0, f, (void *)7); pthread_barrier_wait(&all); printf("met\\n");
              pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
              printf("ready\\n"); pthread_join(t, &r); printf("%ld\\n", (long)r); }""")
        self.assertEqual(run.text, "met\nready\n7")
        self.assertAlmostEqual(run.time_of("met"), 0.25, delta=PRINTED)
        self.assertAlmostEqual(run.time_of("ready"), 1.25, delta=PRINTED)


class Ends(BotballTest):
    def test_shut_down_in_ends_a_program_that_stays_in_a_loop(self) -> None:
        for era in ("L", "W"):
            run = self.run_main("shut_down_in(2); while (1);", era)
            self.assertEqual(run.program["end"], "shut_down_in", era)
            self.assertAlmostEqual(run.program["time"], 2.0, delta=0.002, msg=era)
            self.assertEqual(run.code, 0)

    def test_a_cbc_goes_on_after_shut_down_in(self) -> None:
        run = self.run_main('shut_down_in(2); while (!Bb_Game_Over) msleep(10); sleep(1); printf("main\\n");', "C2")
        self.assertAlmostEqual(run.time_of("Game over"), 2.0, delta=0.002)
        self.assertAlmostEqual(run.time_of("main"), 3.0, delta=0.02)

    def test_text_without_a_newline_is_there_after_an_abort(self) -> None:
        run = self.run_main('printf("x"); abort();')
        self.assertEqual(run.text, "x")
        self.assertEqual(run.program["end"], "abort()")
        self.assertEqual(run.code, 1)

    def test_exit_runs_the_handlers_in_virtual_time(self) -> None:
        run = self.run_main('atexit(bye); msleep(100); exit(3);', before='void bye() { msleep(50); printf("bye\\n"); }')
        self.assertAlmostEqual(run.time_of("bye"), 0.15, delta=PRINTED)
        self.assertEqual(run.program["end"], "exit(3)")

    def test_crashes_name_the_line_the_time_and_the_thread(self) -> None:
        for statement, what in (("x = 7 / zero;", "division by zero"), ("*p = 1;", "invalid memory access"),
                                ("x = f(1);", "invalid memory access"), ("strcpy(p, q);", "invalid memory access")):
            run = self.run_text(f"int zero, x; int *p; char q[9] = \"text\";\nint f(int n) {{ char big[1000]; return f(n + 1) + big[n % 7]; }}\n"
                                f"int main()\n{{\nmsleep(1234);\n{statement}\nreturn 0;\n}}\n")
            self.assertEqual(run.program["end"], f"crash: {what} in thread main", run.errors)
            self.assertAlmostEqual(run.program["time"], 1.234, delta=PRINTED)
            line = 2 if "f(1)" in statement else 6
            self.assertTrue(run.program["place"].endswith(f"program.c:{line}"), run.program["place"])
            self.assertEqual(run.code, 1)

    def test_a_deadlock_says_who_waits_for_what(self) -> None:
        run = self.run_main("mutex m = mutex_create(); mutex_lock(m); mutex_lock(m);", "W", "--for", "1s")
        self.assertEqual(run.program["threads"], [{"thread": "main", "waits_for": "mutex_lock"}])
        self.assertTrue(any("deadlock" in note for note in run.notes), run.notes)

    def test_a_program_that_waits_for_ever_says_for_what(self) -> None:
        run = self.run_main("mav(0, 100); bmd(0);", "W", "--for", "1s")
        self.assertEqual(run.program["end"], "time limit")
        self.assertIn(run.program["threads"][0]["waits_for"], ("the end of the move of motor 0", "get_motor_done"))
        run = self.run_main("wait_for_light(3);", "W", "--for", "1s")
        self.assertEqual(run.program["threads"][0]["waits_for"], "the start light")

    def test_reading_the_keyboard_gets_the_end_of_the_file(self) -> None:
        run = self.run_main('printf("%d %d\\n", getchar(), scanf("%*d"));')
        self.assertEqual(run.text, "-1 -1")

    def test_nothing_outside_is_reached(self) -> None:
        run = self.run_main(f"""
            printf("%d\\n", system("touch {self.path}/made"));
            printf("%d\\n", fopen("{self.path}/program.c", "r") != 0);
            FILE *f = fopen("notes.txt", "w"); fputs("hi", f); fclose(f);
            char text[9]; f = fopen("/notes.txt", "r"); printf("%s\\n", fgets(text, 9, f));""")
        self.assertEqual(run.text, "0\n0\nhi")
        self.assertFalse((self.path / "made").exists())

    def test_random_numbers_are_the_same_everywhere(self) -> None:
        body = 'srand(time(0)); printf("%d %d\\n", rand() % 1000, rand() % 1000);'
        self.assertEqual(self.run_main(body).text, self.run_main(body).text)


class Texts(BotballTest):
    def test_own_names_win_over_those_of_the_libraries(self) -> None:
        run = self.run_text("""
            int time = 3;
            void stop() { printf("own stop\\n"); }
            int close(int x) { return 2 * x; }
            int open;
            void create_drive(int a, int b) { printf("own create_drive %d\\n", a + b); }
            int listen(int x) { return x + 1; }
            int main() { stop(); create_drive(1, 2); printf("%d %d\\n", close(4) + listen(1), time); return 0; }""")
        self.assertEqual(run.text, "own stop\nown create_drive 3\n10 3")

    def test_odd_files_compile(self) -> None:
        run = self.run_text('\ufeff#define LONG \\\r\n 7\r\nvoid main()\r\n{\r\n printf("%d\\n", LONG);\r\n}', "L",
                            name="team's first [try].c")
        self.assertEqual(run.text, "7")

    def test_implicit_declarations_and_common_variables_compile(self) -> None:
        (self.path / "shared.h").write_text("int counter;\n")
        (self.path / "other.c").write_text('#include "shared.h"\nvoid more() { counter += 2; }\n')
        (self.path / "main.c").write_text('#include "shared.h"\nint main() { counter = 1; more(); printf("%d\\n", counter); }\n')
        run = self.launch(self.path / "main.c", self.path / "other.c", "--scenario", RIG)
        self.assertEqual(run.text, "3")

    def test_a_project_folder_is_compiled_as_on_a_wombat(self) -> None:
        (self.path / "src").mkdir()
        (self.path / "include").mkdir()
        (self.path / "include/own.h").write_text("#define OWN 5\n")
        (self.path / "src/main.c").write_text("#include <kipr/wombat.h>\n#include <own.h>\nint f();\nint main() { printf(\"%d\\n\", f() + OWN); }\n")
        (self.path / "src/f.c").write_text("int f() { return 2; }\n")
        run = self.launch(self.path, "--scenario", RIG)
        self.assertEqual(run.text, "7")

    def test_errors_of_the_compiler_have_the_line_of_the_user(self) -> None:
        run = self.run_text("int main()\n{\n  motor(0, 50)\n  return 0;\n}\n")
        self.assertEqual(run.code, 2)
        self.assertRegex(run.errors, r"program\.c:3:15: error: expected ‘;’")

    def test_the_era_is_found_from_the_program(self) -> None:
        for text, era in (("#include <kipr/wombat.h>\n", "W"), ("#include <kovan/kovan.h>\n", "L"),
                          ("void g() { run_for(3, 0); }\n", "C2"), ("void g() { display_printf(0, 0, 0); }\n", "L"),
                          ("void g() { sleep(.5); set_servo_position(4, 100); }\n", "C1")):
            file = self.path / "e.c"
            file.write_text(text + "int main() { return 0; }\n")
            self.assertEqual(self.launch(file, "--scenario", RIG).program["era"], era, text)




if __name__ == "__main__":
    unittest.main()
