#include "formats/common/asset_finder.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "scenario/xml_text.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

/// Folder names of robot descriptions; the meshes are in a sibling folder.
constexpr std::array<std::string_view, 8> kFoldersOfDescriptions = {"urdf",  "robots", "robot", "xacro",
                                                                    "model", "models", "mjcf",  "xml"};
/// Maximum levels between the file and its package.
constexpr int kMaxLevels = 6;

bool is_package(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "package.xml", error);
}

bool is_description(const fs::path& name) {
  return std::find(kFoldersOfDescriptions.begin(), kFoldersOfDescriptions.end(), name.string()) !=
         kFoldersOfDescriptions.end();
}

/// Whether a folder at or above that of the file can be its package, regardless of its name.
bool can_be_package(const fs::path& above, const fs::path& folder) {
  return above == folder || is_package(above) || is_description(*folder.lexically_relative(above).begin());
}

fs::path find_root(const fs::path& folder) {
  fs::path above = folder;
  for (int level = 0; level <= kMaxLevels && above.has_relative_path(); ++level, above = above.parent_path()) {
    if (is_package(above)) return above;
  }
  const bool has_siblings = is_description(folder.filename()) && folder.parent_path().has_relative_path();
  return has_siblings ? folder.parent_path() : folder;
}

bool is_inside(const fs::path& relative) {
  return !relative.empty() && stays_below(relative.generic_string());
}

/// "NAME" and "rest" of "package://NAME/rest" and similar; the name is empty for other paths.
std::pair<std::string, std::string> split_package(const std::string& uri) {
  std::string_view rest = uri;
  for (const std::string_view begin : {"package://", "model://", "$(find "}) {
    if (!rest.starts_with(begin)) continue;
    rest.remove_prefix(begin.size());
    const bool is_substitution = begin == "$(find ";
    const std::size_t end = rest.find(is_substitution ? ')' : '/');
    if (end == std::string_view::npos) return {};
    std::string_view path = rest.substr(end + 1);
    while (path.starts_with('/')) path.remove_prefix(1);
    return {std::string(xml::trim(rest.substr(0, end))), std::string(path)};
  }
  return {};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// How many of the last names of two paths are the same, ignoring case.
int count_common_end(const fs::path& a, const fs::path& b) {
  int count = 0;
  auto i = a.end(), j = b.end();
  while (i != a.begin() && j != b.begin() && lower_case((--i)->string()) == lower_case((--j)->string()))
    ++count;
  return count;
}

/// The path of a URI without its scheme, with '/' between names.
std::string plain_path(std::string uri) {
  std::replace(uri.begin(), uri.end(), '\\', '/');
  if (const auto [package, rest] = split_package(uri); !package.empty()) return package + "/" + rest;
  if (const std::size_t scheme = uri.find("://"); scheme != std::string::npos) uri.erase(0, scheme + 3);
  return uri;
}

}  // namespace

std::string shown_path(std::string_view path) {
  if (path.size() <= kMaxShownText) return xml::shown(path);
  std::string_view end = path.substr(path.size() - kMaxShownText);
  // Not in the middle of a character.
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0) == 0x80) end.remove_prefix(1);
  return "…" + xml::shown(end);
}

AssetFinder::AssetFinder(const ImportSource& source)
    : packages_(source.options.packages), package_folders_(source.options.package_folders) {
  std::error_code error;
  const fs::path given = source.path.parent_path();
  folder_ = fs::weakly_canonical(given.empty() ? fs::path(".") : given, error);
  root_ = source.options.root ? fs::weakly_canonical(*source.options.root, error) : find_root(folder_);
}

std::vector<AssetFinder::Candidate> AssetFinder::candidates_in_package(const std::string& package,
                                                                       const std::string& rest) const {
  std::vector<Candidate> found;
  for (const auto& [name, folder] : packages_) {
    if (name == package) found.push_back({folder, rest});
  }
  for (fs::path above = folder_; above.has_relative_path(); above = above.parent_path()) {
    if (above.filename() == package && can_be_package(above, folder_)) found.push_back({above, rest});
    // Packages are siblings in a workspace.
    if (is_package(above) && is_package(above.parent_path() / package))
      found.push_back({above.parent_path() / package, rest});
  }
  std::error_code error;
  for (const fs::path& folder : package_folders_) {
    if (folder.filename() == package) found.push_back({folder, rest});
    if (is_inside(package) && fs::is_directory(folder / package, error))
      found.push_back({folder / package, rest});
  }
  for (const std::string& name : {package + "/" + rest, rest}) {
    const std::vector<Candidate> near = candidates_near_file(name);
    found.insert(found.end(), near.begin(), near.end());
  }
  return found;
}

