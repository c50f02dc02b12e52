#include "serve/scenario_files.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "scenario/document.h"
#include "serve/rejection.h"

namespace lockstep::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 16 << 10;
constexpr int kMaxDepth = 8;

std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    constexpr std::pair<std::string_view, char> kEntities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    const auto* entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                      [&](const auto& each) { return text.starts_with(each.first); });
    const bool found = entity != std::end(kEntities);
    const char c = found ? entity->second : text[0];
    text.remove_prefix(found ? entity->first.size() : 1);
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  if (to == std::string_view::npos) return {};
  return text.substr(from + begin.size(), to - from - begin.size());
}

/// The text from the root element on, without the declaration and comments before it.
std::string_view skip_prolog(std::string_view text) {
  while (true) {
    const std::size_t begin = text.find('<');
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    const bool is_comment = text.starts_with("<!--");
    if (!is_comment && !text.starts_with("<?")) return text;
    const std::string_view end = is_comment ? "-->" : "?>";
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
}

/// Name and description without reading the whole file; nullopt if it is not a scenario.
std::optional<ScenarioFile> look_at(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  const std::string_view rest = skip_prolog(head);
  if (!rest.starts_with("<scenario")) return std::nullopt;
  const std::string_view tag = rest.substr(0, rest.find('>'));
  ScenarioFile found;
  found.title = unescaped(between(tag, " name=\"", "\""));
  found.description = unescaped(between(tag, " description=\"", "\""));
  if (found.description.empty())
    found.description = unescaped(between(rest, "<description>", "</description>"));
  if (found.title.empty()) found.title = file.stem().string();
  return found;
}

}  // namespace

std::vector<ScenarioFile> list_scenarios(const fs::path& folder) {
  std::vector<ScenarioFile> files;
  std::error_code error;
  std::size_t visited = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && ++visited < kMaxVisited;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code code;
    if (entry->is_directory(code)) {
      const bool is_of_interest = !name.starts_with('.') && name != "node_modules";
      if (!is_of_interest || entry.depth() >= kMaxDepth) entry.disable_recursion_pending();
      continue;
    }
    if (entry->path().extension() != ".xml" || !entry->is_regular_file(code) || entry->is_symlink(code))
      continue;
    std::optional<ScenarioFile> file = look_at(entry->path());
    if (!file) continue;
    file->path = entry->path().lexically_relative(folder).generic_string();
    for (const char* ending : {".png", ".jpg", ".webp"}) {
      fs::path image = entry->path().parent_path() / "thumbnails" / entry->path().filename();
      image.replace_extension(ending);
      if (fs::is_regular_file(image, code)) {
        file->thumbnail = image.lexically_relative(folder).generic_string();
        break;
      }
    }
    files.push_back(std::move(*file));
    if (files.size() >= kMaxListed) break;
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::map<std::string, std::string> read_controllers(const fs::path& folder) {
  std::map<std::string, std::string> commands;
  std::ifstream file(folder / "controllers.txt");
  for (std::string line; std::getline(file, line);) {
    const std::size_t blank = line.find(' ');
    if (!line.starts_with('#') && blank != std::string::npos)
      commands[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return commands;
}

fs::path find_scenario(const fs::path& folder, const std::string& name) {
  if (name.find('\0') != std::string::npos) throw Rejection("a path must not contain zero bytes");
  if (fs::path(name).extension() != ".xml") {
    throw Rejection("'" + shown_text(name) + "' is not a scenario; expected an .xml file");
  }
  Result<FileContent> file = read_file_below(folder, name, Document::kMaxFileBytes);
  if (!file) throw Rejection(file.error());
  return file->path;
}

}  // namespace lockstep::serve
