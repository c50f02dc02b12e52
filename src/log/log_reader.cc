#include "log/log_reader.h"

#include "lockstep/error.h"
#include "log/log_formats_internal.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

/// Numbers kept in memory: 800 MB.
constexpr std::size_t kMaxNumbers = 100'000'000;

/// Indices of the chosen columns, the time first.
std::vector<std::size_t> choose(const std::vector<LogColumn>& columns, const std::string& patterns,
                                const Place& place) {
  std::vector<std::string> names;
  for (const LogColumn& column : columns) names.push_back(column.name);
  Selection chosen = select_names(patterns, names);
  if (!chosen) throw_user_error(place, "{}", chosen.error());
  std::erase(*chosen, 0);
  chosen->insert(chosen->begin(), 0);
  return *std::move(chosen);
}

}  // namespace

LogData read_log(const std::filesystem::path& path, const LogQuery& query) {
  const Place place{path.string(), 0, 0};
  const auto format = find_log_format(path);
  if (!format) throw_user_error(place, "has an unknown extension; expected '.csv', '.h5' or '.hdf5'");
  const auto source = format == LogFormat::kCsv ? open_csv_source(path) : open_hdf5_source(path);
  if (source->columns()[0].name != "time") {
    throw_user_error(place, "is not a log: its first column is '{}'; expected 'time'",
                     source->columns()[0].name);
  }
  const std::vector<std::size_t> chosen = choose(source->columns(), query.signals, place);
  LogData data;
  for (const std::size_t i : chosen) data.columns.push_back(source->columns()[i]);
  data.values.resize(chosen.size());
  std::vector<double> row(source->columns().size());
  while (source->next(row)) {
    if (!(row[0] >= query.from && row[0] <= query.to)) continue;
    if ((data.values[0].size() + 1) * chosen.size() > kMaxNumbers) {
      throw_user_error(place,
                       "has more than {} numbers in this range; expected fewer signals or a shorter time",
                       kMaxNumbers);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) data.values[i].push_back(row[chosen[i]]);
  }
  return data;
}

}  // namespace lockstep
