#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/error.h"

/// Scans XML text before the XML library parses it.
///
/// The library is lenient (it accepts duplicate attributes and unknown entities), has no places of
/// attributes and no limits. This scan is strict: it reports what is not well-formed with a helpful
/// message, and rejects what is too large or too deep before allocating memory for it.
///
/// After an error it continues where it can, so that the rest of the file is checked in the same run: only the
/// invalid attribute, reference or comment is skipped. Where tags do not match, the document ends there.
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

/// Every start tag and attribute name that was not skipped, in document order.
struct Scan {
  std::vector<TagPlace> tags;
  std::vector<Position> attributes;
  std::size_t items = 0;

  /// Bytes to skip: from, to. In ascending order.
  std::vector<std::pair<std::size_t, std::size_t>> skipped;
  std::vector<Position> broken_tags;  ///< start tags that lack an attribute or, at a cut, children
  bool is_cut = false;                ///< only the text before `end` could be read
  std::size_t end = 0;
  std::string closing;  ///< the missing end tags
};

inline constexpr std::size_t kMaxAttributesPerElement = 100;
inline constexpr std::size_t kMaxNameBytes = 100;

/// `text` must have passed find_text_error(). Errors go into `diagnostics`, with `file` in their place. Throws
/// UserError with all of them if nothing can be read, or if a limit is exceeded.
Scan scan(std::string_view text, const std::string& file, const ScanLimits& limits, Diagnostics& diagnostics);

/// The readable text: skipped bytes replaced by spaces, missing end tags added. Offsets stay the same.
std::string sound_text(std::string_view text, const Scan& scan);

/// The place of a byte of a text.
Position position_of(std::string_view text, std::size_t offset);

}  // namespace lockstep::xml
