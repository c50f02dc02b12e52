#include "control/playback.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/text.h"
#include "control/plan_reader.h"
#include "device/context.h"

namespace lockstep {
namespace {

enum class Quantity { kPosition, kVelocity, kAcceleration };

/// One curve of the plan and its columns in the table.
struct Track {
  Slot signal{};
  std::size_t column = 0;  // of the positions
  double factor = 1.0;     // to SI
  std::optional<std::size_t> velocity;
  std::optional<std::size_t> acceleration;
  double velocity_factor = 1.0;
  double acceleration_factor = 1.0;
};

/// A column name such as "velocity(elbow)[deg/s]", parsed.
struct ColumnName {
  std::string text;  // as written
  std::string name;
  std::optional<std::string> unit;
  Quantity quantity = Quantity::kPosition;
};

ColumnName parse_column_name(const std::string& text) {
  ColumnName result{.text = text, .name = text};
  const std::size_t bracket = result.name.find('[');
  if (bracket != std::string::npos && result.name.ends_with(']')) {
    result.unit = result.name.substr(bracket + 1, result.name.size() - bracket - 2);
    result.name.erase(result.name.find_last_not_of(' ', bracket == 0 ? 0 : bracket - 1) + 1);
  }
  for (const auto& [prefix, quantity] :
       {std::pair<std::string_view, Quantity>{"velocity(", Quantity::kVelocity},
        {"acceleration(", Quantity::kAcceleration}}) {
    if (!result.name.starts_with(prefix) || !result.name.ends_with(')')) continue;
    result.name = result.name.substr(prefix.size(), result.name.size() - prefix.size() - 1);
    result.quantity = quantity;
  }
  return result;
}

class PlaybackBuilder {
 public:
  PlaybackBuilder(const PlaybackConfig& config, BuildContext& context) : config_(config), context_(context) {}

  std::unique_ptr<Controller> build() {
    if (!read() || !find_columns() || !make_times()) return nullptr;
    make_curves();
    if (!check()) return nullptr;
    std::vector<Slot> signals;
    for (const Track& track : tracks_) signals.push_back(track.signal);
    const auto progress = context_.add_signal("progress", "", SignalRole::kInternal);
    if (!progress) return nullptr;
    return std::make_unique<Playback>(
        std::move(plan_), std::move(signals), *progress,
        Playback::Settings{.start = to_seconds(config_.start), .time_scale = config_.time_scale});
  }

 private:
  bool read() try {
    const std::vector<std::uint8_t> bytes = context_.load_file(config_.src);
    table_ = read_plan_table({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, config_.src);
    return true;
  } catch (const UserError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics().list()) context_.diagnostics.add(diagnostic);
    return false;
  }

  bool find_columns() {
    std::vector<std::string> names = table_.header;
    if (!config_.columns.empty()) {
      names.clear();
      std::istringstream words(config_.columns);
      for (std::string word; words >> word;) names.push_back(word);
    }
    if (names.empty()) {
      context_.error_at("src", "the plan '{}' has no header; name its {} column{} with 'columns'", config_.src,
                        table_.columns, table_.columns == 1 ? "" : "s");
      return false;
    }
    if (names.size() != table_.columns) {
      context_.error_at("columns", "columns: {} given, but the plan '{}' has {}", names.size(), config_.src,
                        table_.columns);
      return false;
    }
    const std::size_t errors = context_.diagnostics.error_count();
    // Positions first: a velocity column may come before the position it belongs to.
    for (const bool positions : {true, false}) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const ColumnName column = parse_column_name(names[i]);
        if ((column.quantity == Quantity::kPosition) == positions) add_column(column, i);
      }
    }
    if (tracks_.empty() && errors == context_.diagnostics.error_count()) {
      context_.error_at("columns", "no column drives a signal");
    }
    return errors == context_.diagnostics.error_count();
  }

