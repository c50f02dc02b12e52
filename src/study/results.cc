#include "study/results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <tuple>

#include "base/files.h"
#include "base/hash.h"
#include "base/units.h"
#include "scenario/describe_study.h"

namespace lockstep {
namespace {

constexpr std::string_view kFirstLine = "# lockstep results 1";
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 32;
constexpr std::size_t kMaxReason = 200;
constexpr std::array<std::string_view, 3> kVerdicts = {"valid", "violated", "invalid"};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

std::string one_field(std::string_view text) {
  std::string field(text.substr(0, kMaxReason));
  for (char& c : field) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return field;
}

std::string check_of(std::string_view line) {
  return to_hex(hash_text(line)).substr(0, 8);
}

std::string line_of(const EvaluationRecord& record, const ResultsHead& head) {
  std::string line = fmt::format("{}\t{}\t{}", record.island, record.evaluation,
                                 kVerdicts[static_cast<std::size_t>(record.outcome.verdict)]);
  const auto add = [&](const std::vector<double>& numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      line += "\t" + (i < numbers.size() ? format_number(numbers[i]) : std::string("-"));
  };
  add(record.outcome.objectives, head.objectives.size());
  line += "\t" + format_number(record.outcome.excess);
  add(record.values, head.parameters.size());
  line += "\t" + one_field(record.outcome.reason);
  return fmt::format("{}\t{}\n", line, check_of(line));
}

std::string text_of(const ResultsHead& head) {
  std::string text = fmt::format(
      "{}\n# scenario\t{}\n# study\t{}\n# hash\t{}\n# method\t{}\n# evaluations\t{}\n# islands\t{}\n",
      kFirstLine, one_field(head.scenario), head.study, to_hex(head.hash), head.method, head.evaluations,
      head.islands);
  std::string columns = "island\tevaluation\tverdict";
  for (const auto& objective : head.objectives) {
    text += fmt::format("# objective\t{}\t{}\t{}\n", objective.name,
                        objective.is_maximized ? "maximize" : "minimize", one_field(objective.formula));
    columns += "\t" + objective.name;
  }
  columns += "\texcess";
  for (const auto& parameter : head.parameters) {
    text += fmt::format("# parameter\t{}\t{}\t{}\t{}\t{}\t{}\n", parameter.name, format_number(parameter.min),
                        format_number(parameter.max), parameter.is_log ? "log" : "linear",
                        parameter.start ? format_number(*parameter.start) : "-", parameter.path);
    columns += "\t" + parameter.name;
  }
  return text + columns + "\treason\tcheck\n";
}

/// Reads a results file line by line.
class ResultsReader {
 public:
  ResultsReader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  Results read() {
    std::string_view line;
    if (!next(line) || line != kFirstLine) fail("expected '{}'", kFirstLine);
    while (next(line) && line.starts_with("# ")) read_head(line.substr(2));
    if (!line.starts_with("island\t")) fail("the line with the column names is missing");
    whole_ = at_;
    while (next(line)) {
      if (!read_record(line)) {
        // A process killed while writing leaves an incomplete line, but only as the last one.
        if (!rest().empty()) fail("the line is damaged; its checksum does not match");
        break;
      }
      whole_ = at_;
    }
    return std::move(results_);
  }
  std::size_t whole() const { return whole_; }  ///< bytes of complete lines

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_user_error({file_, line_, 1}, "{}", fmt::format(format, std::forward<Args>(args)...));
  }

  bool next(std::string_view& line) {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return false;
    line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    return true;
  }
  std::string_view rest() const { return text_.substr(at_); }

  template <typename T>
  T number(std::string_view text) const {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) fail("'{}' is not a number", one_field(text));
    if constexpr (std::is_same_v<T, double>) {
      if (!std::isfinite(value)) fail("'{}' is not a finite number", one_field(text));
    }
    return value;
  }

