#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/model.h"
#include "lockstep/signals.h"
#include "lockstep/time.h"

/// How a program adds kinds of devices of its own, and what the factory of a device works with.
///
/// A kind is a configuration (a plain struct with describe(), lockstep/fields.h), a class derived from one of
/// the base classes (lockstep/device.h) and a factory that makes one from the other:
///
///     std::unique_ptr<Sensor> make_tilt(const TiltConfig& config, BuildContext& context) {
///       const auto body = context.find_body(config.body);
///       const auto angle = context.add_signal("angle", "rad", SignalRole::kMeasurement);
///       if (!body || !angle) return nullptr;  // the error is reported already
///       return std::make_unique<Tilt>(*body, *angle);
///     }
///
///     Registry registry = default_registry();
///     registry.add_sensor<TiltConfig>("tilt", "Angle between a body and upright.", make_tilt);
///
/// From then on `<tilt name="lean" body="hull"/>` may be in the <sensors> of a robot, with the checks, error
/// texts, schema and documentation that devices of Lockstep itself have. Its signal is "robot/lean/angle".
namespace lockstep {

struct BuildServices;  // for Lockstep's own devices

/// What the factory of a device works with, for one element of the scenario file. It resolves the names that
/// the user wrote and reports what it cannot find, at its place in the file. Every function that returns
/// nothing has reported the error already, so a factory just returns null then; all other errors of the file
/// are still found.
///
/// Borrowed: valid only during the call of the factory. Ids and slots that it returns stay valid for the run.
class BuildContext {
 public:
  const Model& model;        ///< lives as long as the simulation
  SignalTable& signals;      ///< of all devices made so far; sensors come before controllers
  Diagnostics& diagnostics;  ///< for errors that the functions below do not cover
  const BuildServices& services;
  std::string scope;               ///< name of the robot the device belongs to; "" for the scenario
  bool begins_at_start = true;     ///< false for a device that is called only later, from anywhere
  std::int64_t default_every = 1;  ///< period of a device that gives none, in steps

  BuildContext(const Model& model_in, SignalTable& signals_in, Diagnostics& diagnostics_in,
               const BuildServices& services_in, std::string scope_in)
      : model(model_in),
        signals(signals_in),
        diagnostics(diagnostics_in),
        services(services_in),
        scope(std::move(scope_in)) {}

  /// Turns to the next device. Called by the registry, before the factory.
  void begin(const Element& element, const std::string& device_name, Duration device_period);

  const Element& element() const { return *element_; }  ///< as the user wrote it
  const std::string& name() const { return name_; }     ///< full name of the device: "arm/elbow"
  std::int64_t every() const { return every_; }         ///< its period in steps
  std::uint64_t seed() const { return model.seed; }     ///< for Random(seed(), name())
  std::string subject() const;                          ///< "<tilt> 'arm/elbow'", for messages

  // Resolving what the user named. The device's own robot is searched first; a full name reaches everything.

  std::optional<JointId> find_joint(const std::string& given);
  /// A hinge or slide: a joint with one number as position, in rad or m.
  std::optional<JointId> find_axis_joint(const std::string& given);
  /// The same, or the tendon: exactly one of the attributes "joint" and "tendon" is given.
  std::optional<Axis> find_axis(const std::string& joint, const std::string& tendon);
  std::optional<SiteId> find_site(const std::string& given);
  std::optional<BodyId> find_body(const std::string& given);
  /// All shapes that can touch something of a link, an object, a ground, a terrain or a whole robot, or the one
  /// shape of that name.
  std::optional<std::vector<ShapeId>> find_shapes(const std::string& given);
  std::optional<MaterialId> find_material(const std::string& given);
  std::optional<Slot> find_signal(const std::string& given);
  std::optional<Slot> find_command(const std::string& given);  ///< a signal that may be written

  // Signals of the device.

  /// Adds the signal "scope/device/quantity" in an SI unit; an error if that name is taken.
  std::optional<Slot> add_signal(std::string_view quantity, std::string_view unit, SignalRole role,
                                 double initial = 0.0);

  /// Says which joint a command moves, so that a motion plan for it is checked before anything moves: as the
  /// position of the joint (rad or m, `max_speed` per second), or as another quantity, such as an effort or a
  /// speed, that is at most `largest` in either direction.
  void drives_position(Slot command, const Axis& axis, double max_speed);
  void drives(Slot command, const Axis& axis, double largest);
  /// Makes a hinge or slide a driven joint, which follows World::drive_joint(); an error if it cannot be one.
  bool claim_joint(JointId joint);

  // Files.

  /// The bytes of the file that the attribute "src" names: embedded in the scenario, or on disk below its
  /// folder. Throws UserError, at that attribute, if it cannot be read or is too large.
  std::vector<std::uint8_t> load_file(const std::string& src) const;

  /// The path of a file to write, below the output folder, for this device alone; the name comes from the
  /// attribute "file".
  std::optional<std::filesystem::path> claim_output(const std::string& given);

