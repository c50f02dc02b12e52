#include "botball/build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/child_process.h"
#include "base/text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kEras = {"C1", "C2", "L", "W"};

/// The library and its headers: beside the program, in a build and in an installation.
fs::path find_kit() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* libraries : {"lib", "lib/x86_64-linux-gnu", "lib64"}) {
    const fs::path folder = program.parent_path() / libraries / "lockstep/botball";
    if (fs::exists(folder / "libbotball.a", error)) return folder;
  }
  throw_user_error({"botball", 0, 0}, "the Botball library is not installed beside this program");
}

struct Sources {
  std::vector<fs::path> files;
  std::vector<fs::path> include_folders;
};

std::vector<fs::path> list_files(const fs::path& folder, const char* extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == extension && entry.path().filename().string().front() != '.') {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

Sources find_sources(const std::vector<std::string>& programs, BuiltBotball& built) {
  Sources sources;
  for (const std::string& program : programs) {
    const fs::path path = program;
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const fs::path source_folder = fs::is_directory(path / "src", error) ? path / "src" : path;
      const std::vector<fs::path> files = list_files(source_folder, ".c");
      if (files.empty()) throw_user_error({program, 0, 0}, "has no C files in '{}'", source_folder.string());
      sources.files.insert(sources.files.end(), files.begin(), files.end());
      for (const fs::path& folder : {path / "include", source_folder, path}) {
        if (fs::is_directory(folder, error)) sources.include_folders.push_back(folder);
      }
      if (fs::is_directory(path / "data", error)) built.data_folders.push_back(path / "data");
    } else if (!fs::is_regular_file(path, error)) {
      throw_user_error({program, 0, 0}, "is not a file or folder");
    } else if (path.extension() == ".cpp" || path.extension() == ".cc") {
      throw_user_error({program, 0, 0}, "is a C++ file; expected a program in C");
    } else {
      sources.files.push_back(path);
      const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
      sources.include_folders.push_back(folder);
      // The main file of a project folder was given.
      if (folder.filename() == "src" && fs::is_directory(folder / "../include", error))
        sources.include_folders.push_back(folder / "../include");
    }
  }
  for (const fs::path& folder : sources.include_folders) {
    const auto files = list_files(folder, ".conf");
    built.channel_files.insert(built.channel_files.end(), files.begin(), files.end());
  }
  return sources;
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool matches(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex(pattern, std::regex::optimize));
}

/// The era by the headers that a program includes, then by functions that only one era has.
std::string detect_era(const std::string& text) {
  if (matches(text, R"(#\s*include\s*[<"](kipr|wallaby)/)")) return "W";
  if (matches(text, R"(#\s*include\s*[<"]kovan/)")) return "L";
  if (matches(text, R"(\bcreate3_\w+\s*\()")) return "W";
  const bool is_cbc =
      matches(text, R"(\b(track_\w+|cbc_\w+|start_process|kill_process|run_for|set_each_analog_state)\s*\()") ||
      matches(text, R"(\bget_create_\w+\s*\(\s*[0-9.])") || matches(text, R"(\bsleep\s*\(\s*[0-9]*\.)");
  if (is_cbc) {
    const bool is_first = matches(text, R"(\bset_servo_position\s*\(\s*4\s*,)") ||
                          matches(text, R"(\banalog(10)?\s*\(\s*([89]|1[0-5])\s*\))");
    return is_first ? "C1" : "C2";
  }
  return matches(text, R"(\bmotor_power\s*\(|\bgyro_[xyz]\s*\()") ? "W" : "L";
}

int era_number(const std::string& era) {
  const auto found = std::ranges::find(kEras, era);
  if (found == kEras.end()) {
    throw_user_error({"--era", 0, 0}, "unknown era '{}'; expected C1, C2, L or W", shown_text(era));
  }
  return static_cast<int>(found - kEras.begin()) + 1;
}

/// Compiles and links in one folder.
class Build {
 public:
  Build(int era, fs::path folder, int messages)
      : era_(era), folder_(std::move(folder)), kit_(find_kit()), messages_(messages) {}

  enum class Messages { kShown, kHidden };

  bool compile(const fs::path& file, const std::vector<fs::path>& include_folders, Messages messages);
  bool link(const fs::path& output, Messages messages) const;

  /// Adds other files of the folder of the only source: programs are often given by their main file alone. Those that
  /// have a main() of their own, are included by it or do not compile are left alone.
  void add_siblings(const Sources& sources);

 private:
  bool run(std::vector<std::string> arguments, Messages messages) const;
  void note(const std::string& text) const;
  fs::path find_headers(const fs::path& file, const std::string& text,
                        const std::vector<fs::path>& include_folders) const;

  int era_;
  fs::path folder_, kit_;
  int messages_;
  std::vector<std::string> objects_;
};

bool Build::run(std::vector<std::string> arguments, Messages messages) const {
  const std::string tool = arguments.front();
  if (messages == Messages::kHidden) {
    const std::vector<std::string> shell = {"/bin/sh", "-c", "exec \"$@\" 2>/dev/null", "sh"};
    arguments.insert(arguments.begin(), shell.begin(), shell.end());
  }
  Result<ChildProcess> started =
      ChildProcess::start({.arguments = arguments, .output = messages_, .errors = messages_});
  if (!started) throw_user_error({tool, 0, 0}, "cannot be started: {}", started.error());
  return started->wait().is_success();
}

void Build::note(const std::string& text) const {
  [[maybe_unused]] const auto written = write(messages_, text.data(), text.size());
}

