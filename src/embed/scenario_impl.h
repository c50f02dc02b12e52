#pragma once

#include "lockstep/scenario.h"
#include "scenario/document.h"

namespace lockstep {

struct ScenarioFile::Impl {
  Document document;
  Diagnostics diagnostics;  ///< what was wrong with it already when it was read
};

}  // namespace lockstep