  void add_column(const ColumnName& column, std::size_t index) {
    if (column.name == "-") return;
    if (column.name == "time" && column.quantity == Quantity::kPosition) {
      if (time_column_) return column_error(column, "appears twice");
      time_column_ = index;
      time_factor_ = find_factor(column, column.unit.value_or("s"), "s");
      return;
    }
    const std::optional<Slot> signal = find_signal(column);
    if (!signal) return;
    const auto track =
        std::find_if(tracks_.begin(), tracks_.end(), [&](const Track& t) { return t.signal == *signal; });
    const std::string& si_unit = context_.signals.info(*signal).unit;
    if (column.quantity == Quantity::kPosition) {
      if (track != tracks_.end()) return column_error(column, "appears twice");
      tracks_.push_back(
          {.signal = *signal, .column = index, .factor = find_factor(column, own_unit(column), si_unit)});
      return;
    }
    const bool is_velocity = column.quantity == Quantity::kVelocity;
    const char* per_time = is_velocity ? "/s" : "/s^2";
    const bool is_linear = config_.interpolation == Interpolation::kLinear;
    if (is_linear || (config_.interpolation == Interpolation::kCubic && !is_velocity)) {
      return column_error(column, fmt::format("does not apply to {} interpolation; ignore it with '-'",
                                              is_linear ? "linear" : "cubic"));
    }
    if (track == tracks_.end())
      return column_error(column, fmt::format("has no position column '{}'", shown_text(column.name)));
    std::optional<std::size_t>& where = is_velocity ? track->velocity : track->acceleration;
    if (where) return column_error(column, "appears twice");
    where = index;
    const std::string unit = column.unit || config_.unit.empty() ? own_unit(column) : config_.unit + per_time;
    (is_velocity ? track->velocity_factor : track->acceleration_factor) =
        find_factor(column, unit, si_unit.empty() ? si_unit : si_unit + per_time);
  }

  /// The unit a column is in, "" for SI.
  std::string own_unit(const ColumnName& column) const { return column.unit.value_or(config_.unit); }

  double find_factor(const ColumnName& column, const std::string& unit, const std::string& si_unit) {
    if (unit.empty()) return 1.0;
    const std::optional<Unit> given = find_unit(unit);
    const std::optional<Unit> expected = find_unit(si_unit);
    if (given && expected && fits(*given, *expected)) return given->factor;
    column_error(column,
                 given ? fmt::format("is in '{}'; expected a unit that fits '{}'", shown_text(unit), si_unit)
                       : fmt::format("is in '{}', which is not a unit", shown_text(unit)));
    return 1.0;
  }

  /// A command signal by its name, or by that of the device if the device has only one.
  std::optional<Slot> find_signal(const ColumnName& column) {
    std::vector<Slot> found;
    const std::string in_scope = context_.scope.empty() ? column.name : context_.scope + "/" + column.name;
    for (const std::string& name : {in_scope, column.name}) {
      if (const auto slot = context_.signals.find(name)) {
        found = {*slot};
      } else {
        found = commands_of(name);
      }
      if (!found.empty()) break;
    }
    if (found.size() > 1) {
      column_error(column,
                   fmt::format("could be '{}' or '{}'; name the signal", context_.signals.info(found[0]).name,
                               context_.signals.info(found[1]).name));
      return std::nullopt;
    }
    if (found.empty()) {
      column_error(column,
                   fmt::format("is not a command signal{}; ignore it with '-'",
                               suggest(column.name, context_.short_names(command_names(context_.signals)))));
      return std::nullopt;
    }
    const SignalInfo& info = context_.signals.info(found.front());
    if (info.role == SignalRole::kCommand) return found.front();
    column_error(column, "is measured, not commanded; it cannot be written");
    return std::nullopt;
  }

  std::vector<Slot> commands_of(const std::string& device) const {
    std::vector<Slot> found;
    for (std::size_t i = 0; i < context_.signals.size(); ++i) {
      const SignalInfo& info = context_.signals.info(Slot{i});
      if (info.role == SignalRole::kCommand && info.name.starts_with(device + "/")) found.push_back(Slot{i});
    }
    return found;
  }

  void column_error(const ColumnName& column, const std::string& text) {
    const Place place =
        config_.columns.empty() ? Place{config_.src, table_.header_line, 1} : context_.place_of("columns");
    context_.diagnostics.error(place, "{}: column '{}' {}", context_.subject(), shown_text(column.text), text);
  }

