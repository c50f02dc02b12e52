#include "assemble/assemble.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "assemble/consequences.h"
#include "assemble/event_action.h"
#include "assemble/faults.h"
#include "base/hash.h"
#include "connection/remote_controller.h"
#include "model/build.h"
#include "physics/medium.h"
#include "scenario/document.h"
#include "scenario/read.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

/// Fills the device lists of a simulation from the elements of a scenario.
class Assembler {
 public:
  Assembler(const Scenario& scenario, const Assets& assets, const Registry& registry, Diagnostics& diagnostics,
            const AssembleOptions& options, SimulationSetup& setup)
      : scenario_(scenario),
        lists_(registry.lists()),
        diagnostics_(diagnostics),
        setup_(setup),
        services_{lists_.controllers,
                  assets,
                  outputs_,
                  options.connections,
                  &connection_faults_,
                  &drives_,
                  options.restrictions,
                  options.script_cancelled} {
    outputs_.folder = options.output_folder;
    services_.camera_views = lists_.camera_views.get();
  }

  /// If there are errors, no file is opened or written.
  void close_if_errors() {
    if (!diagnostics_.has_errors()) return;
    outputs_.folder.reset();
    services_.connections.live = false;
  }

  void add_devices() {
    for_each_owner([&](const Devices& devices, const std::string& scope) {
      for (const Element& element : devices.actuators) {
        const Attribute* name = element.find_attribute("name");
        const std::string own = name != nullptr ? name->value : "";  // reported when the actuator is made
        services_.actuators.push_back(scope.empty() ? own : scope + "/" + own);
      }
    });
    // Controllers reference signals, so everything that declares signals comes before them.
    for_each_owner([&](const Devices& devices, const std::string& scope) {
      add(devices.sensors, "sensor", lists_.sensors, scope, setup_.sensors);
      add(devices.actuators, "actuator", lists_.actuators, scope, setup_.actuators);
      add(devices.subsystems, "subsystem", lists_.subsystems, scope, setup_.subsystems);
    });
    for_each_owner([&](const Devices& devices, const std::string& scope) {
      add(devices.sensors, "sensor", lists_.sensors, scope, setup_.sensors, Readers::kOnly);
    });
    // Controllers may read the health of connections, and connections the signals of controllers.
    for_each_owner(
        [&](const Devices& devices, const std::string& scope) { add_health(devices.connections, scope); });
    BuildContext context(*setup_.model, setup_.signals, diagnostics_, services_, "faults");
    connection_faults_ =
        add_faults(scenario_.faults, {named_connections_.begin(), named_connections_.end()}, context, setup_);
    setup_.first_controller_signal = setup_.signals.size();
    for_each_owner([&](const Devices& devices, const std::string& scope) {
      add(devices.controllers, "controller", lists_.controllers, scope, setup_.controllers);
    });
    close_if_errors();
    for_each_owner([&](const Devices& devices, const std::string& scope) {
      add(devices.connections, "connection", lists_.connections, scope, setup_.connections);
    });
    reject_shared_commands();
    add_round_trips();
    close_if_errors();
    for_each_owner([&](const Devices& devices, const std::string& scope) {
      add(devices.observers, "observer", lists_.observers, scope, setup_.observers);
    });
    reject_periods(setup_.actuators, "actuator");
    reject_periods(setup_.subsystems, "subsystem");
    reject_other_forces();
  }

  /// Full name of the drive of each driven joint; after add_devices().
  const std::map<JointId, std::string>& drives() const { return drives_; }

  void reject_drives(std::string_view engine) {
    for (const auto& [joint, drive] : drives_)
      diagnostics_.error(places_[drive + "actuator"],
                         "actuator '{}': engine '{}' cannot simulate driven joints", drive, engine);
  }

  /// Signals that every kind of connection has.
  void add_health(const std::vector<Element>& elements, const std::string& scope) {
    for (const Element& element : elements) {
      const Attribute* name = element.find_attribute("name");
      if (name == nullptr) continue;  // reported when the connection is made
      const std::string full = scope.empty() ? name->value : scope + "/" + name->value;
      if (!named_connections_.insert(full).second) continue;  // reported there, too
      for (const std::string_view quantity : RemoteController::kHealth) {
        const std::string signal = fmt::format("{}/{}", full, quantity);
        if (setup_.signals.find(signal)) {
          diagnostics_.error(name->place,
                             "<{}> '{}': there is a signal '{}' already; give the connection another name",
                             element.name, full, signal);
          continue;
        }
        setup_.signals.add(signal, "", SignalRole::kHealth);
      }
    }
  }

