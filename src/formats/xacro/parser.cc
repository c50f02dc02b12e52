#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "formats/xacro/expression_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::size_t kMaxExpressionBytes = 20'000;
constexpr int kMaxExpressionDepth = 100;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

using Kind = XacroNode::Kind;

/// Recursive descent over the text, with one word of look-ahead.
class XacroParser {
 public:
  XacroParser(std::string_view text, const XacroPlace& at) : text_(text), at_(at) {
    if (text.size() > kMaxExpressionBytes)
      at.fail("an expression has {} bytes; at most {} are allowed", text.size(), kMaxExpressionBytes);
    advance();
  }

  XacroNode parse() {
    XacroNode node = tuple();
    if (token_ != Token::kEnd) reject();
    return node;
  }

 private:
  enum class Token { kEnd, kNumber, kText, kName, kOperator };

  [[noreturn]] void reject() {
    if (token_ == Token::kEnd) at_.fail("the expression '{}' ends too early", xml::shown(text_));
    at_.fail("'{}' is not expected here in the expression '{}'", xml::shown(word_), xml::shown(text_));
  }

  void advance() {
    while (next_ < text_.size() && xml::is_blank(text_[next_])) ++next_;
    if (next_ >= text_.size()) {
      token_ = Token::kEnd;
      word_ = {};
      return;
    }
    const std::size_t begin = next_;
    const char c = text_[next_];
    const bool is_fraction = c == '.' && next_ + 1 < text_.size() && is_digit(text_[next_ + 1]);
    if (is_letter(c)) {
      while (next_ < text_.size() && (is_letter(text_[next_]) || is_digit(text_[next_]))) ++next_;
      token_ = Token::kName;
    } else if (is_digit(c) || is_fraction) {
      scan_number();
      token_ = Token::kNumber;
    } else if (c == '\'' || c == '"') {
      scan_text(c);
      token_ = Token::kText;
    } else {
      constexpr std::array<std::string_view, 6> kPairs = {"**", "//", "==", "!=", "<=", ">="};
      const bool is_pair = std::find(kPairs.begin(), kPairs.end(), text_.substr(next_, 2)) != kPairs.end();
      next_ += is_pair ? 2 : 1;
      token_ = Token::kOperator;
    }
    word_ = text_.substr(begin, next_ - begin);
  }