  bool make_times() {
    if (time_column_.has_value() == config_.interval.has_value()) {
      context_.error_at("interval", "{}",
                        time_column_ ? "the plan has a column 'time'; remove 'interval'"
                                     : "the plan has no column 'time'; give the 'interval' between its rows");
      return false;
    }
    plan_.times.resize(table_.rows(), 0.0);
    for (std::size_t row = 1; row < table_.rows(); ++row) {
      if (!time_column_) {
        plan_.times[row] = static_cast<double>(row) * to_seconds(*config_.interval);
        continue;
      }
      plan_.times[row] = (table_.cell(row, *time_column_) - table_.cell(0, *time_column_)) * time_factor_;
      constexpr double kMin = 1e-9;  // s: time itself is counted in these
      if (plan_.times[row] - plan_.times[row - 1] >= kMin) continue;
      context_.diagnostics.error(table_.place(row, *time_column_),
                                 "{}: row {}: time {} is not after {} of row {}", context_.subject(), row + 1,
                                 table_.cell(row, *time_column_), table_.cell(row - 1, *time_column_), row);
      return false;
    }
    return true;
  }

  void make_curves() {
    plan_.interpolation = config_.interpolation;
    plan_.loop = config_.loop;
    const auto take = [&](std::size_t column, double factor) {
      std::vector<double> values(table_.rows());
      for (std::size_t row = 0; row < values.size(); ++row) values[row] = factor * table_.cell(row, column);
      return values;
    };
    for (const Track& track : tracks_) {
      PlanCurve curve{.position = take(track.column, track.factor)};
      if (track.velocity) curve.velocity = take(*track.velocity, track.velocity_factor);
      if (track.acceleration) curve.acceleration = take(*track.acceleration, track.acceleration_factor);
      plan_.curves.push_back(std::move(curve));
    }
    complete(plan_);
  }

