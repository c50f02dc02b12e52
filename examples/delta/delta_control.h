/* The control law of the delta robot in scenarios/machines/delta.xml: encoder angles in, motor currents out.
 *
 * Each call plans where the plate has to be, turns that into motor angles (delta_kinematics.h), computes the
 * torques that this motion needs (computed torque), adds a PD law on what is left of the error, and looks up
 * the currents in the table of the motor.
 */
#ifndef DELTA_CONTROL_H
#define DELTA_CONTROL_H

#include "delta_kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const DeltaGeometry kDeltaGeometry; /* that of scenarios/machines/delta.xml */

typedef struct {
  double period;       /* s between two calls */
  double lead;         /* s from a measurement to the moment for which torques are computed */
  double acceleration; /* m/s^2, the largest on the way across */
  double bandwidth;    /* rad/s of the PD law */
} DeltaSettings;

typedef struct {
  DeltaSettings settings;
  int is_started;
  double error_before[3]; /* rad, at the call before */
} DeltaControl;

/* Settings for a controller that is called once per period: as stiff as that allows. */
DeltaSettings delta_settings(double period, double acceleration);

/* Where the plate has to be at a time: from the middle to the belt, then over and back without end, 25 mm up,
 * 305 mm across and 25 mm down each time. */
void delta_path(const DeltaSettings* settings, double time, double p[3], double v[3], double a[3]);

double delta_cycle_time(const DeltaSettings* settings); /* s, over and back */
double delta_start_time(void);                          /* s, when the first cycle begins */

/* Torques at the arms, in N m, that make the machine move so. Returns 0 at a singular place. */
int delta_torques(const DeltaMotion* motion, double torque[3]);

/* Current, in A, that gives a torque at an arm that turns at a rate (rad/s). At most what the motor takes. */
double delta_current(double torque, double rate);

void delta_start(DeltaControl* control, const DeltaSettings* settings);

/* One call of the law. Returns 0, with zero currents, if the path leads out of reach. */
int delta_control(DeltaControl* control, double time, const double angle[3], double current[3]);

#ifdef __cplusplus
}
#endif

#endif
