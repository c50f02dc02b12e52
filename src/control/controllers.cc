#include "control/controllers.h"

#include "control/gait.h"
#include "control/pid.h"
#include "control/playback.h"
#include "control/sine.h"
#include "control/supervisor.h"

namespace lockstep {

void add_controllers(Kinds<Controller>& controllers) {
  controllers.add<SineConfig>("sine", "Sine generator: amplitude sin(2 pi frequency t + phase) + offset.",
                              make_sine);
  controllers.add<PidConfig>(
      "pid", "PID controller: u = bias + kp e + ki (integral of e) - kd y', with e = r - y.", make_pid);
  controllers.add<GaitConfig>(
      "gait",
      "Moves a chain of pitch and yaw joints in travelling waves, by actions that blend into each other.",
      make_gait);
  controllers.add<PlaybackConfig>(
      "playback",
      "Plays a motion plan from a file, after checking it against the limits of all joints it drives.",
      make_playback);
  controllers.add<SupervisorConfig>("supervisor", "Switches between controllers on conditions over signals.",
                                    make_supervisor);
}

}  // namespace lockstep
