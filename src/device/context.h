#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/model.h"
#include "scenario/assets.h"
#include "scenario/element.h"
#include "signals/table.h"

namespace lockstep {

class Controller;
template <typename Device>
class Kinds;
struct FaultsOfConnections;

/// The files that the devices of one simulation write.
struct OutputFiles {
  std::optional<std::filesystem::path> folder;  ///< none: nothing is to be written
  std::set<std::string> taken;
};

/// How connections are made. One that is not live exchanges nothing: it can be checked, restored and fed.
struct ConnectionOptions {
  bool live = false;
  std::function<bool()>
      cancelled;  ///< whether the run is to end; asked by a connection that waits, from any thread
};

/// Where a device has no limit of an effort, a speed or a value.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The names of the signals that may be written.
std::vector<std::string> command_names(const SignalTable& signals);

/// "x y z" as three words.
std::vector<std::string> split_words(const std::string& text);

/// What the factory of a device works with (docs/developing.md, "Adding a device"). It resolves
/// names and reports what it cannot find, at the place in the user's file. Every function that returns nothing
/// has written the error already.
class BuildContext {
 public:
  const Model& model;
  const Kinds<Controller>& controllers;  ///< for devices that are made of controllers
  const Assets& assets;                  ///< for devices that read files
  SignalTable& signals;
  OutputFiles& outputs;
  Diagnostics& diagnostics;
  ConnectionOptions connections;
  const FaultsOfConnections* connection_faults =
      nullptr;                         ///< connection/connection_faults.h; nothing if there are none
  std::string scope;                   ///< name of the robot the device belongs to; "" for the scenario
  bool begins_at_start = true;         ///< false for a device that is called only later, from anywhere
  std::int64_t every_if_left_out = 1;  ///< period of a device that gives none, in steps

  /// Turns to the next device. Called by the registry.
  void begin(const Element& element, const std::string& device_name, Duration device_period);

  const Element& element() const { return *element_; }  ///< as the user wrote it
  const std::string& name() const { return name_; }     ///< full name of the device: "arm/elbow"
  std::int64_t every() const { return every_; }         ///< its period in steps
  std::uint64_t seed() const { return model.seed; }     ///< for Random(seed(), name())
  std::string subject() const;                          ///< "<joint> 'arm/elbow'", for messages

  std::optional<JointId> find_joint(const std::string& given);
  /// A joint with one number as position, and the unit of that number ("rad" or "m").
  std::optional<JointId> find_axis_joint(const std::string& given);
  std::optional<SiteId> find_site(const std::string& given);
  std::optional<BodyId> find_body(const std::string& given);
  /// All shapes that can touch something of a link, an object, a ground, a terrain or a whole robot, or the one
  /// shape of that name.
  std::optional<std::vector<ShapeId>> find_shapes(const std::string& given);
  std::optional<MaterialId> find_material(const std::string& given);
  std::optional<Slot> find_signal(const std::string& given);
  std::optional<Slot> find_command(const std::string& given);  ///< a signal that may be written

  /// Adds "scope/device/quantity"; an error if that name is taken.
  std::optional<Slot> add_signal(std::string_view quantity, std::string_view unit, SignalRole role,
                                 double initial = 0.0);

  /// Says which joint a command moves, so that a plan for it is checked before anything moves: as the position
  /// asked of the joint, or as another quantity (effort, speed) that is at most `largest` in either direction.
  void drives_position(Slot command, JointId joint, double max_speed);
  void drives(Slot command, JointId joint, double largest);

  /// The path of a file to write, below the output folder, for this device alone; the name comes from the
  /// attribute "file".
  std::optional<std::filesystem::path> claim_output(const std::string& given);

  /// Has the device called in every step and returns the period it was given, in steps, to keep by itself.
  std::int64_t take_period() { return std::exchange(every_, 1); }

  /// Whether one of two attributes is given, and only one.
  bool require_one(const std::string& a, const char* name_a, const std::string& b, const char* name_b);

  /// Checks the unit of an attribute that takes "rad or m" once it is known which of them is meant.
  bool require_unit(std::string_view attribute, std::string_view unit) {
    return require_unit(*element_, attribute, unit);
  }
  bool require_unit(const Element& element, std::string_view attribute, std::string_view unit);
  /// The same for several attributes, each with its unit.
  bool require_units(std::initializer_list<std::pair<const char*, const char*>> wanted);

  /// Names as the user may write them here: without that of the robot the device belongs to.
  std::vector<std::string> short_names(std::vector<std::string> full_names) const;

  /// Reports an error at an attribute of the element, or at the element if it has none of that name.
  template <typename... Args>
  void error_at(std::string_view attribute, fmt::format_string<Args...> format, Args&&... args) {
    diagnostics.error(place_of(attribute), "{}: {}", subject(),
                      fmt::format(format, std::forward<Args>(args)...));
  }
  Place place_of(std::string_view attribute) const;
  const Element* find_child(std::string_view child) const;  ///< of the device's element

  /// The same two for a child of the device's element, whose attribute is in the unit of a signal.
  bool require_unit_in(const Element& child, std::string_view attribute, const SignalInfo& signal);
  template <typename... Args>
  void error_in(const Element& child, std::string_view attribute, fmt::format_string<Args...> format,
                Args&&... args) {
    const Attribute* found = child.find_attribute(attribute);
    diagnostics.error(found != nullptr ? found->place : child.place, "{}: <{}>: {}", subject(), child.name,
                      fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  Place place_of_value(const std::string& value) const;  ///< of the attribute that holds it
  std::string in_scope(const std::string& given) const { return scope.empty() ? given : scope + "/" + given; }
  template <typename Id, typename Find>
  std::optional<Id> resolve(const char* what, const std::string& given, const std::vector<std::string>& known,
                            Find find);

  const Element* element_ = nullptr;
  std::string name_;
  std::int64_t every_ = 1;

 public:
  BuildContext(const Model& model_in, const Kinds<Controller>& controllers_in, const Assets& assets_in,
               SignalTable& signals_in, OutputFiles& outputs_in, Diagnostics& diagnostics_in,
               std::string scope_in)
      : model(model_in),
        controllers(controllers_in),
        assets(assets_in),
        signals(signals_in),
        outputs(outputs_in),
        diagnostics(diagnostics_in),
        scope(std::move(scope_in)) {}
};

}  // namespace lockstep