  void scan_number() {
    while (next_ < text_.size()) {
      const char c = text_[next_], before = next_ == 0 ? ' ' : text_[next_ - 1];
      const bool is_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
      if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !is_sign) return;
      ++next_;
    }
  }

  void scan_text(char quote) {
    string_.clear();
    for (++next_; next_ < text_.size(); ++next_) {
      char c = text_[next_];
      if (c == quote) {
        ++next_;
        return;
      }
      if (c == '\\' && next_ + 1 < text_.size()) {
        c = text_[++next_];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      string_ += c;
    }
    at_.fail("a text in the expression '{}' has no end", xml::shown(text_));
  }

  bool is_operator(std::string_view word) const { return token_ == Token::kOperator && word_ == word; }
  bool is_word(std::string_view word) const { return token_ == Token::kName && word_ == word; }
  bool take_operator(std::string_view word) {
    if (!is_operator(word)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    advance();
    return true;
  }
  void expect_operator(std::string_view word) {
    if (!take_operator(word)) reject();
  }

  XacroNode make(Kind kind, std::string_view text, std::vector<XacroNode> children) {
    XacroNode node{
        .kind = kind, .text = std::string(text), .value = {}, .children = std::move(children), .words = {}};
    for (const XacroNode& child : node.children) node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > kMaxExpressionDepth) too_deep();
    return node;
  }
  [[noreturn]] void too_deep() {
    at_.fail("the expression '{}' is nested too deeply; at most {} levels are allowed", xml::shown(text_),
             kMaxExpressionDepth);
  }

  template <typename... Nodes>
  static std::vector<XacroNode> nodes(Nodes&&... each) {
    std::vector<XacroNode> list;
    (list.push_back(std::forward<Nodes>(each)), ...);
    return list;
  }

  /// "a, b" without brackets is a list.
  XacroNode tuple() {
    XacroNode first = conditional();
    if (!is_operator(",")) return first;
    std::vector<XacroNode> items = nodes(std::move(first));
    while (take_operator(",") && token_ != Token::kEnd && !is_operator(")")) items.push_back(conditional());
    return make(Kind::kList, "", std::move(items));
  }

  XacroNode conditional() {
    if (++level_ > kMaxExpressionDepth) too_deep();
    XacroNode value = disjunction();
    if (take_word("if")) {
      XacroNode condition = disjunction();
      if (!take_word("else")) reject();
      value = make(Kind::kConditional, "", nodes(std::move(value), std::move(condition), conditional()));
    }
    --level_;
    return value;
  }

  XacroNode disjunction() {
    XacroNode left = conjunction();
    while (take_word("or")) left = make(Kind::kOr, "", nodes(std::move(left), conjunction()));
    return left;
  }

  XacroNode conjunction() {
    XacroNode left = negation();
    while (take_word("and")) left = make(Kind::kAnd, "", nodes(std::move(left), negation()));
    return left;
  }

  XacroNode negation() {
    if (!take_word("not")) return comparison();
    if (++level_ > kMaxExpressionDepth) too_deep();
    XacroNode node = make(Kind::kUnary, "not", nodes(negation()));
    --level_;
    return node;
  }

  /// The comparison at this place, or "".
  std::string take_comparison() {
    for (const std::string_view each : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (take_operator(each)) return std::string(each);
    }
    if (take_word("in")) return "in";
    if (take_word("is")) return take_word("not") ? "!=" : "==";
    if (is_word("not")) {
      advance();
      if (!take_word("in")) reject();
      return "not in";
    }
    return "";
  }

  XacroNode comparison() {
    XacroNode first = sum();
    std::vector<std::string> words;
    std::vector<XacroNode> sides = nodes(std::move(first));
    for (std::string word = take_comparison(); !word.empty(); word = take_comparison()) {
      words.push_back(word);
      sides.push_back(sum());
    }
    if (words.empty()) return std::move(sides.front());
    XacroNode node = make(Kind::kCompare, "", std::move(sides));
    node.words = std::move(words);
    return node;
  }

  XacroNode sum() {
    XacroNode left = product();
    while (is_operator("+") || is_operator("-")) {
      const std::string operation(word_);
      advance();
      left = make(Kind::kBinary, operation, nodes(std::move(left), product()));
    }
    return left;
  }

  XacroNode product() {
    XacroNode left = unary();
    while (is_operator("*") || is_operator("/") || is_operator("//") || is_operator("%")) {
      const std::string operation(word_);
      advance();
      left = make(Kind::kBinary, operation, nodes(std::move(left), unary()));
    }
    return left;
  }

  XacroNode unary() {
    if (!is_operator("-") && !is_operator("+")) return power();
    const std::string operation(word_);
    advance();
    if (++level_ > kMaxExpressionDepth) too_deep();
    XacroNode node = make(Kind::kUnary, operation, nodes(unary()));
    --level_;
    return node;
  }

  XacroNode power() {
    XacroNode base = postfix();
    if (!take_operator("**")) return base;
    if (++level_ > kMaxExpressionDepth) too_deep();
    XacroNode node = make(Kind::kBinary, "**", nodes(std::move(base), unary()));
    --level_;
    return node;
  }

  XacroNode postfix() {
    XacroNode node = primary();
    while (true) {
      if (take_operator(".")) {
        if (token_ != Token::kName) reject();
        const std::string name(word_);
        advance();
        node = make(Kind::kAttribute, name, nodes(std::move(node)));
      } else if (take_operator("(")) {
        node = call(std::move(node));
      } else if (take_operator("[")) {
        node = subscript(std::move(node));
      } else {
        return node;
      }
    }
  }

  XacroNode call(XacroNode function) {
    std::vector<XacroNode> children = nodes(std::move(function));
    std::vector<std::string> words;
    while (!take_operator(")")) {
      XacroNode argument = conditional();
      words.emplace_back();
      if (is_operator("=") && argument.kind == Kind::kName) {
        advance();
        words.back() = argument.text;
        argument = conditional();
      } else if (is_word("for")) {
        argument = comprehension(std::move(argument));
      }
      children.push_back(std::move(argument));
      if (!take_operator(",") && !is_operator(")")) reject();
    }
    XacroNode node = make(Kind::kCall, "", std::move(children));
    node.words = std::move(words);
    return node;
  }

  XacroNode subscript(XacroNode object) {
    XacroNode from, to;
    if (!is_operator(":")) from = conditional();
    if (take_operator(":")) {
      if (!is_operator("]")) to = conditional();
      expect_operator("]");
      return make(Kind::kSlice, "", nodes(std::move(object), std::move(from), std::move(to)));
    }
    expect_operator("]");
    return make(Kind::kIndex, "", nodes(std::move(object), std::move(from)));
  }

  /// "… for NAME in LIST [if CONDITION]", after the first value.
  XacroNode comprehension(XacroNode value) {
    if (!take_word("for")) reject();
    std::vector<std::string> names;
    do {
      if (token_ != Token::kName) reject();
      names.emplace_back(word_);
      advance();
    } while (take_operator(","));
    if (!take_word("in")) reject();
    std::vector<XacroNode> children = nodes(std::move(value), disjunction());
    if (take_word("if")) children.push_back(disjunction());
    XacroNode node = make(Kind::kComprehension, "", std::move(children));
    node.words = std::move(names);
    return node;
  }

  XacroNode primary() {
    if (++level_ > kMaxExpressionDepth) too_deep();
    XacroNode node = atom();
    --level_;
    return node;
  }

  XacroNode atom() {
    if (token_ == Token::kNumber) return number();
    if (token_ == Token::kText) {
      std::string text;
      while (token_ == Token::kText) {  // neighbouring texts are one
        text += string_;
        advance();
      }
      return literal({std::move(text)});
    }
    if (token_ == Token::kName) return name();
    if (take_operator("(")) {
      if (take_operator(")")) return make(Kind::kList, "", {});
      XacroNode node = tuple();
      if (is_word("for")) node = comprehension(std::move(node));
      expect_operator(")");
      return node;
    }
    if (take_operator("[")) return list();
    if (take_operator("{")) return map();
    reject();
  }

  XacroNode literal(XacroValue value) {
    XacroNode node = make(Kind::kLiteral, "", {});
    node.value = std::move(value);
    return node;
  }

  XacroNode number() {
    const std::string_view word = word_;
    const char* end = word.data() + word.size();
    std::int64_t integer = 0;
    double real = 0.0;
    if (const auto [stop, error] = std::from_chars(word.data(), end, integer);
        error == std::errc() && stop == end) {
      advance();
      return literal({integer});
    }
    const auto [stop, error] = std::from_chars(word.data(), end, real);
    if (error != std::errc() || stop != end) at_.fail("'{}' is not a number", xml::shown(word));
    advance();
    return literal({real});
  }

  XacroNode name() {
    const std::string word(word_);
    constexpr std::array<std::string_view, 9> kReserved = {"if", "else", "and", "or",    "not",
                                                           "in", "is",   "for", "lambda"};
    if (std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end()) reject();
    advance();
    if (word == "True") return literal({true});
    if (word == "False") return literal({false});
    if (word == "None") return literal({});
    return make(Kind::kName, word, {});
  }

  XacroNode list() {
    std::vector<XacroNode> items;
    while (!take_operator("]")) {
      items.push_back(conditional());
      if (items.size() == 1 && is_word("for")) {
        XacroNode node = comprehension(std::move(items.front()));
        expect_operator("]");
        return node;
      }
      if (!take_operator(",") && !is_operator("]")) reject();
    }
    return make(Kind::kList, "", std::move(items));
  }

  XacroNode map() {
    std::vector<XacroNode> items;
    while (!take_operator("}")) {
      items.push_back(conditional());
      expect_operator(":");
      items.push_back(conditional());
      if (!take_operator(",") && !is_operator("}")) reject();
    }
    return make(Kind::kMap, "", std::move(items));
  }

  std::string_view text_;
  const XacroPlace& at_;
  std::size_t next_ = 0;
  Token token_ = Token::kEnd;
  std::string_view word_;
  std::string string_;  // of a kText token
  int level_ = 0;
};

}  // namespace

XacroNode parse_xacro(std::string_view text, const XacroPlace& at) {
  return XacroParser(text, at).parse();
}

}  // namespace lockstep