  void reject_shared_commands() {
    std::map<Slot, std::string> writers;
    for (const auto& connection : setup_.connections) {
      for (const Slot slot : connection.device->writes()) {
        const auto [writer, is_first] = writers.emplace(slot, connection.name);
        if (is_first) continue;
        diagnostics_.error(places_[connection.name + "connection"],
                           "connection '{}': signal '{}' is written by connection '{}' already",
                           connection.name, setup_.signals.info(slot).name, writer->second);
      }
    }
  }

  /// After all devices with state, and before the observers, which may use them.
  void add_round_trips() {
    for (const auto& connection : setup_.connections) {
      const std::string signal = connection.name + "/round_trip";
      if (!setup_.signals.find(signal)) setup_.signals.add(signal, "s", SignalRole::kTiming);
    }
  }

  void add_events() {
    for (const ScheduledEvent& scheduled : scenario_.events) {
      const bool is_broken = diagnostics_.is_broken(scheduled.place);
      if (scheduled.at.count() % setup_.model->step.count() != 0 && !is_broken) {
        diagnostics_.error(scheduled.place, "event: time {} s is not a multiple of the physics step ({} s)",
                           to_seconds(scheduled.at), to_seconds(setup_.model->step));
        continue;
      }
      // Errors of an event that cannot be checked are follow-up errors of what it references.
      if (is_broken ||
          (diagnostics_.has_errors() && references_broken(scheduled.target, "", *setup_.model, diagnostics_))) {
        continue;
      }
      const std::optional<Action> action =
          make_action(scheduled, "event", {*setup_.model, setup_.signals, setup_.faults}, diagnostics_);
      if (!action) continue;
      setup_.events.push_back({scheduled.at.count() / setup_.model->step.count(),
                               static_cast<std::int32_t>(scheduled.priority), *action});
    }
  }

 private:
  template <typename Visit>
  void for_each_owner(Visit visit) {
    for (const Robot& robot : scenario_.robots) visit(robot.devices, robot.name);
    visit(scenario_.devices, "");
  }

  /// Devices that read signals of others are made after them.
  enum class Readers { kNone, kOnly };

  template <typename Device>
  void add(const std::vector<Element>& elements, const char* category, const Kinds<Device>& kinds,
           const std::string& scope, std::vector<Scheduled<Device>>& made, Readers readers = Readers::kNone) {
    BuildContext context(*setup_.model, setup_.signals, diagnostics_, services_, scope);
    for (const Element& element : elements) {
      const auto* kind = kinds.find(element.name);
      if ((kind != nullptr && kind->reads_signals) != (readers == Readers::kOnly)) continue;
      const Attribute* name = element.find_attribute("name");
      const std::string full = name == nullptr ? std::string(kNoName)
                               : scope.empty() ? name->value
                                               : scope + "/" + name->value;
      if (name == nullptr) diagnostics_.mark_nameless("device");
      if (kind == nullptr) {
        diagnostics_.mark_missing(full);
        diagnostics_.error(element.place, "there is no {} <{}>{}", category, element.name,
                           suggest(element.name, kinds.names()));
        continue;
      }
      // Checked before it is made: its signals would be taken, too.
      if (name != nullptr && !names_.emplace(category, scope, name->value).second) {
        diagnostics_.error(name->place, "<{}> '{}': another {} has that name", element.name, full, category);
        diagnostics_.mark_missing(full);
        continue;
      }
      std::unique_ptr<Device> device = make(*kind, element, full, context);
      if (!device) continue;
      made.push_back({context.name(), std::move(device), context.every(), 0});
      places_[made.back().name + category] = context.place_of("period");
    }
  }

  /// Makes a device. If it references something broken, its errors are follow-up errors, and so are those of
  /// elements that reference it.
  template <typename Kind>
  auto make(const Kind& kind, const Element& element, const std::string& full, BuildContext& context) {
    const Diagnostics::Mark mark = diagnostics_.mark();
    auto device = kind.make(element, context);
    const bool is_consequence =
        mark.errors > 0 && references_broken(element, context.scope, *setup_.model, diagnostics_);
    if (!device || is_consequence) diagnostics_.mark_missing(full);
    if (is_consequence && !diagnostics_.is_broken(element.place)) {
      const Attribute* period = element.find_attribute("period");
      diagnostics_.rewind(mark, period != nullptr ? period->place : Place{});
    }
    return device;
  }

