#include "delta_control.h"

#include <math.h>

const DeltaGeometry kDeltaGeometry = {0.125, 0.225, 0.5, 0.05};

/* Masses and friction, as in scenarios/machines/delta.xml. */
static const double kStep = 0.0005; /* s, of the simulation */
static const double kGravity = 9.81;
static const double kArmMass = 0.18;        /* kg, centre halfway to the elbow */
static const double kArmThickness = 0.02;   /* m */
static const double kRotorInertia = 8e-3;   /* kg m^2, reflected through the gear */
static const double kRodsMass = 2 * 0.03;   /* kg, both rods of an arm */
static const double kPlateMass = 0.2 + 0.1; /* kg, with payload */
static const double kDamping = 0.02;        /* N m s/rad at a motor */
static const double kFriction = 0.05;       /* N m at a motor */
static const double kGear = 20.0;
static const double kEfficiency = 0.9;

/* scenarios/machines/motors/delta.csv: N m of the rotor, by A and by rad/s of the rotor. */
enum { kCurrents = 4, kSpeeds = 4 };
static const double kCurrent[kCurrents] = {0.0, 4.0, 8.0, 12.0};
static const double kSpeedStep = 2000.0 * 2.0 * 3.14159265358979323846 / 60.0;
static const double kTorque[kCurrents][kSpeeds] = {{0.0, 0.0, 0.0, 0.0},
                                                   {0.320, 0.310, 0.296, 0.278},
                                                   {0.620, 0.610, 0.596, 0.578},
                                                   {0.880, 0.870, 0.856, 0.838}};

/* The cycle. */
static const double kStart[3] = {0.0, 0.0, -0.4};      /* initial position in the scenario */
static const double kPick[3] = {-0.1525, 0.0, -0.425}; /* the other end is at +x */
static const double kAcross = 0.305;
static const double kLift = 0.025;
static const double kStartTime = 0.3; /* s, from the start to the pick */
static const double kRest = 0.02;     /* s, at either end, for the gripper */
static const double kLiftShare = 0.5; /* lift time / time across; half of the lift overlaps the move across */

/* Inertia at a motor that the PD law assumes, kg m^2: arm, rotor, rods and a share of the plate. */
static const double kTypicalInertia = 0.02;

/* Dry friction is compensated in full from this rate upwards, rad/s. */
static const double kFrictionRate = 0.2;

DeltaSettings delta_settings(double period, double acceleration) {
  /* Torques are held for a period, so they are computed for its middle, minus half a step, because a step of the
   * simulation uses the forces at its start. */
  const double lead = (period - kStep) / 2.0;
  /* The law is stable while bandwidth times period is well below 1; above 200 rad/s the steps of the encoder
   * become noticeable. */
  const DeltaSettings settings = {period, lead, acceleration, fmin(200.0, 0.3 / period)};
  return settings;
}

/* From 0 to 1 in the time `length` along 10 u^3 - 15 u^4 + 6 u^5, at rest before and after. */
static void add_quintic(double time, double length, double way, double* p, double* v, double* a) {
  const double u = fmin(fmax(time / length, 0.0), 1.0);
  *p += way * u * u * u * (10.0 + u * (6.0 * u - 15.0));
  *v += way / length * 30.0 * u * u * (1.0 + u * (u - 2.0));
  *a += way / (length * length) * 60.0 * u * (1.0 + u * (2.0 * u - 3.0));
}

/* The maximum acceleration of the quintic is 10/sqrt(3) way / length^2. */
static double time_across(const DeltaSettings* settings) {
  return sqrt(10.0 / sqrt(3.0) * kAcross / settings->acceleration);
}

static double time_over(const DeltaSettings* settings) {
  return (1.0 + kLiftShare) * time_across(settings) + kRest;
}

double delta_cycle_time(const DeltaSettings* settings) {
  return 2.0 * time_over(settings);
}

double delta_start_time(void) {
  return kStartTime;
}

void delta_path(const DeltaSettings* settings, double time, double p[3], double v[3], double a[3]) {
  const double across = time_across(settings), lift = kLiftShare * across;
  for (int axis = 0; axis < 3; ++axis) v[axis] = a[axis] = 0.0;
  if (time < kStartTime) {
    for (int axis = 0; axis < 3; ++axis) {
      p[axis] = kStart[axis];
      add_quintic(time, kStartTime, kPick[axis] - kStart[axis], &p[axis], &v[axis], &a[axis]);
    }
    return;
  }
  const double moves = floor((time - kStartTime) / time_over(settings));
  const double since = (time - kStartTime) - moves * time_over(settings);
  const double way = fmod(moves, 2.0) == 0.0 ? kAcross : -kAcross;
  p[0] = way > 0.0 ? kPick[0] : kPick[0] + kAcross;
  p[1] = kPick[1];
  p[2] = kPick[2];
  add_quintic(since - lift / 2.0, across, way, &p[0], &v[0], &a[0]);
  add_quintic(since, lift, kLift, &p[2], &v[2], &a[2]);
  add_quintic(since - across, lift, -kLift, &p[2], &v[2], &a[2]);
}