/// A program that includes a header by its path on a controller, such as "/home/root/Documents/KISS/a/b/include/x.h", gets
/// the file of that name in its own folders. The compiler then reads a copy, whose lines have the name of the original.
fs::path Build::find_headers(const fs::path& file, const std::string& text,
                             const std::vector<fs::path>& include_folders) const {
  static const std::regex pattern(R"re((#\s*include\s*)["<](/[^">\n]+)[">])re");
  std::string copy;
  auto end = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), last; match != last; ++match) {
    const fs::path path = (*match)[2].str();
    std::error_code error;
    if (fs::exists(path, error)) continue;
    for (const fs::path& folder : include_folders) {
      const fs::path found = fs::absolute(folder / path.filename(), error);
      if (!fs::exists(found, error)) continue;
      note(fmt::format("{}: note: '{}' is '{}' here\n", shown_text(file.string()), shown_text(path.string()),
                       shown_text(found.string())));
      copy.append(end, (*match)[0].first).append((*match)[1].str() + '"' + found.string() + '"');
      end = (*match)[0].second;
      break;
    }
  }
  if (copy.empty()) return file;
  copy.append(end, text.cend());
  fs::path copied = folder_ / fmt::format("{}.c", objects_.size());
  std::ofstream(copied, std::ios::binary) << "# 1 \"" << file.string() << "\"\n" << copy;
  return copied;
}

bool Build::compile(const fs::path& file, const std::vector<fs::path>& include_folders, Messages messages) {
  const std::string text = read_text(file);
  const std::string object = (folder_ / fmt::format("{}.o", objects_.size())).string();
  std::vector<std::string> arguments = {"cc",
                                        "-x",
                                        "c",
                                        "-std=gnu11",
                                        "-O0",
                                        "-gdwarf-4",
                                        "-w",
                                        "-fno-omit-frame-pointer",
                                        "-funsigned-char",
                                        "-fcommon",
                                        "-fno-pie",
                                        "-ffp-contract=off",
                                        "-fno-stack-protector",
                                        "-fsanitize-coverage=trace-pc",
                                        "-ftrivial-auto-var-init=zero",
                                        fmt::format("-DLS_BB_ERA={}", era_)};
  for (const fs::path& include : include_folders) arguments.push_back("-I" + include.string());
  arguments.push_back("-I" + (kit_ / "include").string());
  // Before the macro `sleep` of the CBC, as there.
  if (era_ <= 2 && matches(text, R"(#\s*include\s*<unistd\.h>)"))
    arguments.insert(arguments.end(), {"-include", "unistd.h"});
  arguments.insert(arguments.end(), {"-include", "lockstep/botball.h"});
  if (text.find("create3_") != std::string::npos)
    arguments.insert(arguments.end(), {"-include", "lockstep/create3.h"});
  const fs::path source = find_headers(file, text, include_folders);
  arguments.insert(arguments.end(), {"-c", source.string(), "-o", object});
  if (!run(arguments, messages)) return false;
  objects_.push_back(object);
  return true;
}

/// All symbols of the program become local, so that its functions may have the names of others. Its references to
/// functions of the C library that take or tell time, or reach out of the process, go to clients/botball/libc.c.
bool Build::link(const fs::path& output, Messages messages) const {
  const std::string whole = (folder_ / "program.o").string(), names = (folder_ / "names").string();
  std::vector<std::string> combine = {"ld", "-r", "-d", "-o", whole};
  combine.insert(combine.end(), objects_.begin(), objects_.end());
  {
    std::ofstream list(names);
    std::istringstream all(read_text(kit_ / "libc_names.txt"));
    for (std::string name; all >> name;) list << name << " ls_bb_libc_" << name << '\n';
    list << "main ls_bb_user_main\n";
  }
  return run(combine, messages) && run({"objcopy", "--redefine-syms=" + names, whole}, messages) &&
         run({"objcopy", "--keep-global-symbol=ls_bb_user_main", whole}, messages) &&
         run({"cc", "-no-pie", "-o", output.string(), whole, (kit_ / "libbotball.a").string(), "-lm"},
             messages);
}

void Build::add_siblings(const Sources& sources) {
  const fs::path& main_file = sources.files.front();
  const std::string main_text = read_text(main_file);
  for (const fs::path& file : list_files(sources.include_folders.front(), ".c")) {
    std::error_code error;
    if (fs::equivalent(file, main_file, error) || matches(read_text(file), R"(\bmain\s*\()") ||
        main_text.find(file.filename().string()) != std::string::npos ||
        !compile(file, sources.include_folders, Messages::kHidden))
      continue;
    note(fmt::format("{}: note: also compiled, for functions that '{}' calls\n", shown_text(file.string()),
                     shown_text(main_file.string())));
  }
}

}  // namespace

BuiltBotball build_botball(const BotballSource& source, const fs::path& folder, int messages) {
  BuiltBotball built;
  const Sources sources = find_sources(source.paths, built);
  std::string text;
  for (const fs::path& file : sources.files) text += read_text(file) + "\n";
  built.era = source.era.empty() ? detect_era(text) : source.era;
  Build build(era_number(built.era), folder, messages);
  for (const fs::path& file : sources.files) {
    if (!build.compile(file, sources.include_folders, Build::Messages::kShown)) return built;
  }
  built.executable = folder / "robot";
  const bool is_single = sources.files.size() == 1;
  if (is_single) {
    built.is_built = build.link(built.executable, Build::Messages::kHidden);
    if (!built.is_built) build.add_siblings(sources);
  }
  if (!built.is_built) built.is_built = build.link(built.executable, Build::Messages::kShown);
  return built;
}

}  // namespace lockstep