  // Checks and errors.

  /// Has the device called in every step and returns the period it was given, in steps, to keep by itself.
  std::int64_t take_period() { return std::exchange(every_, 1); }

  /// Whether exactly one of two attributes is given; an error if not.
  bool require_one(const std::string& a, const char* name_a, const std::string& b, const char* name_b);

  /// Checks the unit of an attribute that takes "rad or m" once it is known which of them is meant.
  bool require_unit(std::string_view attribute, std::string_view unit) {
    return require_unit(*element_, attribute, unit);
  }
  bool require_unit(const Element& element, std::string_view attribute, std::string_view unit);
  /// The same for several attributes, each with its unit.
  bool require_units(std::initializer_list<std::pair<const char*, const char*>> wanted);

  /// Names as the user may write them here: without that of the robot the device belongs to. For suggest().
  std::vector<std::string> short_names(std::vector<std::string> full_names) const;

  /// Reports an error at an attribute of the element, or at the element if it has none of that name. The text
  /// is "found; expected"; place and subject are added.
  template <typename... Args>
  void error_at(std::string_view attribute, fmt::format_string<Args...> format, Args&&... args) {
    diagnostics.error(place_of(attribute), "{}: {}", subject(),
                      fmt::format(format, std::forward<Args>(args)...));
  }
  Place place_of(std::string_view attribute) const;
  /// The first child element of that name; null if there is none.
  const Element* find_child(std::string_view child) const;

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
};

/// Makes a device from its configuration; null, with the error reported, if it cannot. A plain function or a
/// lambda. Called once per element and simulation, maybe from several threads, each with a context of its own.
template <typename Device, typename Config>
using Factory = std::function<std::unique_ptr<Device>(const Config&, BuildContext&)>;

/// A configuration whose type only its program knows, as a registry keeps it. Not for programs.
class AnyConfig {
 public:
  virtual ~AnyConfig() = default;
  virtual std::unique_ptr<AnyConfig> clone() const = 0;
  virtual void visit(Fields& fields) = 0;
};

/// One that has this type.
template <typename Config>
class ConfigOf final : public AnyConfig {
 public:
  Config value{};
  std::unique_ptr<AnyConfig> clone() const override { return std::make_unique<ConfigOf>(*this); }
  void visit(Fields& fields) override { describe(fields, value); }
};

struct RegistryLists;  // for Lockstep's own sources

/// The kinds of devices that a scenario can name. An ordinary value: take default_registry(), add your own, and
/// hand it to Run or run_command_line(). It is copied deeply, and only read once a simulation is made of it;
/// then any number of threads may share it. A simulation does not need it any more once it is made.
class Registry {
 public:
  Registry();  ///< knows nothing, not even a physics engine
  Registry(const Registry& other);
  Registry(Registry&& other) noexcept;
  Registry& operator=(Registry other) noexcept;
  ~Registry();

  /// Each adds a kind of device: the name of its element, a sentence for the reference, and its factory. Elements
  /// get the attributes `name` and `period` in addition to those of the configuration; sensors may also have
  /// <error> children. A kind of the same name and category is replaced. An example is at the top of this page.
  template <typename Config>
  void add_sensor(const std::string& kind, const std::string& doc, Factory<Sensor, Config> make) {
    add<Sensor, Config>(kind, doc, std::move(make));
  }
  template <typename Config>
  void add_controller(const std::string& kind, const std::string& doc, Factory<Controller, Config> make) {
    add<Controller, Config>(kind, doc, std::move(make));
  }
  template <typename Config>
  void add_actuator(const std::string& kind, const std::string& doc, Factory<Actuator, Config> make) {
    add<Actuator, Config>(kind, doc, std::move(make));
  }
  template <typename Config>
  void add_subsystem(const std::string& kind, const std::string& doc, Factory<Subsystem, Config> make) {
    add<Subsystem, Config>(kind, doc, std::move(make));
  }
  template <typename Config>
  void add_observer(const std::string& kind, const std::string& doc, Factory<Observer, Config> make) {
    add<Observer, Config>(kind, doc, std::move(make));
  }

  /// Everything that is in it, in types that are not public. For Lockstep's own sources.
  RegistryLists& lists() { return *lists_; }
  const RegistryLists& lists() const { return *lists_; }

 private:
  template <typename Device, typename Config>
  void add(const std::string& kind, const std::string& doc, Factory<Device, Config> make) {
    add_any<Device>(kind, doc, ConfigOf<Config>(),
                    [make = std::move(make)](const AnyConfig& config, BuildContext& context) {
                      return make(static_cast<const ConfigOf<Config>&>(config).value, context);
                    });
  }
  /// For the five categories above. The values of `fresh` are the defaults.
  template <typename Device>
  void add_any(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
               Factory<Device, AnyConfig> make);

  std::unique_ptr<RegistryLists> lists_;
};

/// Everything that comes with Lockstep: its devices, connections and physics engines.
Registry default_registry();

}  // namespace lockstep
