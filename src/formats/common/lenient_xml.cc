#include "formats/common/lenient_xml.h"

#include <algorithm>

#include "scenario/xml_scan.h"
#include "scenario/xml_text.h"

namespace lockstep {
namespace {

/// Replaces text by spaces, except line ends.
void blank_out(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  }
}

/// The first byte after blanks and comments.
std::size_t skip_comments(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (xml::is_blank(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at);
      at = at == std::string_view::npos ? text.size() : at + 3;
    } else {
      break;
    }
  }
  return at;
}

/// The end of a DOCTYPE: its '>' outside of quotes, comments and brackets; npos if there is none.
std::size_t end_of_doctype(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = text.find(c, at + 1);
      if (at == std::string_view::npos) return at;
    } else if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at);
      if (at == std::string_view::npos) return at;
      at += 2;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']') {
      --depth;
    } else if (c == '>' && depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

std::string from_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return utf8;
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

}  // namespace

std::string as_strict_xml(const ImportSource& source, FormatReport& report) {
  std::string text = source.bytes;
  if (is_utf16(text)) return text;
  const auto note = [&](std::size_t offset, std::string_view what) {
    const xml::Position at = xml::position_of(text, offset);
    report.suspicious.push_back(fmt::format("{}: {}", to_string(Place{source.name, at.line, at.column}), what));
  };

  const auto error = xml::find_text_error(text);
  // A control character is an error in any encoding.
  if (error && static_cast<unsigned char>(text[error->offset]) >= 0x80) {
    note(error->offset, "is not UTF-8; the file is read as Latin-1");
    text = from_latin1(text);
  }
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const std::size_t begin = text.starts_with(kMark) ? kMark.size() : 0;
  std::size_t at = skip_comments(text, begin);
  if (std::string_view(text).substr(at).starts_with("<?xml ")) {
    const std::size_t end = text.find("?>", at);
    if (end == std::string::npos) return text;
    if (at != begin) note(at, "the XML declaration is not at the beginning of the file; it is ignored");
    // The text is UTF-8 now, whatever the declaration says.
    blank_out(text, at, end + 2);
    at = skip_comments(text, end + 2);
  }
  if (std::string_view(text).substr(at).starts_with("<!DOCTYPE")) {
    const std::size_t end = end_of_doctype(text, at);
    if (end == std::string::npos) return text;
    note(at, "the DOCTYPE is ignored; its entities are not expanded");
    blank_out(text, at, end);
  }
  return text;
}

}  // namespace lockstep
