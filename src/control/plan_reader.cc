#include "control/plan_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "base/units.h"

namespace lockstep {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<double> find_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

struct Cell {
  std::string_view text;
  std::uint32_t where = 1;  // column in the line, from 1
};

class PlanReader {
 public:
  PlanReader(std::string_view text, const std::string& file) : text_(text) { table_.file = file; }

  PlanTable read() {
    if (text_.size() > kMaxPlanBytes) {
      throw_user_error({table_.file}, "the plan has {} bytes; at most {} are allowed", text_.size(),
                       kMaxPlanBytes);
    }
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    while (!text_.empty() && !is_full_) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      ++line_;
      read_line(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    if (!diagnostics_.has_errors() && table_.rows() < 2) {
      diagnostics_.error({table_.file}, "the plan has {} row{} of numbers; expected at least 2", table_.rows(),
                         table_.rows() == 1 ? "" : "s");
    }
    diagnostics_.throw_if_errors();
    return std::move(table_);
  }

 private:
  void read_line(std::string_view line) {
    line = line.substr(0, line.find('#'));
    if (trim(line).empty()) return;
    const bool is_first = table_.columns == 0;
    if (is_first) choose_separator(line);
    split(line);
    if (is_first) {
      table_.columns = cells_.size();
      if (table_.columns > kMaxPlanColumns) {
        error(cells_[kMaxPlanColumns], fmt::format("a row has more than {} columns", kMaxPlanColumns));
        is_full_ = true;
        return;
      }
      const auto is_number = [](const Cell& cell) { return find_number(cell.text).has_value(); };
      if (std::none_of(cells_.begin(), cells_.end(), is_number)) {
        for (const Cell& cell : cells_) table_.header.emplace_back(cell.text);
        table_.header_line = line_;
        return;
      }
    }
    read_row();
  }

  void choose_separator(std::string_view line) {
    for (const char candidate : {';', ',', '\t'}) {
      if (line.find(candidate) == line.npos) continue;
      separator_ = candidate;
      return;
    }
  }

  /// Fills cells_, with at most one more than a row may have: that is enough to reject it.
  void split(std::string_view line) {
    cells_.clear();
    std::size_t at = separator_ == ' ' ? line.find_first_not_of(kBlanks) : 0;
    while (cells_.size() <= kMaxPlanColumns) {
      const std::size_t end = std::min(
          separator_ == ' ' ? line.find_first_of(kBlanks, at) : line.find(separator_, at), line.size());
      Cell cell{trim(line.substr(at, end - at))};
      cell.where = static_cast<std::uint32_t>(cell.text.data() - line.data() + 1);
      if (cell.text.size() >= 2 && cell.text.front() == '"' && cell.text.back() == '"') {
        cell.text = cell.text.substr(1, cell.text.size() - 2);
      }
      cells_.push_back(cell);
      if (end == line.size()) return;
      at = end + 1;
      if (separator_ != ' ') continue;
      at = line.find_first_not_of(kBlanks, at);
      if (at == line.npos) return;
    }
  }

  void read_row() {
    if (table_.rows() == kMaxPlanRows || table_.cells.size() + table_.columns > kMaxPlanCells) {
      error(cells_[0], fmt::format("the plan is too long; at most {} rows and {} cells are allowed",
                                   kMaxPlanRows, kMaxPlanCells));
      is_full_ = true;
      return;
    }
    if (cells_.size() != table_.columns) {
      const Cell& at = cells_[std::min(cells_.size() - 1, table_.columns)];
      error(at, fmt::format("the row has {} cell{}; the first has {}", cells_.size(),
                            cells_.size() == 1 ? "" : "s", table_.columns));
      return;
    }
    table_.lines.push_back(line_);
    for (const Cell& cell : cells_) {
      table_.cells.push_back(read_number(cell));
      table_.where.push_back(cell.where);
    }
  }

  double read_number(const Cell& cell) {
    const std::optional<double> value = find_number(cell.text);
    if (value && std::abs(*value) <= kMaxPlanNumber) return *value;
    if (value) {
      error(cell, fmt::format("'{}' is out of range; expected at most {} in either direction",
                              shown_text(cell.text), kMaxPlanNumber));
    } else if (cell.text.empty()) {
      error(cell, "the cell is empty; expected a number");
    } else if (cell.text.find(',') != cell.text.npos) {
      error(cell,
            fmt::format("'{}' is not a number; expected a decimal point, not a comma", shown_text(cell.text)));
    } else if (const Result<std::vector<double>> parsed = parse_numbers(cell.text, ""); !parsed) {
      error(cell, parsed.error());
    } else {
      error(cell, fmt::format("'{}' is not a number; expected a number such as '0.5'", shown_text(cell.text)));
    }
    return 0.0;
  }

  void error(const Cell& cell, const std::string& text) {
    diagnostics_.error({table_.file, line_, static_cast<int>(cell.where)}, "{}", text);
    // A wrong file would have an error in every cell.
    if (diagnostics_.error_count() >= Diagnostics::kMaxErrors) is_full_ = true;
  }

  std::string_view text_;
  PlanTable table_;
  Diagnostics diagnostics_;
  std::vector<Cell> cells_;  // of the line
  char separator_ = ' ';     // ' ' means any blanks
  int line_ = 0;
  bool is_full_ = false;
};

}  // namespace

PlanTable read_plan_table(std::string_view text, const std::string& file) {
  return PlanReader(text, file).read();
}

}  // namespace lockstep