  void read_head(std::string_view line) {
    ResultsHead& head = results_.head;
    const std::vector<std::string_view> fields = split(line);
    const auto is = [&](std::string_view key, std::size_t count) {
      if (fields[0] != key) return false;
      if (fields.size() != count) fail("'{}' has {} fields; expected {}", key, fields.size(), count);
      return true;
    };
    if (is("scenario", 2)) {
      head.scenario = fields[1];
    } else if (is("study", 2)) {
      head.study = fields[1];
    } else if (is("method", 2)) {
      head.method = fields[1];
    } else if (is("hash", 2)) {
      const auto [end, error] =
          std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), head.hash, 16);
      if (error != std::errc{} || end != fields[1].data() + fields[1].size()) fail("the hash is invalid");
    } else if (is("evaluations", 2)) {
      head.evaluations = number<std::int64_t>(fields[1]);
    } else if (is("islands", 2)) {
      head.islands = number<std::int64_t>(fields[1]);
    } else if (is("objective", 4)) {
      head.objectives.push_back({std::string(fields[1]), fields[2] == "maximize", std::string(fields[3])});
    } else if (is("parameter", 7)) {
      head.parameters.push_back(
          {.name = std::string(fields[1]),
           .path = std::string(fields[6]),
           .min = number<double>(fields[2]),
           .max = number<double>(fields[3]),
           .is_log = fields[4] == "log",
           .start = fields[5] == "-" ? std::nullopt : std::optional(number<double>(fields[5]))});
    } else {
      fail("unknown line '{}' in the head", one_field(fields[0]));
    }
  }

  /// False if the line is incomplete.
  bool read_record(std::string_view line) {
    const std::size_t tab = line.rfind('\t');
    if (tab == std::string_view::npos || line.substr(tab + 1) != check_of(line.substr(0, tab))) return false;
    const ResultsHead& head = results_.head;
    const std::vector<std::string_view> fields = split(line.substr(0, tab));
    if (fields.size() != 5 + head.objectives.size() + head.parameters.size())
      fail("the number of columns is wrong");
    EvaluationRecord record;
    auto field = fields.begin();
    record.island = number<std::int64_t>(*field++);
    record.evaluation = number<std::int64_t>(*field++);
    const auto verdict = std::find(kVerdicts.begin(), kVerdicts.end(), *field++);
    if (verdict == kVerdicts.end()) fail("unknown verdict");
    record.outcome.verdict = static_cast<Evaluation::Verdict>(verdict - kVerdicts.begin());
    const auto take = [&](std::vector<double>& numbers, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i, ++field) {
        if (*field != "-") numbers.push_back(number<double>(*field));
      }
      if (!numbers.empty() && numbers.size() != count) fail("some numbers are missing");
    };
    take(record.outcome.objectives, head.objectives.size());
    record.outcome.excess = number<double>(*field++);
    take(record.values, head.parameters.size());
    record.outcome.reason = *field;
    const bool has_objectives = record.outcome.verdict != Evaluation::Verdict::kInvalid;
    if (has_objectives == record.outcome.objectives.empty()) fail("the verdict does not match the objectives");
    results_.records.push_back(std::move(record));
    return true;
  }

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t whole_ = 0;
  int line_ = 0;
  Results results_;
};

void write_all(int descriptor, std::string_view text, const std::filesystem::path& file) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_user_error({file.string()}, "cannot be written: {}", std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_text(const std::filesystem::path& file) {
  Result<FileContent> read = read_any_file(file, kMaxFileBytes);
  if (!read) throw_user_error({}, "the results file {}", read.error());
  return std::move(read->bytes);
}

auto order_of(const EvaluationRecord& record) {
  return std::tuple(record.island, record.evaluation);
}

}  // namespace

ResultsHead head_of(const StudySetup& setup) {
  const Study& study = setup.study;
  ResultsHead head{.scenario = setup.scenario_file,
                   .study = study.name,
                   .hash = setup.hash,
                   .method = std::string(kSearchKinds[study.methods.front().options.index()].name),
                   .evaluations = study.evaluations,
                   .islands = study.islands};
  const std::vector<std::string> names = objective_names(study);
  for (std::size_t i = 0; i < names.size(); ++i) {
    head.objectives.push_back({names[i], is_maximized(study.objectives[i]), formula_of(study.objectives[i])});
  }
  for (const SearchAxis& axis : setup.axes) {
    head.parameters.push_back(
        {axis.name, axis.path, axis.min, axis.max, axis.scale == ParameterScale::kLog, axis.start});
  }
  return head;
}

