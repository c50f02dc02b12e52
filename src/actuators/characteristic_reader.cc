#include <algorithm>
#include <array>

#include "actuators/characteristic.h"
#include "base/text.h"
#include "base/units.h"

namespace lockstep {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// A cell of the file and where it begins, counted from 1.
struct Cell {
  std::string_view text;
  int column = 1;
};

std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(",;", at), line.size());
    cells.push_back({trimmed(line.substr(at, end - at)), static_cast<int>(at) + 1});
    at = end + 1;
  }
  return cells;
}

/// One of the quantities in the header.
struct Quantity {
  std::string_view name;
  std::string_view si_unit;
};
constexpr std::array<Quantity, 3> kQuantities = {{{"current", "A"}, {"speed", "rad/s"}, {"torque", "N*m"}}};

/// A column of the file: which quantity, in which unit.
struct Column {
  std::size_t quantity = 0;
  std::string unit;
};

class Reader {
 public:
  explicit Reader(const std::string& file) : place_{file, 0, 1} {}

  std::vector<CharacteristicPoint> read(std::string_view text) {
    std::vector<CharacteristicPoint> points;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets write it
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      ++place_.line;
      if (trimmed(line).empty()) continue;
      if (columns_.empty()) {
        read_names(split(line));
      } else {
        points.push_back(read_point(split(line)));
      }
      if (points.size() > Characteristic::kMaxPoints) {
        fail(1, "more than {} points", Characteristic::kMaxPoints);
      }
    }
    if (columns_.empty()) fail(0, "the file is empty; expected a line such as 'current,torque'");
    return points;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(int column, fmt::format_string<Args...> format, Args&&... args) {
    place_.column = column;
    throw_user_error(place_, "characteristic: {}", fmt::format(format, std::forward<Args>(args)...));
  }

  void read_names(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) {
      Column column;
      const std::size_t bracket = std::min(cell.text.find('['), cell.text.size());
      const std::string name(trimmed(cell.text.substr(0, bracket)));
      const auto known = std::find_if(kQuantities.begin(), kQuantities.end(),
                                      [&](const Quantity& q) { return q.name == name; });
      if (known == kQuantities.end()) {
        fail(cell.column, "unknown quantity '{}'{}", shown_text(name),
             suggest(name, std::vector<std::string>{"current", "speed", "torque"}));
      }
      column.quantity = static_cast<std::size_t>(known - kQuantities.begin());
      if (bracket < cell.text.size()) {
        if (!cell.text.ends_with(']')) fail(cell.column, "'{}' has no ']'", shown_text(cell.text));
        column.unit = trimmed(cell.text.substr(bracket + 1, cell.text.size() - bracket - 2));
      }
      if (has(column.quantity)) fail(cell.column, "duplicate column '{}'", name);
      columns_.push_back(std::move(column));
    }
    for (const std::size_t needed : {std::size_t{0}, std::size_t{2}}) {
      if (!has(needed)) fail(1, "there is no column '{}'", kQuantities[needed].name);
    }
  }

  bool has(std::size_t quantity) const {
    return std::any_of(columns_.begin(), columns_.end(),
                       [&](const Column& c) { return c.quantity == quantity; });
  }

  CharacteristicPoint read_point(const std::vector<Cell>& cells) {
    if (cells.size() != columns_.size()) {
      fail(1, "{} numbers; expected {}, as in the header", cells.size(), columns_.size());
    }
    std::array<double, kQuantities.size()> values{};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns_[i];
      const Quantity& quantity = kQuantities[column.quantity];
      const Result<std::vector<double>> parsed =
          parse_numbers(fmt::format("{} {}", cells[i].text, column.unit), quantity.si_unit);
      if (!parsed) fail(cells[i].column, "{}: {}", quantity.name, parsed.error());
      if (parsed->size() != 1) {
        fail(cells[i].column, "{}: {} numbers; expected one", quantity.name, parsed->size());
      }
      values[column.quantity] = parsed->front();
    }
    CharacteristicPoint point{.current = values[0], .speed = {}, .torque = values[2], .place = place_};
    if (has(1)) point.speed = values[1];
    return point;
  }

  Place place_;
  std::vector<Column> columns_;
};

}  // namespace

std::vector<CharacteristicPoint> read_characteristic(std::span<const std::uint8_t> csv,
                                                     const std::string& file) {
  return Reader(file).read({reinterpret_cast<const char*>(csv.data()), csv.size()});
}

}  // namespace lockstep
