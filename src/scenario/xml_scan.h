#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Walks over XML text before the XML library sees it.
///
/// The library is lenient (it accepts duplicate attributes and unknown entities), gives no places of
/// attributes and has no limits. This scan is strict: it refuses what is not well-formed with a helpful
/// sentence, and what is too large or too deep before memory is taken for it.
namespace lockstep::xml {

/// Line and column count from 1. A column is one UTF-8 code point, so that it agrees with text editors; a tab
/// counts as one.
struct Position {
  int line = 1;
  int column = 1;
};

struct ScanLimits {
  std::size_t items = 0;  ///< elements, comments, processing instructions and pieces of text
  std::size_t attributes = 0;
  std::size_t depth = 0;
};

struct TagPlace {
  std::size_t offset = 0;  ///< of the '<'
  Position position;
  std::size_t attribute_count = 0;
};

/// Every start tag, and every attribute name, in the order of the text.
struct Scan {
  std::vector<TagPlace> tags;
  std::vector<Position> attributes;
  std::size_t items = 0;
};

inline constexpr std::size_t kMaxAttributesPerElement = 100;
inline constexpr std::size_t kMaxNameBytes = 100;

/// `text` must have passed find_text_fault(). Throws UserError with `file` in its place.
Scan scan(std::string_view text, const std::string& file, const ScanLimits& limits);

/// The place of a byte of a text.
Position position_of(std::string_view text, std::size_t offset);

}  // namespace lockstep::xml
