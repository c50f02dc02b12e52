#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/error.h"
#include "lockstep/model.h"
#include "lockstep/registry.h"
#include "lockstep/scenario.h"
#include "lockstep/signals.h"
#include "lockstep/time.h"
#include "lockstep/world.h"

/// One run of a scenario, for programs that embed Lockstep.
namespace lockstep {

/// A simulation that the program steps:
///
///     Run run(ScenarioFile::read("pendulum.xml"));
///     const Slot angle = *run.find_signal("pendulum/hinge/angle");
///     if (Status status = run.advance(1000); !status.ok()) …
///     std::printf("%g rad after %g s\n", run.signal(angle), run.now().seconds);
///
/// The same scenario, registry and calls give the same bits: hash() is that of `lockstep run` on the same file.
/// It runs as fast as possible, has no threads and never waits: the program decides when a step happens.
///
/// Two instants are visible between steps. world() and now() are at the instant reached. The row of signals is
/// that of the last step, so measurements in it describe the instant before it; a command that is set between
/// two steps acts in the next one. A controller in the program therefore works with a delay of one step. One
/// that must not have it is a Controller in the registry (lockstep/device.h), which is called inside the step.
///
/// <connections> of the scenario are checked but not opened: their commands are free for the program to set.
///
/// One thread uses a run at a time. Different runs are independent and may be in different threads.
class Run {
 public:
  /// Makes the simulation, at its start. Throws UserError with everything that is wrong with the scenario.
  /// Scenario and registry are not needed any more afterwards. Observers of the scenario write their files, such
  /// as logs, below `output_folder`; without one they are checked and omitted.
  explicit Run(const ScenarioFile& scenario, const Registry& registry = default_registry(),
               const std::optional<std::filesystem::path>& output_folder = std::nullopt);
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// What is odd about the scenario but no error; in the order of their places.
  const Diagnostics& warnings() const;

  // Going on.

  /// Takes one physics step. A status that is not ok means that the run is over: kStopped if an event of the
  /// scenario ended it; else something failed, and the run is at the last good instant.
  Status step() { return advance(1); }
  /// Takes this many steps, or fewer if one ends the run. As far as the scenario wants to run:
  /// `advance(model().duration / model().step)`.
  Status advance(std::int64_t steps);
  /// Tells the observers that the run is over, so that they flush and close. Call it once, at the end, if files
  /// are written: its status says whether they are complete.
  Status finish();

  // Looking.

  const Instant& now() const;  ///< the instant reached
  const Model& model() const;  ///< constant; lives as long as the run
  const World& world() const;  ///< at now()
  const SignalTable& signals() const;
  ConstRow row() const;  ///< of all signals; borrowed, valid until the next step
  /// A signal by its full name, such as "arm/elbow/angle". Look it up once, before stepping.
  std::optional<Slot> find_signal(std::string_view name) const { return signals().find(name); }
  /// The value of a signal, in its SI unit.
  double signal(Slot slot) const { return row()[slot]; }
  /// Has an observer called in every `every`-th step from now on, after those of the scenario. The run owns it.
  void add_observer(const std::string& name, std::unique_ptr<Observer> observer, std::int64_t every = 1);

  // Acting. Each call is an event between two steps, as a click of a user in the browser is: checked in the same
  // way, and rejected with the reason if it makes no sense (NaN, a signal that is measured, an unknown name).

  /// Sets a command signal, in its SI unit. It holds until a controller or another call sets it again.
  Result<void> set(Slot slot, double value);
  /// Pushes a body at its centre of mass for a number of steps; force and torque in world axes, N and N m.
  Result<void> push(BodyId body, const Wrench& wrench, std::int64_t steps = 1);
  /// Puts a hinge or slide joint to a position, rad or m, at rest.
  Result<void> set_joint_position(JointId joint, double position);
  /// Detaches a detachable joint, or attaches it again.
  Result<void> set_attached(JointId joint, bool attached);
  /// Switches a <fault> of the scenario on or off.
  Result<void> set_fault(std::string_view name, bool on);

  // State.

  /// Of everything that the future depends on, 64 bits. Equal runs have equal hashes at every step.
  std::uint64_t hash() const;
  /// A snapshot: the whole state as bytes, the content of a file of `lockstep run --save`.
  std::vector<std::uint8_t> save() const;
  /// Continues from a snapshot of this scenario, or of one that differs in values only: that is how a run
  /// branches. Bit for bit as the run it was taken from. Throws UserError if the bytes are damaged or of another
  /// scenario; after the latter, the run must not be used further.
  void restore(std::span<const std::uint8_t> snapshot);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep
