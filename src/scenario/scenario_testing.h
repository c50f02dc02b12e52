#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/temporary_folder_testing.h"
#include "scenario/document.h"
#include "scenario/read.h"

/// Helpers shared by the tests of this folder.
namespace lockstep {

/// The text of the UserError that `action` throws; "" if it throws none.
template <typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

inline Document document_of(std::string_view text) {
  return Document::read_text(text, "t.xml", ".");
}

/// All errors of a scenario named t.xml.
inline std::string scenario_errors(std::string_view text) {
  return error_of([&] { read_scenario(document_of(text)); });
}

}  // namespace lockstep
