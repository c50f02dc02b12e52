/* What the files of the Botball library share. Names begin with ls_bb_: a program may use any other.
 *
 * A program runs in virtual time. Its threads are coroutines of one thread of the system, and exactly one runs at a
 * time: the one with the smallest (virtual time, index). Every call of the library costs virtual time; when a thread
 * passes the end of the current exchange period, the simulation advances. Nothing here looks at the wall clock. */
#ifndef LS_BB_INTERNAL_H
#define LS_BB_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef int64_t Nanoseconds;
#define LS_BB_US 1000LL
#define LS_BB_MS 1000000LL
#define LS_BB_S 1000000000LL
#define LS_BB_NEVER INT64_MAX

enum { ERA_C1 = 1, ERA_C2 = 2, ERA_L = 3, ERA_W = 4 };
extern int ls_bb_era;
static inline bool ls_bb_is_cbc(void) {
  return ls_bb_era <= ERA_C2;
}

/* scheduler.c: time and threads. */

typedef struct Thread Thread;

Nanoseconds ls_bb_now(void);    /* virtual time of the running thread since the start of the run */
Thread* ls_bb_running(void);    /* NULL outside of the program's threads */
int ls_bb_index(const Thread*); /* main is 0; others count up in the order of their creation */
const char* ls_bb_name(const Thread*);

/* A call of the library that takes this long; other threads and the simulation run meanwhile. */
void ls_bb_charge(Nanoseconds cost);
/* The same without giving others a chance, for places that cannot be interrupted: they run at the next point. */
void ls_bb_owe(Nanoseconds cost);
void ls_bb_sleep_until(Nanoseconds time, const char* what);

/* NULL if there are too many. `what` is its name in reports. */
Thread* ls_bb_create_thread(void (*function)(void*), void* argument, const char* what);
void ls_bb_kill_thread(Thread*);                /* not the running one */
_Noreturn void ls_bb_exit_thread(void* result); /* the running one */
bool ls_bb_is_thread_over(const Thread*);
void* ls_bb_thread_result(const Thread*);

/* Blocks the running thread until another one wakes `key`, in the order of waiting, or the time has come; whether it
 * was woken. */
bool ls_bb_wait(const void* key, Nanoseconds deadline, const char* what);
void ls_bb_wake_first(const void* key);
void ls_bb_wake_all(const void* key);
/* Called at a virtual time, not by a thread of the program. It must not block. */
void ls_bb_add_timer(Nanoseconds time, void (*function)(void));

/* Ends the program: its handlers of atexit() have run. Motors and servos stop as in the era. */
_Noreturn void ls_bb_end(const char* reason);
void ls_bb_mark_end(const char* reason); /* the same from a timer */

/* Lines of the library itself in the console. */
void ls_bb_say(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Once per text. */
void ls_bb_say_once(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* The signals of the simulation. -1: not there. */
int ls_bb_find_read(const char* device, const char* signal); /* signal NULL: the first of the device */
int ls_bb_find_write(const char* device, const char* signal);
double ls_bb_read(int signal);              /* at the last exchange */
void ls_bb_write(int signal, double value); /* only in ls_bb_board_exchange() */

/* board.c: the controller board. */

void ls_bb_board_start(void);
void ls_bb_board_exchange(Nanoseconds now); /* writes the commands of this instant */
void ls_bb_board_stop(void);                /* what the era does when a program ends */

/* Kinds of calls by their cost. */
enum { COST_READ, COST_COMMAND, COST_TIME, COST_PRINT, COST_OTHER };
Nanoseconds ls_bb_cost(int kind);
/* A call of this kind, which takes `accesses` transfers on controllers that count them. */
void ls_bb_enter(int kind, int accesses);

/* Parts of the board. _start finds the signals, _exchange writes the commands of an instant. */
void ls_bb_motors_start(void);
void ls_bb_motors_exchange(Nanoseconds now);
void ls_bb_motors_off(void);
void ls_bb_servos_start(void);
void ls_bb_servos_exchange(Nanoseconds now);
void ls_bb_servos_off(void);
void ls_bb_ports_start(void);
void ls_bb_ports_sample(Nanoseconds now);
void ls_bb_imu_start(void);
void ls_bb_buttons_start(void);
bool ls_bb_is_pressed(const char* button);
bool ls_bb_is_start_light_on(void);
Nanoseconds ls_bb_start_time(void); /* LS_BB_NEVER if it was not given with the run */
void ls_bb_buttons_exchange(Nanoseconds now);
void ls_bb_press_later(const char* button, Nanoseconds delay);
void ls_bb_wait_for_press(const char* button); /* and its release */
void ls_bb_switch_lamp(bool is_on);            /* from now on only so */
bool ls_bb_can_switch_lamp(void);
void ls_bb_display_start(void);
void ls_bb_camera_start(void);
void ls_bb_graphics_start(void);
void ls_bb_camera_exchange(void);
void ls_bb_game_start(void);
void ls_bb_stop_everything(void); /* game.c */
void ls_bb_kill_processes(void);  /* threads.c */

/* create.c: the Create. */
void ls_bb_create_stop(void);

/* console.c: the standard streams of the program. */
void ls_bb_console_start(void);
void ls_bb_console_flush(void);
ssize_t ls_bb_console_write(void* cookie, const char* text, size_t size);
ssize_t ls_bb_console_read(void* cookie, char* buffer, size_t size);

void ls_bb_run_exit_handlers(void); /* libc.c: of atexit() */

/* The program. */
extern int ls_bb_user_main(int argc, char** argv);

#endif
