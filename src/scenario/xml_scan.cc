#include "scenario/xml_scan.h"

#include <algorithm>

#include "scenario/xml_text.h"

namespace lockstep::xml {

namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_character(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/// Converts offsets to positions. Offsets must increase, so that one pass over the text is enough even if a
/// hostile file is one very long line.
class Positions {
 public:
  explicit Positions(std::string_view text) : text_(text) {}

  Position at(std::size_t offset) {
    for (; at_ < offset; ++at_) {
      const char c = text_[at_];
      const bool ends_line = c == '\n' || (c == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n'));
      if (ends_line) {
        ++position_.line;
        position_.column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {
        ++position_.column;
      }
    }
    return position_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  Position position_;
};

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file, const ScanLimits& limits, Diagnostics& diagnostics)
      : text_(text), file_(file), limits_(limits), positions_(text), diagnostics_(diagnostics) {}

  Scan run() {
    try {
      if (at("<?xml") && text_.size() > 5 && !is_name_character(text_[5])) scan_declaration();
      while (at_ < text_.size()) {
        sound_ = {at_, scan_.tags.size(), scan_.attributes.size()};
        if (text_[at_] == '<') {
          scan_markup();
        } else {
          scan_text();
        }
      }
      sound_ = {at_, scan_.tags.size(), scan_.attributes.size()};
      if (!open_.empty()) {
        fail(open_.back().position, "<{}> is never closed; expected </{}>", open_.back().name,
             open_.back().name);
      }
      if (!has_root_) fail(Position{}, "the file has no element; expected <scenario>");
    } catch (const Cut&) {
      cut();
    }
    return std::move(scan_);
  }

 private:
  struct OpenElement {
    std::string_view name;
    Position position;
  };
  struct Cut {};  // the text cannot be read beyond this

  /// Ends the document before the tag or text that cannot be read.
  void cut() {
    scan_.tags.resize(sound_.tags);
    scan_.attributes.resize(sound_.attributes);
    if (scan_.tags.empty()) throw UserError(diagnostics_);
    std::erase_if(scan_.skipped, [&](const auto& range) { return range.second > sound_.offset; });
    scan_.is_cut = true;
    scan_.end = sound_.offset;
    for (; !open_.empty(); open_.pop_back()) {
      scan_.broken_tags.push_back(open_.back().position);
      scan_.closing += fmt::format("</{}>", open_.back().name);
    }
  }

  Place place(const Position& position) const { return {file_, position.line, position.column}; }

  template <typename... Args>
  void error(const Position& position, fmt::format_string<Args...> format, Args&&... args) {
    diagnostics_.error(place(position), format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  [[noreturn]] void fail(const Position& position, fmt::format_string<Args...> format, Args&&... args) {
    error(position, format, std::forward<Args>(args)...);
    throw Cut{};
  }
  template <typename... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> format, Args&&... args) {
    fail(positions_.at(at_), format, std::forward<Args>(args)...);
  }
  /// For exceeded limits: the whole file is rejected.
  template <typename... Args>
  [[noreturn]] void reject_here(fmt::format_string<Args...> format, Args&&... args) {
    error(positions_.at(at_), format, std::forward<Args>(args)...);
    throw UserError(diagnostics_);
  }

  bool at(std::string_view expected) const { return text_.substr(at_, expected.size()) == expected; }
  bool at_end() const { return at_ >= text_.size(); }
  bool skip_blanks() {
    const std::size_t start = at_;
    while (!at_end() && is_blank(text_[at_])) ++at_;
    return at_ > start;
  }

  void count_item() {
    if (++scan_.items > limits_.items) {
      reject_here("the scenario has too many elements; at most {} elements, comments and texts are allowed",
                  limits_.items);
    }
  }

  std::string_view scan_name(std::string_view what) {
    const std::size_t start = at_;
    if (at_end() || !is_name_start(text_[at_])) fail_here("expected {}", what);
    while (!at_end() && is_name_character(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name.size() > kMaxNameBytes) {
      at_ = start;
      fail_here("the name '{}' is too long; at most {} bytes are allowed", shown(name), kMaxNameBytes);
    }
    return name;
  }

  /// Skips the text from there to here and continues. A file with more skipped pieces than errors shown is
  /// not a scenario.
  void skip_from(std::size_t begin) {
    scan_.skipped.emplace_back(begin, at_);
    if (scan_.skipped.size() > Diagnostics::kMaxErrors) throw UserError(diagnostics_);
  }

  /// Moves past the next `end`, which closes what begins here.
  std::string_view scan_until(std::string_view begin, std::string_view end, std::string_view what) {
    const std::size_t start = at_ + begin.size();
    const std::size_t found = text_.find(end, start);
    if (found == std::string_view::npos) fail_here("{} is never closed; expected '{}'", what, end);
    at_ = found + end.size();
    return text_.substr(start, found - start);
  }

  void scan_declaration() {
    const Position start = positions_.at(at_);
    const std::string_view inside = scan_until("<?xml", "?>", "the XML declaration");
    const std::size_t encoding = inside.find("encoding");
    if (encoding == std::string_view::npos) return;
    const std::size_t open = inside.find_first_of("\"'", encoding);
    if (open == std::string_view::npos) fail(start, "the encoding of the XML declaration is not in quotes");
    const std::size_t close = inside.find(inside[open], open + 1);
    const std::string_view name =
        inside.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
    const bool known = name == "UTF-8" || name == "utf-8" || name == "US-ASCII" || name == "us-ascii";
    if (!known) fail(start, "encoding '{}' is not supported; save the file as UTF-8", shown(name));
  }

  void scan_markup() {
    if (at("<!--")) return scan_comment();
    if (at("<![CDATA[")) {
      if (open_.empty()) fail_here("text outside the root element");
      count_item();
      scan_until("<![CDATA[", "]]>", "<![CDATA[");
      return;
    }
    if (at("<!DOCTYPE"))
      fail_here("a DOCTYPE is not allowed; remove it (scenarios use no DTD and no entities)");
    if (at("<!")) fail_here("'<!' begins neither a comment nor CDATA; a comment is written <!-- … -->");
    if (at("<?")) return scan_instruction();
    if (at("</")) return scan_end_tag();
    scan_start_tag();
  }

  void scan_comment() {
    count_item();
    const Position start = positions_.at(at_);
    const std::size_t begin = at_;
    const std::string_view inside = scan_until("<!--", "-->", "the comment");
    if (inside.find("--") != std::string_view::npos || inside.ends_with('-')) {
      error(start, "the comment contains '--', which XML does not allow");
      skip_from(begin);
    }
  }

  void scan_instruction() {
    count_item();
    const std::size_t start = at_;
    at_ += 2;
    const std::string_view name = scan_name("a name after '<?'");
    at_ = start;
    if (name == "xml") fail_here("an XML declaration is only at the very beginning of a file");
    at_ = start + 2 + name.size();
    if (!at("?>") && (at_end() || !is_blank(text_[at_])))
      fail_here("expected '?>' or a blank after '<?{}'", name);
    at_ = start;
    scan_until("<?", "?>", "the processing instruction");
  }

  void scan_end_tag() {
    const Position start = positions_.at(at_);
    at_ += 2;
    const std::string_view name = scan_name("an element name after '</'");
    if (open_.empty()) fail(start, "</{}> without a start tag; no element is open", name);
    const OpenElement& last = open_.back();
    if (name != last.name) {
      fail(start, "<{}> of line {} is closed by </{}>; expected </{}>", last.name, last.position.line, name,
           last.name);
    }
    skip_blanks();
    if (!at(">")) fail_here("expected '>' after '</{}'", name);
    ++at_;
    open_.pop_back();
  }

  void scan_start_tag() {
    const TagPlace tag{at_, positions_.at(at_), 0};
    if (open_.empty() && has_root_) fail_here("a second root element; a file has exactly one");
    if (open_.size() >= limits_.depth) {
      reject_here("elements are nested too deeply; at most {} levels are allowed", limits_.depth);
    }
    count_item();
    ++at_;
    const std::string_view name = scan_name("an element name after '<' (write '<' as &lt;)");
    has_root_ = true;
    scan_.tags.push_back(tag);
    std::vector<OpenElement> attributes;
    for (;;) {
      const bool has_blank = skip_blanks();
      if (at(">")) {
        ++at_;
        open_.push_back({name, tag.position});
        break;
      }
      if (at("/>")) {
        at_ += 2;
        break;
      }
      if (at_end() || text_[at_] == '<')
        fail(tag.position, "the tag <{} has no end; expected '>' or '/>'", name);
      const std::size_t begin = at_;
      if (scan_attribute(name, has_blank, attributes)) continue;
      skip_from(begin);
      scan_.broken_tags.push_back(tag.position);
    }
    scan_.tags.back().attribute_count = attributes.size();
  }

  /// Returns false, positioned after the attribute, if the attribute is invalid and is skipped.
  bool scan_attribute(std::string_view element, bool has_blank, std::vector<OpenElement>& attributes) {
    const Position start = positions_.at(at_);
    const std::string_view name = scan_name("an attribute, '>' or '/>'");
    bool is_right = has_blank;
    if (!has_blank) error(start, "expected a blank before the attribute '{}'", name);
    for (const OpenElement& other : attributes) {
      if (other.name != name) continue;
      error(start, "<{}> has the attribute '{}' twice; the first is at line {}, column {}", element, name,
            other.position.line, other.position.column);
      is_right = false;
    }
    if (attributes.size() >= kMaxAttributesPerElement) {
      fail(start, "<{}> has too many attributes; at most {} are allowed", element, kMaxAttributesPerElement);
    }
    if (scan_.attributes.size() >= limits_.attributes) {
      error(start, "the scenario has too many attributes; at most {} are allowed", limits_.attributes);
      throw UserError(diagnostics_);
    }
    skip_blanks();
    if (!at("=")) {
      error(start, "the attribute '{}' of <{}> has no value; expected {}=\"…\"", name, element, name);
      return false;
    }
    ++at_;
    skip_blanks();
    if (!at("\"") && !at("'")) {
      error(positions_.at(at_), "the value of '{}' is not in quotes; expected {}=\"…\"", name, name);
      while (!at_end() && !is_blank(text_[at_]) && !at(">") && !at("/>") && !at("<")) ++at_;
      return false;
    }
    if (!scan_value(name, start) || !is_right) return false;
    attributes.push_back({name, start});
    scan_.attributes.push_back(start);
    return true;
  }

  bool scan_value(std::string_view attribute, const Position& start) {
    const char quote = text_[at_++];
    bool is_right = true;
    while (!at_end() && text_[at_] != quote) {
      if (text_[at_] == '<') {
        fail(start, "the value of '{}' contains '<'; its closing quote is missing, or write &lt;", attribute);
      }
      if (text_[at_] == '&') {
        is_right = scan_reference() && is_right;
      } else {
        ++at_;
      }
    }
    if (at_end()) fail(start, "the value of '{}' has no closing quote", attribute);
    ++at_;
    return is_right;
  }

  void scan_text() {
    const std::size_t start = at_;
    while (!at_end() && text_[at_] != '<') {
      if (open_.empty() && !is_blank(text_[at_])) fail_here("text outside the root element");
      if (at("]]>")) fail_here("']]>' outside CDATA; write ]]&gt;");
      if (text_[at_] == '&') {
        const std::size_t reference = at_;
        if (!scan_reference()) skip_from(reference);
      } else {
        ++at_;
      }
    }
    if (!trim(text_.substr(start, at_ - start)).empty()) count_item();
  }

  /// Returns false, positioned after the reference or its '&', if it is invalid.
  bool scan_reference() {
    // The longest valid reference is "&#x10FFFF;"; more leading zeros are not supported.
    constexpr std::size_t kMax = 12;
    const std::size_t end = text_.substr(at_, kMax).find(';');
    if (end == std::string_view::npos) {
      error(positions_.at(at_), "'&' does not begin a character reference; write '&' as &amp;");
      ++at_;
      return false;
    }
    bool is_right = true;
    const std::string_view name = text_.substr(at_ + 1, end - 1);
    if (name.starts_with('#')) {
      const unsigned long code = parse_code(name.substr(1));
      // A carriage return would be lost when written and read again.
      if (!is_allowed_character(code) || code == '\r') {
        error(positions_.at(at_), "'&{};' is not an allowed character", shown(name));
        is_right = false;
      }
    } else if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "apos") {
      error(positions_.at(at_),
            "'&{};' is unknown; expected &amp; &lt; &gt; &quot; &apos; or a number such as &#176;",
            shown(name));
      is_right = false;
    }
    at_ += end + 1;
    return is_right;
  }

  /// 0, which is never allowed, if the digits are invalid.
  static unsigned long parse_code(std::string_view digits) {
    const bool is_hex = digits.starts_with('x');
    if (is_hex) digits.remove_prefix(1);
    unsigned long code = 0;
    for (const char c : digits) {
      unsigned long digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<unsigned long>(c - '0');
      } else if (is_hex && c >= 'a' && c <= 'f') {
        digit = static_cast<unsigned long>(c - 'a') + 10;
      } else if (is_hex && c >= 'A' && c <= 'F') {
        digit = static_cast<unsigned long>(c - 'A') + 10;
      } else {
        return 0;
      }
      code = code * (is_hex ? 16 : 10) + digit;
    }
    return code;
  }

  std::string_view text_;
  const std::string& file_;
  ScanLimits limits_;
  Positions positions_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  struct {
    std::size_t offset = 0;
    std::size_t tags = 0;
    std::size_t attributes = 0;
  } sound_;  // what was read before the current piece
  bool has_root_ = false;
  std::vector<OpenElement> open_;
  Scan scan_;
};

}  // namespace

Scan scan(std::string_view text, const std::string& file, const ScanLimits& limits, Diagnostics& diagnostics) {
  return Scanner(text, file, limits, diagnostics).run();
}

std::string sound_text(std::string_view text, const Scan& scan) {
  std::string sound(scan.is_cut ? text.substr(0, scan.end) : text);
  for (const auto& [from, to] : scan.skipped) {
    std::fill(sound.begin() + static_cast<std::ptrdiff_t>(from),
              sound.begin() + static_cast<std::ptrdiff_t>(to), ' ');
  }
  return sound + scan.closing;
}

Position position_of(std::string_view text, std::size_t offset) {
  return Positions(text).at(offset);
}

}  // namespace lockstep::xml