  bool check() {
    const std::size_t errors = context_.diagnostics.error_count();
    if (config_.max_acceleration && config_.interpolation == Interpolation::kLinear) {
      context_.error_at("max_acceleration",
                        "max_acceleration does not apply to linear interpolation; use 'cubic' or 'quintic'");
    }
    std::vector<double> max_speeds;
    for (std::size_t i = 0; i < tracks_.size(); ++i) max_speeds.push_back(check_curve(i));
    // Row by row, so that errors are in the order of the file.
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      for (std::size_t i = 0; i < tracks_.size(); ++i) {
        const SignalInfo& signal = context_.signals.info(tracks_[i].signal);
        const bool is_last = row + 1 == table_.rows();
        if (!check_row(i, row, signal) || is_last || !is_inside(i, row + 1, signal.limits)) continue;
        check_piece(i, row, signal, max_speeds[i]);
      }
    }
    return errors == context_.diagnostics.error_count();
  }

  /// Checks a curve as a whole; returns its speed limit.
  double check_curve(std::size_t index) {
    const SignalInfo& signal = context_.signals.info(tracks_[index].signal);
    const double no_limit = std::numeric_limits<double>::infinity();
    if (!signal.limits.start) return no_limit;
    bool fits = context_.require_unit("max_speed", signal.unit + "/s");
    fits = context_.require_unit("max_acceleration", signal.unit + "/s^2") && fits;
    fits = context_.require_unit("max_jump", signal.unit) && fits;
    const double max_speed = std::min(signal.limits.max_speed, config_.max_speed.value_or(no_limit));
    if (max_speed == no_limit) {
      context_.error_at(
          "max_speed",
          "signal '{}' has no speed limit to check the plan against; give 'max_speed' here or at its "
          "actuator",
          signal.name);
    }
    if (fits) check_jumps(index, signal);
    return max_speed;
  }

  /// Limits hold up to rounding.
  static double slack(double limit) { return std::isfinite(limit) ? 1e-9 * (1.0 + std::abs(limit)) : 0.0; }

  bool is_inside(std::size_t index, std::size_t row, const CommandLimits& limits) const {
    const double value = plan_.curves[index].position[row];
    return value >= limits.lower - slack(limits.lower) && value <= limits.upper + slack(limits.upper);
  }

  bool check_row(std::size_t index, std::size_t row, const SignalInfo& signal) {
    if (is_inside(index, row, signal.limits)) return true;
    row_error(index, row, "row {}: {} would be at {:.6g} {}; its limits are {:.6g} and {:.6g} {}", row + 1,
              what(signal), plan_.curves[index].position[row], signal.unit, signal.limits.lower,
              signal.limits.upper, signal.unit);
    return false;
  }

  void check_piece(std::size_t index, std::size_t row, const SignalInfo& signal, double max_speed) {
    const CommandLimits& limits = signal.limits;
    const Bezier position = plan_.piece(index, row);
    const auto beyond =
        find_excess(position, limits.lower - slack(limits.lower), limits.upper + slack(limits.upper));
    if (beyond) {
      row_error(index, row,
                "between rows {} and {}: {} would overshoot to {:.6g} {}; its limits are {:.6g} and {:.6g} {}",
                row + 1, row + 2, what(signal), *beyond, signal.unit, limits.lower, limits.upper, signal.unit);
    }
    // Time derivatives, at playback speed.
    const double rate = config_.time_scale / (plan_.times[row + 1] - plan_.times[row]);
    const Bezier speed = position.derivative();
    if (const auto found =
            find_excess(speed, -(max_speed + slack(max_speed)) / rate, (max_speed + slack(max_speed)) / rate)) {
      row_error(index, row + 1, "from row {} to row {}: {} would move at {:.6g} {}/s; its limit is {:.6g} {}/s",
                row + 1, row + 2, what(signal), std::abs(*found) * rate, signal.unit, max_speed, signal.unit);
    }
    if (!config_.max_acceleration || !limits.start || config_.interpolation == Interpolation::kLinear) return;
    const double most = *config_.max_acceleration + slack(*config_.max_acceleration);
    const auto found = find_excess(speed.derivative(), -most / (rate * rate), most / (rate * rate));
    if (!found) return;
    row_error(index, row + 1,
              "from row {} to row {}: {} would accelerate by {:.6g} {}/s^2; its limit is {:.6g} {}/s^2",
              row + 1, row + 2, what(signal), std::abs(*found) * rate * rate, signal.unit,
              *config_.max_acceleration, signal.unit);
  }

  void check_jumps(std::size_t index, const SignalInfo& signal) {
    const std::vector<double>& position = plan_.curves[index].position;
    const double first = position.front();
    const double most = config_.max_jump + slack(config_.max_jump);
    if (context_.begins_at_start && is_inside(index, 0, signal.limits) &&
        std::abs(first - *signal.limits.start) > most) {
      row_error(
          index, 0,
          "row 1: {} would jump from {:.6g} {}, where it is at the start, to {:.6g} {}; at most {:.6g} {} "
          "is allowed",
          what(signal), *signal.limits.start, signal.unit, first, signal.unit, config_.max_jump, signal.unit);
    }
    if (config_.loop && std::abs(first - position.back()) > most) {
      row_error(index, position.size() - 1,
                "row {}: {} would jump from {:.6g} {} back to {:.6g} {} of row 1; at most {:.6g} {} is allowed",
                position.size(), what(signal), position.back(), signal.unit, first, signal.unit,
                config_.max_jump, signal.unit);
    }
  }

  static std::string what(const SignalInfo& signal) {
    const bool is_position = signal.limits.start.has_value();
    return is_position ? fmt::format("joint '{}'", signal.limits.joint)
                       : fmt::format("signal '{}'", signal.name);
  }

  template <typename... Args>
  void row_error(std::size_t index, std::size_t row, fmt::format_string<Args...> format, Args&&... args) {
    context_.diagnostics.error(table_.place(row, tracks_[index].column), "{}: {}", context_.subject(),
                               fmt::format(format, std::forward<Args>(args)...));
  }

  const PlaybackConfig& config_;
  BuildContext& context_;
  PlanTable table_;
  std::vector<Track> tracks_;
  std::optional<std::size_t> time_column_;
  double time_factor_ = 1.0;
  Plan plan_;
};

}  // namespace

Status Playback::decide(const Instant& now, Row row) {
  const Plan::Moment at = plan_.moment((now.seconds - settings_.start) * settings_.time_scale);
  for (std::size_t i = 0; i < signals_.size(); ++i) row[signals_[i]] = plan_.piece(i, at.row).value(at.u);
  const double since = plan_.times[at.row];
  row[progress_] = (since + at.u * (plan_.times[at.row + 1] - since)) / plan_.duration();
  return {};
}

std::unique_ptr<Controller> make_playback(const PlaybackConfig& config, BuildContext& context) {
  return PlaybackBuilder(config, context).build();
}

}  // namespace lockstep
