/* The iRobot Create, which robots here do not have yet: the calls of a controller whose Create does not answer. */
#include "internal.h"

int gc_mode, gc_lbump, gc_rbump, gc_ldrop, gc_rdrop, gc_fdrop, gc_lcliff, gc_lfcliff, gc_rfcliff, gc_rcliff;
int gc_lcliff_amt, gc_lfcliff_amt, gc_rfcliff_amt, gc_rcliff_amt, gc_distance, gc_angle, gc_total_angle;
int gc_advance_button, gc_play_button, gc_wall, gc_wall_amt, gc_wall_hb, gc_IR, gc_vel, gc_radius, gc_rvel,
    gc_lvel;
int gc_overcurrents, gc_charge_state, gc_batt_voltage, gc_current_flow, gc_batt_temp, gc_batt_charge,
    gc_batt_capacity;
int gc_digital_in, gc_analog_in, gc_charge_source, gc_leds[3], gc_song_array[16][33];

static void missing(void) {
  ls_bb_enter(COST_OTHER, 1);
  ls_bb_say_once("this robot has no Create; calls for it do nothing");
}

void ls_bb_create_stop(void) {}

/* C tries once; L and W try for ever. */
int create_connect() {
  missing();
  ls_bb_sleep_until(ls_bb_now() + (ls_bb_is_cbc() ? 500 : 300) * LS_BB_MS, "create_connect");
  if (!ls_bb_is_cbc()) ls_bb_wait(&gc_mode, LS_BB_NEVER, "create_connect: this robot has no Create");
  return -1;
}

#define GETTER(name, packet)                     \
  int get_create_##name() {                      \
    missing();                                   \
    return ls_bb_is_cbc() ? 100000 + packet : 0; \
  }
GETTER(lbump, 7)
GETTER(rbump, 7)
GETTER(lwdrop, 7)
GETTER(cwdrop, 7)
GETTER(rwdrop, 7)
GETTER(wall, 8)
GETTER(lcliff, 9)
GETTER(lfcliff, 10)
GETTER(rfcliff, 11)
GETTER(rcliff, 12)
GETTER(vwall, 13)
GETTER(overcurrents, 14)
GETTER(infrared, 17)
GETTER(advance_button, 18)
GETTER(play_button, 18)
GETTER(distance, 19)
GETTER(total_angle, 20)
GETTER(normalized_angle, 20)
GETTER(battery_charging_state, 21)
GETTER(battery_voltage, 22)
GETTER(battery_current, 23)
GETTER(battery_temp, 24)
GETTER(battery_charge, 25)
GETTER(battery_capacity, 26)
GETTER(wall_amt, 27)
GETTER(lcliff_amt, 28)
GETTER(lfcliff_amt, 29)
GETTER(rfcliff_amt, 30)
GETTER(rcliff_amt, 31)
GETTER(bay_DI, 32)
GETTER(bay_AI, 33)
GETTER(mode, 35)
GETTER(song_number, 36)
GETTER(song_playing, 37)
GETTER(number_of_stream_packets, 38)
GETTER(requested_velocity, 39)
GETTER(requested_radius, 40)
GETTER(requested_right_velocity, 41)
GETTER(requested_left_velocity, 42)
GETTER(llightbump, 45)
GETTER(lflightbump, 45)
GETTER(lclightbump, 45)
GETTER(rclightbump, 45)
GETTER(rflightbump, 45)
GETTER(rlightbump, 45)
GETTER(llightbump_amt, 46)
GETTER(lflightbump_amt, 47)
GETTER(lclightbump_amt, 48)
GETTER(rclightbump_amt, 49)
GETTER(rflightbump_amt, 50)
GETTER(rlightbump_amt, 51)
GETTER(baud_rate, 0)

#define COMMAND(name) \
  int name() {        \
    missing();        \
    return 0;         \
  }
COMMAND(_create_get_raw_encoders)
COMMAND(set_create_baud_rate)
COMMAND(set_create_distance)
COMMAND(set_create_normalized_angle)
COMMAND(set_create_total_angle)
COMMAND(create_connect_once)
COMMAND(create_disconnect)
COMMAND(create_start)
COMMAND(create_passive)
COMMAND(create_safe)
COMMAND(create_full)
COMMAND(create_spot)
COMMAND(create_cover)
COMMAND(create_cover_dock)
COMMAND(create_demo)
COMMAND(create_stop)
COMMAND(create_drive)
COMMAND(create_drive_direct)
COMMAND(create_drive_straight)
COMMAND(create_spin_CW)
COMMAND(create_spin_CCW)
COMMAND(create_spin_block)
COMMAND(create_load_song)
COMMAND(ls_bb_create_load_song_number)
COMMAND(create_play_song)
COMMAND(create_advance_led)
COMMAND(create_play_led)
COMMAND(create_power_led)
COMMAND(create_digital_output)
COMMAND(create_low_side_drivers)
COMMAND(create_pwm_low_side_drivers)
COMMAND(create_read_block)
COMMAND(create_write_byte)
COMMAND(create_clear_serial_buffer)
COMMAND(create_mode)
COMMAND(create_sensor_update)
COMMAND(create_wall)
COMMAND(create_buttons)
COMMAND(create_bumpdrop)
COMMAND(create_cliffs)
COMMAND(create_angle)
COMMAND(create_distance)
COMMAND(create_velocity)
COMMAND(create_read_IR)
COMMAND(create_overcurrents)
COMMAND(create_battery_charge)
COMMAND(create_cargo_bay_inputs)
COMMAND(serial_init)
COMMAND(serial_quit)
COMMAND(serial_read)
COMMAND(serial_write)
COMMAND(serial_read_byte)
COMMAND(serial_wryte_byte)
COMMAND(serial_flush)
COMMAND(serial_flush_input)
COMMAND(serial_flush_output)