int delta_torques(const DeltaMotion* m, double torque[3]) {
  const double arm = kDeltaGeometry.arm;
  const double inertia = kRotorInertia + kArmMass * (arm * arm / 3.0 + kArmThickness * kArmThickness / 12.0);
  double k[3][3], share[3];
  double force[3] = {kPlateMass * m->a[0], kPlateMass * m->a[1], kPlateMass * (m->a[2] + kGravity)};
  if (!delta_inverse_jacobian(&kDeltaGeometry, m->p, m->q, k)) return 0;

  for (int i = 0; i < 3; ++i) {
    /* A rod is uniform: with accelerations e and a at its ends, m (2 e + a) / 6 pulls at the one and
     * m (e + 2 a) / 6 at the other, and half its weight at each. */
    double at_elbow[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double weight = axis == 2 ? kRodsMass * kGravity / 2.0 : 0.0;
      at_elbow[axis] = kRodsMass * (2.0 * m->elbow_acc[i][axis] + m->a[axis]) / 6.0 + weight;
      force[axis] += kRodsMass * (m->elbow_acc[i][axis] + 2.0 * m->a[axis]) / 6.0 + weight;
    }
    double lever[3];
    delta_elbow_lever(&kDeltaGeometry, i, m->q[i], lever);
    torque[i] = inertia * m->acc[i] - kArmMass * kGravity * arm / 2.0 * cos(m->q[i]) + kDamping * m->rate[i] +
                kFriction * fmin(fmax(m->rate[i] / kFrictionRate, -1.0), 1.0) + lever[0] * at_elbow[0] +
                lever[1] * at_elbow[1] + lever[2] * at_elbow[2];
  }
  if (!delta_torques_for_force((const double(*)[3])k, force, share)) return 0;
  for (int i = 0; i < 3; ++i) torque[i] += share[i];
  return 1;
}

double delta_current(double torque, double rate) {
  /* The table applies to both directions; a braking motor is at its edge, speed 0. */
  const double sign = torque < 0.0 ? -1.0 : 1.0;
  const double wanted = fabs(torque) / (kGear * kEfficiency);
  const double position = fmin(fmax(sign * rate * kGear / kSpeedStep, 0.0), kSpeeds - 1.0);
  const int column = (int)fmin(floor(position), kSpeeds - 2.0);
  double below = 0.0;
  for (int row = 1; row < kCurrents; ++row) {
    const double* line = &kTorque[row][column];
    const double above = line[0] + (position - column) * (line[1] - line[0]);
    if (wanted <= above) {
      const double share = (wanted - below) / (above - below);
      return sign * (kCurrent[row - 1] + share * (kCurrent[row] - kCurrent[row - 1]));
    }
    below = above;
  }
  return sign * kCurrent[kCurrents - 1];
}

void delta_start(DeltaControl* control, const DeltaSettings* settings) {
  const DeltaControl fresh = {*settings, 0, {0.0, 0.0, 0.0}};
  *control = fresh;
}

int delta_control(DeltaControl* control, double time, const double angle[3], double current[3]) {
  const DeltaSettings* s = &control->settings;
  DeltaMotion ahead;
  double p[3], v[3], a[3], wanted[3], torque[3];
  for (int i = 0; i < 3; ++i) current[i] = 0.0;
  delta_path(s, time, p, v, a);
  delta_path(s, time + s->lead, ahead.p, ahead.v, ahead.a);
  if (!delta_inverse(&kDeltaGeometry, p, wanted) || !delta_inverse_motion(&kDeltaGeometry, &ahead) ||
      !delta_torques(&ahead, torque)) {
    return 0;
  }
  for (int i = 0; i < 3; ++i) {
    const double error = wanted[i] - angle[i];
    const double change = control->is_started ? (error - control->error_before[i]) / s->period : 0.0;
    control->error_before[i] = error;
    torque[i] += kTypicalInertia * s->bandwidth * (s->bandwidth * error + 2.0 * change);
    current[i] = delta_current(torque[i], ahead.rate[i]);
  }
  control->is_started = 1;
  return 1;
}
