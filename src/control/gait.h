#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/blend.h"
#include "control/controller.h"

namespace lockstep {

/// The parameters of a gait: what its joints do, by the two sorts of joints that a chain robot has.
struct GaitParameters {
  double pitch_amplitude = 0.0;  ///< rad
  double yaw_amplitude = 0.0;    ///< rad
  double pitch_phase = 0.0;      ///< rad from one pitch joint to the next
  double yaw_phase = 0.0;        ///< rad from one yaw joint to the next
  double between = 0.0;          ///< rad by which the yaw wave is ahead of the pitch wave
  double pitch_offset = 0.0;     ///< rad
  double yaw_offset = 0.0;       ///< rad
  double cycle = 1.0;            ///< s for one oscillation
};

/// The parameters in the order of the signals that hold them, with their names.
inline constexpr std::pair<std::string_view, double GaitParameters::*> kGaitParameters[] = {
    {"pitch_amplitude", &GaitParameters::pitch_amplitude},
    {"yaw_amplitude", &GaitParameters::yaw_amplitude},
    {"pitch_phase", &GaitParameters::pitch_phase},
    {"yaw_phase", &GaitParameters::yaw_phase},
    {"between", &GaitParameters::between},
    {"pitch_offset", &GaitParameters::pitch_offset},
    {"yaw_offset", &GaitParameters::yaw_offset},
    {"cycle", &GaitParameters::cycle},
};

/// What one joint does otherwise than its sort.
struct JointGait {
  std::optional<double> amplitude;
  std::optional<double> phase;  ///< rad ahead of the wave; instead of what its place in the chain gives
  std::optional<double> offset;
  std::optional<double> cycle;
};

/// A way to move that can be chosen by its number.
struct GaitAction {
  std::string name;
  GaitParameters parameters;
  std::vector<JointGait> joints;  ///< by joint, pitch joints first
};

/// Moves a chain of pitch and yaw joints in travelling waves. With k = 0, 1, … along the joints of a sort,
///
///     pitch joint k: amplitude sin(psi + k phase) + offset
///     yaw joint k:   amplitude sin(psi + k phase + between) + offset + turn turn_offset
///
/// where psi grows by 2 pi direction / cycle per second. psi is integrated, so that neither a new cycle nor a
/// new direction makes the wave jump. The parameters stand in signals that may be changed at any time; an
/// action, when it is chosen, writes its own into them. The joints follow smoothly, within the time `blend`.
class Gait final : public Controller {
 public:
  struct Signals {
    std::vector<Slot> targets;  ///< rad, pitch joints first
    std::size_t pitch_count = 0;
    Slot action{};     ///< number of the action
    Slot direction{};  ///< -1…1
    Slot turn{};       ///< -1…1, to the left if positive
    std::array<Slot, std::size(kGaitParameters)> parameters{};
  };
  struct Change {
    Duration time{0};
    std::size_t action = 0;
  };
  struct Settings {
    double period = 0.0;          ///< s between two calls
    double blend = 1.0;           ///< s
    double turn_offset = 0.0;     ///< rad of the yaw joints at turn 1
    std::size_t start = 0;        ///< action
    std::vector<Change> changes;  ///< by time
  };

  Gait(Signals signals, std::vector<GaitAction> actions, Settings settings);

  Status decide(const Instant& now, Row row) override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  /// How one joint moves now, on its way to how it should.
  struct Joint {
    Blend amplitude, phase, offset;
    Blend lead;  // rad ahead of psi, of a joint with a cycle of its own, or that had one
  };

  void take_scheduled_action(const Instant& now, Row row);
  Status choose_action(Row row);
  std::string find_nonsense(ConstRow row) const;
  GaitParameters read_parameters(ConstRow row) const;
  void move(std::size_t joint, const GaitParameters& goal, ConstRow row, double rate);

  Signals signals_;
  std::vector<GaitAction> actions_;
  Settings settings_;
  std::vector<Joint> joints_;
  Blend rate_;        // of psi, rad/s
  double psi_ = 0.0;  // rad, within one turn
  bool is_running_ = false;
  std::size_t action_ = 0;
  std::size_t next_change_ = 0;
};

}  // namespace lockstep