  /// Forces last for one step, so devices that apply forces must be called in every step.
  template <typename Device>
  void reject_periods(const std::vector<Scheduled<Device>>& made, const char* category) {
    for (const Scheduled<Device>& device : made) {
      if (device.every == 1 || diagnostics_.has_error_at(places_[device.name + category])) continue;
      diagnostics_.error(places_[device.name + category], "{} '{}': is called in every step; remove 'period'",
                         category, device.name);
    }
  }

  /// A drive moves its joint whatever another actuator does there.
  void reject_other_forces() {
    for (const auto& [joint, drive] : drives_) {
      for (const auto& actuator : setup_.actuators) {
        if (actuator.name == drive) continue;
        for (const SignalInfo& signal : setup_.signals.all()) {
          if (!signal.name.starts_with(actuator.name + "/")) continue;
          if (signal.limits.joint != setup_.model->joint(joint).name) continue;
          diagnostics_.error(
              places_[actuator.name + "actuator"],
              "actuator '{}': joint '{}' is driven by '{}', whatever acts on it; remove one of them",
              actuator.name, signal.limits.joint, drive);
          break;
        }
      }
    }
  }

  const Scenario& scenario_;
  const RegistryLists& lists_;
  Diagnostics& diagnostics_;
  SimulationSetup& setup_;
  OutputFiles outputs_;
  FaultsOfConnections connection_faults_;
  std::map<JointId, std::string> drives_;
  BuildServices services_;
  std::set<std::string> named_connections_;                            // full names
  std::set<std::tuple<std::string, std::string, std::string>> names_;  // category, robot, name
  std::map<std::string, Place> places_;
};

std::string write_with_defaults(Scenario scenario, const Registry& registry) {
  write_out_engine_defaults(scenario, registry.lists().engines);
  return write_scenario(scenario, Defaults::kWriteOut);
}

}  // namespace

Simulation assemble(const Scenario& scenario, const Assets& assets, const Registry& registry,
                    Diagnostics& diagnostics, const AssembleOptions& options) {
  SimulationSetup setup;
  const std::shared_ptr<Model> model = build_model(scenario, assets, diagnostics);
  setup.model = model;
  const Engine* engine = find_engine(scenario, registry.lists().engines, diagnostics);
  if (engine != nullptr) check_engine(*engine, *setup.model, diagnostics);

  setup.signals.add("time", "s", SignalRole::kInternal);
  if (!diagnostics.has_errors()) {
    if (auto medium = make_medium(*setup.model))
      setup.subsystems.push_back({"medium", std::move(medium), 1, 0});
  }
  Assembler assembler(scenario, assets, registry, diagnostics, options, setup);
  assembler.add_devices();
  for (const auto& [joint, drive] : assembler.drives()) model->joints[index(joint)].driven = true;
  if (engine != nullptr && !engine->capabilities().driven_joints) assembler.reject_drives(engine->name());
  assembler.add_events();
  if (options.also_check) options.also_check(*setup.model, setup.signals, diagnostics);
  diagnostics.throw_if_errors();
  setup.world = engine->make_world(setup.model);
  return Simulation(std::move(setup));
}

LoadedScenario load_scenario(const Document& document, const Registry& registry, Diagnostics& diagnostics) {
  Scenario scenario = read_scenario(document.root(), diagnostics);
  Assets assets(scenario, document.root_folder(), diagnostics);
  std::uint64_t hash = 0;
  if (!diagnostics.has_errors()) hash = hash_text(write_with_defaults(scenario, registry));
  return {std::move(scenario), std::move(assets), document.root_folder(), hash};
}

Document read_edited(const std::filesystem::path& file, const std::vector<std::string>& edits,
                     Diagnostics& diagnostics) {
  Document document = Document::read_file(file, diagnostics);
  for (const std::string& edit : edits) {
    try {
      apply_edits(document, {&edit, 1});
    } catch (const UserError& error) {
      diagnostics.add_all(error.diagnostics());
    }
  }
  return document;
}

LoadedScenario load_scenario(const std::filesystem::path& file, const Registry& registry,
                             const std::vector<std::string>& edits, Diagnostics& diagnostics) {
  return load_scenario(read_edited(file, edits, diagnostics), registry, diagnostics);
}

LoadedScenario load_scenario(const std::filesystem::path& file, const Registry& registry,
                             const std::vector<std::string>& edits) {
  Diagnostics diagnostics;
  LoadedScenario loaded = load_scenario(file, registry, edits, diagnostics);
  diagnostics.throw_if_errors();
  return loaded;
}

std::string packed_text(const LoadedScenario& loaded, const Registry& registry) {
  const std::string text = write_with_defaults(loaded.scenario, registry);
  return pack(Document::read_text(text, loaded.scenario.name, loaded.folder));
}

}  // namespace lockstep