std::vector<AssetFinder::Candidate> AssetFinder::candidates_near_file(const fs::path& path) const {
  std::vector<Candidate> found;
  const auto add = [&](const fs::path& absolute) {
    const fs::path relative = absolute.lexically_normal().lexically_relative(root_);
    if (is_inside(relative)) found.push_back({root_, relative});
  };
  if (path.is_absolute()) {
    add(path);
    return found;
  }
  if (!subfolder_.empty()) add(folder_ / subfolder_ / path);
  for (fs::path above = folder_; above.has_relative_path(); above = above.parent_path()) {
    add(above / path);
    if (above == root_) break;
  }
  return found;
}

Result<FileContent> AssetFinder::read(const std::string& uri, const Place& place, std::size_t max_bytes) const {
  std::string path = uri;
  std::replace(path.begin(), path.end(), '\\', '/');
  const auto [package, rest] = split_package(path);
  if (path.starts_with("file://")) path.erase(0, 7);
  const bool leaves = path.find("://") != std::string::npos && package.empty();
  const bool leaves_package = !package.empty() && !stays_below(normal_path(rest));
  std::vector<Candidate> candidates;
  if (!leaves && !leaves_package)
    candidates = package.empty() ? candidates_near_file(path) : candidates_in_package(package, rest);
  if (candidates.empty()) {
    throw_user_error(place, "'{}' is outside '{}', the folder of the robot; allow a larger one with --root",
                     shown_path(uri), shown_path(root_.string()));
  }
  std::string first;
  for (const Candidate& candidate : candidates) {
    Result<FileContent> file = read_file_below(candidate.folder, candidate.name.generic_string(), max_bytes);
    if (file) return file;
    // Report the first candidate that exists.
    if (first.empty() || first.ends_with("does not exist")) first = file.error();
  }
  if (first.ends_with("does not exist")) {
    first = fmt::format("'{}' does not exist", shown_path(uri));
    const bool is_given = std::any_of(packages_.begin(), packages_.end(),
                                      [&, &name = package](const auto& known) { return known.first == name; });
    if (!package.empty() && !is_given)
      first += fmt::format("; give the folder of its package with --package {}=FOLDER", xml::shown(package));
  }
  return Failure{first};
}

void AssetFinder::index_names() const {
  by_name_.emplace();
  std::error_code error;
  fs::recursive_directory_iterator entry(root_, fs::directory_options::skip_permission_denied, error);
  for (std::size_t i = 0; i < kMaxSearched && !error && entry != fs::recursive_directory_iterator(); ++i) {
    if (entry->is_regular_file(error))
      by_name_->emplace(lower_case(entry->path().filename().string()), entry->path());
    entry.increment(error);
  }
}

Result<FileContent> AssetFinder::find_by_name(const std::string& uri, std::size_t max_bytes) const {
  if (!by_name_) index_names();
  const fs::path wanted = plain_path(uri);
  const auto [begin, end] = by_name_->equal_range(lower_case(wanted.filename().string()));
  // The order of a folder is arbitrary: of equally good ones the first by alphabet.
  const fs::path* best = nullptr;
  int most = 0;
  for (auto each = begin; each != end; ++each) {
    const int common = count_common_end(each->second, wanted);
    if (best != nullptr && (common < most || (common == most && *best < each->second))) continue;
    best = &each->second;
    most = common;
  }
  if (best == nullptr) return Failure{"no file of that name is near"};
  return read_file_below(root_, best->lexically_relative(root_).generic_string(), max_bytes);
}

std::string AssetFinder::shown_below(const fs::path& path) const {
  return shown_path(path.lexically_relative(root_).generic_string());
}

}  // namespace lockstep
