#include "log/observers.h"

#include "log/log_observer.h"

namespace lockstep {

void add_observers(Kinds<Observer>& observers) {
  const auto add = [&](const char* kind, const char* doc, LogFormat format) {
    observers.add<LogConfig>(kind, doc, [format](const LogConfig& config, BuildContext& context) {
      return make_log(format, config, context);
    });
  };
  add("csv", "Log of signals as comma-separated values, for spreadsheets.", LogFormat::kCsv);
  add("hdf5", "Log of signals as arrays of numbers, for Python, Matlab and Julia.", LogFormat::kHdf5);
}

}  // namespace lockstep
