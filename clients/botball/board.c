/* The controller board: what calls cost, and the exchange with the simulation. Constants and rules are those of the
 * controllers' firmware and libraries.
 *
 * Devices of the robot are found by their names: motor0 to motor3 (a <dc_motor> with an <encoder> named encoder0 …),
 * servo0 to servo3, analog0 to analog7, digital0 to digital9, accelerometer, gyro and panel. The number is that of the
 * plug, counted from 0; programs of some eras count from another number (plug_of_…). */
#include "create_base.h"
#include "internal.h"

Nanoseconds ls_bb_cost(int kind) {
  static const int microseconds[5][3] = {
      {1000, 500, 150},  /* COST_READ */
      {1000, 1000, 150}, /* COST_COMMAND; per access on W */
      {20, 5, 2},        /* COST_TIME */
      {200, 100, 50},    /* COST_PRINT; per line */
      {50, 20, 10},      /* COST_OTHER */
  };
  return microseconds[kind][ls_bb_is_cbc() ? 0 : ls_bb_era - 2] * LS_BB_US;
}

void ls_bb_enter(int kind, int accesses) {
  const bool counts = ls_bb_era == ERA_W && (kind == COST_COMMAND || kind == COST_READ);
  ls_bb_charge(ls_bb_cost(kind) * (counts ? accesses : 1));
}

void ls_bb_board_start(void) {
  ls_bb_motors_start();
  ls_bb_servos_start();
  ls_bb_ports_start();
  ls_bb_imu_start();
  ls_bb_buttons_start();
  ls_bb_game_start();
  ls_bb_display_start();
  ls_bb_camera_start();
  ls_bb_graphics_start();
  ls_bb_create_base();
}

void ls_bb_board_exchange(Nanoseconds now) {
  ls_bb_ports_sample(now);
  ls_bb_motors_exchange(now);
  ls_bb_servos_exchange(now);
  ls_bb_buttons_exchange(now);
  ls_bb_camera_exchange();
  ls_bb_open_interface_exchange(now);
  ls_bb_create3_exchange(now);
  ls_bb_create_base_exchange(now);
}

/* W turns everything off. C and L leave the motors as they are; on L the supervisor stops them at once, on C only the
 * Create stops. */
void ls_bb_board_stop(void) {
  if (!ls_bb_is_cbc()) ls_bb_stop_everything();
  ls_bb_create_stop();
}