Results read_results(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  return ResultsReader(file.string(), text).read();
}

ResultsWriter::ResultsWriter(std::filesystem::path file, const StudySetup& setup, bool resumes)
    : file_(std::move(file)), head_(head_of(setup)) {
  const Place place{file_.string()};
  const bool is_there = std::filesystem::exists(file_);
  if (is_there && !resumes) {
    throw_user_error(place, "already exists; continue it with --resume, or remove it to start over");
  }
  if (!is_there) {
    const Result<void> written = replace_file(file_, text_of(head_), Durability::kMachine);
    if (!written) throw_user_error(place, "cannot be written: {}", written.error());
  }
  descriptor_ = open(file_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw_user_error(place, "cannot be opened: {}", std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) throw_user_error(place, "another process is writing it");
  if (!is_there) return;
  const std::string text = read_text(file_);
  ResultsReader reader(file_.string(), text);
  Results results = reader.read();
  if (results.head.hash != head_.hash || results.head.study != head_.study) {
    throw_user_error(place, "belongs to another study or version of the scenario; remove it to start over");
  }
  known_ = std::move(results.records);
  if (ftruncate(descriptor_, static_cast<off_t>(reader.whole())) != 0) {
    throw_user_error(place, "cannot be written: {}", std::strerror(errno));
  }
}

ResultsWriter::~ResultsWriter() {
  if (descriptor_ >= 0) close(descriptor_);
}

void ResultsWriter::append(const EvaluationRecord& record) {
  write_all(descriptor_, line_of(record, head_), file_);
}

void ResultsWriter::finish() {
  // The lines of each island are already in order, so copy island by island: there may be too many lines for
  // memory.
  FileReplacement sorted(file_);
  {
    std::ifstream in(file_, std::ios::binary);
    std::ofstream out(sorted.path(), std::ios::binary | std::ios::trunc);
    out << text_of(head_);
    std::string line;
    for (std::int64_t island = 0; island <= head_.islands; ++island) {
      const std::string begin = fmt::format("{}\t", island);
      in.clear();
      in.seekg(0);
      while (std::getline(in, line)) {
        if (line.starts_with(begin)) out << line << '\n';
      }
    }
    out.flush();
    if (!in.eof() || !out) throw_user_error({file_.string()}, "cannot be written");
  }
  if (const Result<void> done = sorted.commit(); !done)
    throw_user_error({file_.string()}, "cannot be written: {}", done.error());
}

void Leaders::see(const EvaluationRecord& record) {
  if (record.island == 0) {
    start_ = record;
    return;
  }
  ++count_;
  if (record.outcome.verdict == Evaluation::Verdict::kInvalid) ++invalid_count_;
  if (record.outcome.verdict == Evaluation::Verdict::kViolated) ++violated_count_;
  if (record.outcome.verdict != Evaluation::Verdict::kValid) return;
  const auto rank = [&](const EvaluationRecord& each) {
    return std::tuple(-merit(head_, each, 0), order_of(each));
  };
  if (!best_ || rank(record) < rank(*best_)) best_ = record;

  const std::size_t objectives = head_.objectives.size();
  // At least as good in every objective; of equals the first wins.
  const auto dominates = [&](const EvaluationRecord& a, const EvaluationRecord& b) {
    bool is_equal = true;
    for (std::size_t i = 0; i < objectives; ++i) {
      const double ours = merit(head_, a, i), theirs = merit(head_, b, i);
      if (ours < theirs) return false;
      is_equal &= ours == theirs;
    }
    return !is_equal || order_of(a) < order_of(b);
  };
  if (std::any_of(front_.begin(), front_.end(), [&](const auto& other) { return dominates(other, record); }))
    return;
  std::erase_if(front_, [&](const auto& other) { return dominates(record, other); });
  const auto behind =
      std::find_if(front_.begin(), front_.end(), [&](const auto& other) { return rank(record) < rank(other); });
  front_.insert(behind, record);
}

}  // namespace lockstep
