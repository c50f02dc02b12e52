#include "sensors/sensors.h"

#include "sensors/accelerometer.h"
#include "sensors/beam.h"
#include "sensors/camera.h"
#include "sensors/closure_sensor.h"
#include "sensors/contact_sensor.h"
#include "sensors/distance_sensor.h"
#include "sensors/encoder.h"
#include "sensors/energy_sensor.h"
#include "sensors/force_sensor.h"
#include "sensors/gyro.h"
#include "sensors/infrared_range.h"
#include "sensors/joint_sensor.h"
#include "sensors/light_sensor.h"
#include "sensors/pose_sensor.h"
#include "sensors/potentiometer.h"
#include "sensors/reflectance.h"
#include "sensors/region.h"
#include "sensors/score.h"
#include "sensors/sonar.h"
#include "sensors/velocity_sensor.h"

namespace lockstep {

void add_sensors(Kinds<Sensor>& sensors) {
  sensors.add<JointSensorConfig>(
      "joint_state", "Position and speed of a hinge or slide joint, and the effort of its actuators.",
      make_joint_sensor);
  sensors.add<PoseSensorConfig>("pose", "Position and orientation of a site or body in the world.",
                                make_pose_sensor);
  sensors.add<VelocitySensorConfig>("velocity", "Linear and angular velocity of a site or body.",
                                    make_velocity_sensor);
  sensors.add<AccelerometerConfig>(
      "accelerometer", "Proper acceleration in the sensor's axes: +9.81 m/s^2 upwards at rest, 0 in free fall.",
      make_accelerometer);
  sensors.add<GyroConfig>("gyro", "Angular velocity in the sensor's axes.", make_gyro);
  sensors.add<DistanceSensorConfig>(
      "distance", "Distance along +x of a site or body to the nearest shape, by a ray or a cone of rays.",
      make_distance_sensor);
  sensors.add<EncoderConfig>("encoder", "Counts the turns of a hinge in whole ticks.", make_encoder);
  sensors.add<InfraredRangeConfig>("infrared_range",
                                   "Infrared range finder with an analog output that is highest at 4 to 8 cm.",
                                   make_infrared_range);
  sensors.add<ReflectanceConfig>(
      "reflectance",
      "Infrared sensor that looks at a surface: its output is high over black and low over white.",
      make_reflectance);
  sensors.add<CameraConfig>(
      "camera", "Camera that takes images along +x of a site or body, and tracks blobs of colors in them.",
      make_camera);
  sensors.add<SonarConfig>(
      "sonar", "Ultrasonic range finder with an analog output proportional to the distance.", make_sonar);
  sensors.add<BeamConfig>("beam", "Light barrier: 1 while something is in the beam along +x, else 0.",
                          make_beam);
  sensors.add<PotentiometerConfig>(
      "potentiometer", "Analog output proportional to the position of a hinge or slide.", make_potentiometer);
  sensors.add_reader<LightSensorConfig>(
      "light", "Light sensor with an analog output: low in the light of a lamp, high in the dark.",
      make_light_sensor);
  sensors.add<RegionConfig>("region", "Counts the bodies in a box, by name or material.", make_region);
  sensors.add_reader<ScoreConfig>(
      "score", "Points computed from other signals, shown at the end of a run and in the page.", make_score);
  sensors.add<ForceSensorConfig>(
      "force", "Force and torque that a parent exerts on its link through a joint or lock.", make_force_sensor);
  sensors.add<TouchSensorConfig>("touch", "Bumper: 1 while a body or shape touches something, else 0.",
                                 make_touch_sensor);
  sensors.add<ContactSensorConfig>(
      "contact", "Whether two things or two materials touch, their normal force and their contact points.",
      make_contact_sensor);
  sensors.add<ContactForceSensorConfig>("contact_force", "Sum of all contact forces on a body.",
                                        make_contact_force_sensor);
  sensors.add<ClosureSensorConfig>(
      "closure",
      "Largest distance between the two sites of a loop, of all loops of the robot or of the scenario.",
      make_closure_sensor);
  sensors.add<EnergySensorConfig>("energy",
                                  "Energy of all bodies, the work done on them since the start, and what of "
                                  "the change it leaves unexplained.",
                                  make_energy_sensor);
  sensors.add<WorkSensorConfig>(
      "work", "Work that an actuator has done since the start: positive if it drives, negative if it brakes.",
      make_work_sensor);
}

}  // namespace lockstep
