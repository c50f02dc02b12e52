/* Forward and inverse kinematics of a delta robot.
 *
 * The origin of the frame is the centre between the three motor axes, z up. Arm i points along
 * u_i = (cos, sin, 0) of 0, 120 and 240 degrees; its angle q_i is positive downwards from horizontal. With
 *
 *   elbow   e_i = base u_i + arm (cos q_i u_i - sin q_i z)
 *   wrist   w_i = p + plate u_i
 *
 * the rods keep |w_i - e_i| = rod and the plate horizontal. Metres, radians, seconds.
 */
#ifndef DELTA_KINEMATICS_H
#define DELTA_KINEMATICS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double base;  /* from the centre to a motor axis */
  double arm;   /* from a motor axis to an elbow */
  double rod;   /* from an elbow to a wrist */
  double plate; /* from the centre of the plate to a wrist */
} DeltaGeometry;

/* Motion of plate and motors at one instant. */
typedef struct {
  double p[3], v[3], a[3];      /* plate: position, velocity, acceleration */
  double q[3], rate[3], acc[3]; /* motors: angle and its derivatives */
  double elbow_acc[3][3];       /* of each elbow */
} DeltaMotion;

/* Motor angles for the plate at p, with the elbows pointing outwards. Returns 0 if it is out of reach. */
int delta_inverse(const DeltaGeometry* geometry, const double p[3], double q[3]);

/* Position of the plate, below the elbows. Returns 0 if the rods cannot meet. */
int delta_forward(const DeltaGeometry* geometry, const double q[3], double p[3]);

/* k = dq/dp: the rates of the motors are k times the velocity of the plate. Returns 0 at a singularity. */
int delta_inverse_jacobian(const DeltaGeometry* geometry, const double p[3], const double q[3], double k[3][3]);

/* de_i/dq_i: how the elbow of arm i (0 to 2) moves as its motor turns. */
void delta_elbow_lever(const DeltaGeometry* geometry, int i, double q, double lever[3]);

/* Solves transpose(k) torque = force: the motor torques for a force on the plate. Returns 0 if k
 * is singular. */
int delta_torques_for_force(const double k[3][3], const double force[3], double torque[3]);

/* Fills in the motors and elbows for the p, v and a of the plate. Returns 0 if it is out of reach. */
int delta_inverse_motion(const DeltaGeometry* geometry, DeltaMotion* motion);

#ifdef __cplusplus
}
#endif

#endif
