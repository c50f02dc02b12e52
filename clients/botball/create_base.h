/* The wheels and sensors of a Create, by its signals: devices whose names begin with create1_, create2_ or create3_. */
#ifndef LS_BB_CREATE_BASE_H
#define LS_BB_CREATE_BASE_H

#include "internal.h"

typedef struct {
  int model;                      /* 1, 2 or 3; 0: the robot has none */
  double track;                   /* between the wheels, m */
  double left_way, right_way;     /* of the wheels since the start, m */
  double left_speed, right_speed; /* commanded now, m/s; they follow the goals with a limited acceleration */
} CreateBase;

/* Finds the devices; the same base at every call. Its model is 0 if there are none. */
CreateBase* ls_bb_create_base(void);

/* Speeds of the wheels from now on, m/s. */
void ls_bb_create_base_drive(double left, double right);

/* A sensor by its name after the prefix, such as "left_bump" or "cliff0"; `missing` if there is none. */
double ls_bb_create_sensor(const char* name, double missing);

/* Signals of 0 to 4095. Of a cliff sensor: level of cliff0 to cliff3, and nearly 0 over an edge. */
int ls_bb_cliff_signal(int index);
bool ls_bb_is_cliff(int index);
/* Of light that something reflects at this distance, m: it falls with the square, and is full at 1 cm. */
int ls_bb_reflected_signal(double distance, double range);

/* Measures the ways of the wheels, and writes their speeds. */
void ls_bb_create_base_exchange(Nanoseconds now);

/* Programs of the robots in a Create 1 or 2 and in a Create 3; called after each measurement. */
void ls_bb_open_interface_exchange(Nanoseconds now);
void ls_bb_create3_exchange(Nanoseconds now);

#endif
