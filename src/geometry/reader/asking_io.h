#pragma once

#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <map>
#include <string>
#include <vector>

#include "geometry/reader/read_job.h"

namespace lockstep {

/// "my%20part.bin" as "my part.bin".
std::string decoded_uri(std::string_view uri);

/// File access for assimp: the file that is read, and those that lockstep provides on request. Opens no files.
class AskingIo final : public Assimp::IOSystem {
 public:
  AskingIo(std::string main_name, const std::string& main_bytes, const FindFile& find_file)
      : main_name_(std::move(main_name)), main_bytes_(main_bytes), find_file_(find_file) {}

  bool Exists(const char* name) const override { return find(name) != nullptr; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char* mode) override;
  void Close(Assimp::IOStream* stream) override { delete stream; }

  const std::vector<std::string>& rejections() const {
    return rejections_;
  }  ///< of files that were not provided

 private:
  const std::string* find(const std::string& name) const;

  std::string main_name_;
  const std::string& main_bytes_;
  const FindFile& find_file_;
  mutable std::map<std::string, std::string> given_;
  mutable std::vector<std::string> rejections_;
};

}  // namespace lockstep
