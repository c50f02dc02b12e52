#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "lockstep/error.h"
#include "lockstep/fields.h"

namespace lockstep {

/// The XPath of each element of a document, "/scenario/robot[1]/link[2]", by its place in the file: editors find
/// with it the element that a body, joint, shape, site or device of the model was made from. What a generator
/// such as <chain> has made has the place of the element it was made from, and so its path.
///
/// The document is as Document::root() gives it, with included files expanded, so that Document::set() accepts
/// the paths.
class ElementPaths {
 public:
  explicit ElementPaths(const Element& root);

  /// Empty if there is no element at that place. `robot` is the robot that it belongs to, or empty: several
  /// robots may be made of one file.
  std::string find(const Place& place, const std::string& robot) const;

 private:
  using Key = std::tuple<std::string, std::string, int, int>;  // robot, file, line, column

  void add(const Element& element, const std::string& path, const std::string& robot);

  std::map<Key, std::string> paths_;
};

}  // namespace lockstep
