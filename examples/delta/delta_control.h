/* The control law of the delta robot in scenarios/machines/delta.xml: encoder angles in, motor currents out.
 *
 * Each call computes the desired position of the plate, converts it to motor angles (delta_kinematics.h),
 * computes the torques of this motion (computed torque), adds a PD law on the remaining error, and looks up the
 * currents in the table of the motor.
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
  double lead;         /* s from a measurement to the time for which torques are computed */
  double acceleration; /* m/s^2, maximum of the move across */
  double bandwidth;    /* rad/s of the PD law */
} DeltaSettings;

typedef struct {
  DeltaSettings settings;
  int is_started;
  double error_before[3]; /* rad, at the previous call */
} DeltaControl;

/* Settings for a controller that is called once per period: as stiff as that allows. */
DeltaSettings delta_settings(double period, double acceleration);

/* Desired position of the plate at a time: from the centre to the belt, then over and back in a loop, 25 mm up,
 * 305 mm across and 25 mm down each time. */
void delta_path(const DeltaSettings* settings, double time, double p[3], double v[3], double a[3]);

double delta_cycle_time(const DeltaSettings* settings); /* s, over and back */
double delta_start_time(void);                          /* s, when the first cycle begins */

/* Torques at the arms, in N m, for this motion. Returns 0 at a singularity. */
int delta_torques(const DeltaMotion* motion, double torque[3]);

/* Current, in A, for a torque at an arm that turns at a rate (rad/s), limited to the maximum of the motor. */
double delta_current(double torque, double rate);

void delta_start(DeltaControl* control, const DeltaSettings* settings);

/* One call of the law. Returns 0, with zero currents, if the path is out of reach. */
int delta_control(DeltaControl* control, double time, const double angle[3], double current[3]);

#ifdef __cplusplus
}
#endif

#endif
