#include "actuators/actuators.h"

#include "actuators/dc_motor.h"
#include "actuators/drive.h"
#include "actuators/lock.h"
#include "actuators/magnet.h"
#include "actuators/motor.h"
#include "actuators/panel.h"
#include "actuators/position_servo.h"
#include "actuators/speed_servo.h"
#include "actuators/thruster.h"
#include "actuators/torque_actuator.h"
#include "actuators/trajectory_motor.h"

namespace lockstep {

void add_actuators(Kinds<Actuator>& actuators) {
  actuators.add<TorqueActuatorConfig>("torque", "Ideal motor: applies a commanded torque or force to a joint.",
                                      make_torque_actuator);
  actuators.add<MotorConfig>(
      "motor", "Motor by its measured characteristic: current in, torque out, over speed if that was measured.",
      make_motor);
  actuators.add<DcMotorConfig>(
      "dc_motor",
      "DC motor with gear on a bridge: torque = stall torque (duty - speed / no-load speed), or none while "
      "the bridge is open.",
      make_dc_motor);
  actuators.add<PositionServoConfig>(
      "servo", "Position servo: effort = k (reference - q) - d q', with effort and speed limits, and a P gain.",
      make_position_servo);
  actuators.add<SpeedServoConfig>(
      "speed_servo", "Speed servo: effort = g (target - q'), with effort and speed limits.", make_speed_servo);
  actuators.add<TrajectoryMotorConfig>(
      "trajectory",
      "Motor that moves a joint at a commanded velocity, exactly to a goal if it has one: effort = "
      "k (r - q) + d (r' - q') + k/T times the integral of r - q.",
      make_trajectory_motor);
  actuators.add<DriveConfig>(
      "drive",
      "Moves a joint exactly by plan, whatever acts on it: a shaker, a turntable, a belt. A "
      "sine with 'frequency', at a commanded velocity with 'velocity', else to a commanded "
      "target.",
      make_drive);
  actuators.add<ThrusterConfig>("thruster", "Pushes a body with a commanded force and torque along an axis.",
                                make_thruster);
  actuators.add<MagnetConfig>("magnet", "Grip between two sites that can be switched: a spring and a damper.",
                              make_magnet);
  actuators.add<PanelConfig>(
      "panel",
      "Buttons, start light and run indicator of a controller: signals between an operator and a program.",
      make_panel);
  actuators.add<LockConfig>("lock", "Detaches and attaches a detachable joint, as commanded.", make_lock);
}

}  // namespace lockstep
