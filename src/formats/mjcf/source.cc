#include <algorithm>
#include <numbers>

#include "formats/mjcf/mjcf_internal.h"
#include "geometry/mesh_builder.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr int kMaxIncludes = 64;
constexpr std::size_t kMaxXmlBytes = 64u << 20;

constexpr std::array<std::string_view, 5> kOrientations = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};

bool is_orientation(std::string_view name) {
  return std::find(kOrientations.begin(), kOrientations.end(), name) != kOrientations.end();
}

/// Lists whose first numbers may be given alone.
constexpr std::array<std::string_view, 14> kOpenLists = {
    "size",   "friction",    "gear",        "gainprm",        "biasprm",        "dynprm",       "solref",
    "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "springlength", "polycoef"};

/// The value of an attribute that replaces an inherited one. As in MuJoCo, a shorter list keeps the rest of the
/// inherited one.
std::string completed(const Attribute& own, const Attribute& inherited) {
  if (std::find(kOpenLists.begin(), kOpenLists.end(), own.name) == kOpenLists.end()) return own.value;
  std::string_view rest = inherited.value, words = own.value;
  while (!take_word(words).empty()) (void)take_word(rest);
  return rest.empty() ? own.value : own.value + " " + std::string(rest);
}

}  // namespace

MjcfSource::MjcfSource(const ImportSource& source, MeshCollector& meshes, FormatReport& report,
                       Diagnostics& diagnostics)
    : finder_(meshes.finder()), report_(report), diagnostics_(diagnostics), values_(diagnostics) {
  root_ = read_xml(source.bytes, source.name);
  if (root_.name != "mujoco") throw_user_error(root_.place, "the root is <{}>; expected <mujoco>", root_.name);
  expand_includes(root_, 0);
  read_compiler();
  for (const Element& child : root_.children) {
    if (child.name == "default") read_defaults(child, "");
  }
}

void MjcfSource::expand_includes(Element& element, int depth) {
  for (std::size_t i = 0; i < element.children.size(); ++i) {
    if (element.children[i].name != "include") {
      expand_includes(element.children[i], depth);
      continue;
    }
    const Element include = element.children[i];
    const std::string file = values_.needed_text(include, "file");
    diagnostics_.throw_if_errors();
    if (!included_.insert(file).second || included_.size() > kMaxIncludes)
      throw_user_error(include.place, "<include>: '{}' is included twice, or too many files are",
                       xml::shown(file));
    Result<FileContent> read = finder_.read(file, include.place, kMaxXmlBytes);
    if (!read) throw_user_error(include.place, "<include>: file {}", read.error());
    Element other = read_xml(read->bytes, file);
    if (other.name != "mujoco" && other.name != "mujocoinclude")
      throw_user_error(include.place, "<include>: '{}' contains <{}>; expected <mujoco>", xml::shown(file),
                       other.name);
    element.children.erase(element.children.begin() + static_cast<std::ptrdiff_t>(i));
    element.children.insert(element.children.begin() + static_cast<std::ptrdiff_t>(i),
                            std::make_move_iterator(other.children.begin()),
                            std::make_move_iterator(other.children.end()));
    --i;  // included content may include more files
  }
}

void MjcfSource::read_compiler() {
  for (const Element& child : root_.children) {
    if (child.name != "compiler") continue;
    const auto text = [&](const char* name) { return XmlValues::text(child, name); };
    if (const std::string angle = text("angle"); !angle.empty()) compiler_.is_in_degrees = angle != "radian";
    if (const std::string coordinate = text("coordinate"); !coordinate.empty())
      compiler_.is_global = coordinate == "global";
    if (const std::string sequence = text("eulerseq"); !sequence.empty()) {
      const bool is_right = sequence.size() == 3 && sequence.find_first_not_of("xyzXYZ") == std::string::npos;
      if (is_right) compiler_.euler_sequence = sequence;
      if (!is_right)
        diagnostics_.error(child.place, "<compiler>: invalid eulerseq '{}'; expected three of x, y, z",
                           xml::shown(sequence));
    }
    compiler_.has_automatic_limits = is_on(child, "autolimits", compiler_.has_automatic_limits);
    compiler_.strips_paths = is_on(child, "strippath", compiler_.strips_paths);
    compiler_.balances_inertia = is_on(child, "balanceinertia", compiler_.balances_inertia);
    compiler_.has_exact_mesh_mass = is_on(child, "exactmeshinertia", compiler_.has_exact_mesh_mass);
    compiler_.least_mass = values_.number(child, "boundmass", compiler_.least_mass);
    compiler_.least_inertia = values_.number(child, "boundinertia", compiler_.least_inertia);
    if (const std::string from = text("inertiafromgeom"); !from.empty()) {
      using enum MjcfCompiler::InertiaFrom;
      compiler_.inertia_from = from == "true" ? kGeoms : from == "false" ? kFile : kAuto;
    }
    if (const auto range = values_.numbers(child, "inertiagrouprange", 2, 2))
      compiler_.inertia_groups = {static_cast<int>((*range)[0]), static_cast<int>((*range)[1])};
    for (const char* name : {"assetdir", "meshdir"}) {
      if (const std::string folder = text(name); !folder.empty()) compiler_.mesh_folder = folder;
    }
    if (const double total = values_.number(child, "settotalmass", -1.0); total > 0.0)
      compiler_.total_mass = total;
  }
  finder_.set_subfolder(compiler_.mesh_folder);
}

void MjcfSource::read_defaults(const Element& element, const std::string& parent) {
  std::string name = XmlValues::text(element, "class");
  if (parent.empty()) {
    // The outermost class applies to everything without a class, whatever its name.
    if (!name.empty()) outermost_.insert(name);
    name = "main";
  }
  // A class inherits from the enclosing one.
  if (!defaults_.contains(name) && !parent.empty()) defaults_[name] = defaults_[parent];
  auto& kinds = defaults_[name];
  for (const Element& child : element.children) {
    if (child.name == "default") continue;
    const bool is_turned =
        std::any_of(child.attributes.begin(), child.attributes.end(),
                    [](const Attribute& attribute) { return is_orientation(attribute.name); });
    Attributes& attributes = kinds[child.name];
    if (is_turned) std::erase_if(attributes, [](const auto& item) { return is_orientation(item.first); });
    for (const Attribute& attribute : child.attributes) {
      const auto [known, is_new] = attributes.try_emplace(attribute.name, attribute);
      if (is_new) continue;
      Attribute merged = attribute;
      merged.value = completed(attribute, known->second);
      known->second = std::move(merged);
    }
  }
  for (const Element& child : element.children) {
    if (child.name == "default") read_defaults(child, name);
  }
}

std::vector<const Element*> MjcfSource::section(std::string_view name) const {
  std::vector<const Element*> found;
  for (const Element& child : root_.children) {
    if (child.name != name) continue;
    for (const Element& item : child.children) found.push_back(&item);
  }
  return found;
}

Element MjcfSource::resolved(const Element& element, std::string_view kind, const std::string& childclass) {
  std::string name = XmlValues::text(element, "class");
  if (name.empty()) name = childclass;
  if (name.empty() || outermost_.contains(name)) name = "main";
  Element result{.name = element.name,
                 .place = element.place,
                 .attributes = element.attributes,
                 .children = {},
                 .text = {}};
  const auto known = defaults_.find(name);
  if (known == defaults_.end()) {
    if (name != "main")
      diagnostics_.error(element.place, "{}: unknown class '{}'", subject_of(element), xml::shown(name));
    return result;
  }
  const auto attributes = known->second.find(std::string(kind));
  if (attributes == known->second.end()) return result;
  const bool is_turned = std::any_of(element.attributes.begin(), element.attributes.end(),
                                     [](const Attribute& attribute) { return is_orientation(attribute.name); });
  for (const auto& [attribute_name, attribute] : attributes->second) {
    if (attribute_name == "class") continue;
    const auto own = std::find_if(result.attributes.begin(), result.attributes.end(),
                                  [&](const Attribute& each) { return each.name == attribute_name; });
    if (own != result.attributes.end()) {
      own->value = completed(*own, attribute);
      continue;
    }
    if (is_turned && is_orientation(attribute_name)) continue;
    result.attributes.push_back(attribute);
  }
  return result;
}

bool MjcfSource::is_on(const Element& element, std::string_view name, bool usual) {
  const std::string text = XmlValues::text(element, name);
  if (text.empty()) return usual;
  if (text != "true" && text != "false") {
    diagnostics_.error(element.place, "{}: {} is '{}'; expected 'true' or 'false'", subject_of(element), name,
                       xml::shown(text));
  }
  return text == "true";
}

bool MjcfSource::is_limited(const Element& element, std::string_view name, bool has_range) const {
  const std::string limited = XmlValues::text(element, name);
  if (limited.empty() || limited == "auto") return compiler_.has_automatic_limits && has_range;
  return limited == "true";
}

bool MjcfSource::is_disabled(std::string_view flag) const {
  // The flag "constraint" stands for all of its kinds.
  bool is_off = flag != "constraint" && flag != "actuation" && is_disabled("constraint");
  for (const Element& option : root_.children) {
    if (option.name != "option") continue;
    for (const Element& flags : option.children) is_off |= XmlValues::text(flags, flag) == "disable";
  }
  return is_off;
}

bool MjcfSource::has_stages() const {
  return std::any_of(root_.children.begin(), root_.children.end(), [](const Element& child) {
    return child.name == "option" && XmlValues::text(child, "integrator") == "RK4";
  });
}

double MjcfSource::angle(double value) const {
  return compiler_.is_in_degrees ? value * std::numbers::pi / 180.0 : value;
}

Quat MjcfSource::orientation(const Element& element) {
  const auto reject = [&](const char* why) {
    diagnostics_.error(element.place, "{}: {}", subject_of(element), why);
    return Quat::Identity();
  };
  if (const auto q = values_.numbers(element, "quat", 4, 4)) {
    const Quat quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    return quat.norm() < 1e-9 ? reject("quat has no length") : quat.normalized();
  }
  if (const auto a = values_.numbers(element, "axisangle", 4, 4)) {
    const Vec3 axis((*a)[0], (*a)[1], (*a)[2]);
    if (axis.norm() < 1e-9) return reject("axisangle has an axis without length");
    return Quat(Eigen::AngleAxisd(angle((*a)[3]), axis.normalized()));
  }
  if (const auto euler = values_.vector(element, "euler")) {
    Quat result = Quat::Identity();
    for (std::size_t i = 0; i < 3; ++i) {
      const char letter = compiler_.euler_sequence[i];
      const bool is_fixed = letter >= 'X' && letter <= 'Z';
      const Vec3 axis = Vec3::Unit(is_fixed ? letter - 'X' : letter - 'x');
      const Quat turn(Eigen::AngleAxisd(angle((*euler)[static_cast<Eigen::Index>(i)]), axis));
      result = is_fixed ? turn * result : result * turn;
    }
    return result.normalized();
  }
  if (const auto axes = values_.numbers(element, "xyaxes", 6, 6)) {
    const Vec3 x = Vec3((*axes)[0], (*axes)[1], (*axes)[2]).normalized();
    const Vec3 given((*axes)[3], (*axes)[4], (*axes)[5]);
    const Vec3 y = (given - x.dot(given) * x).normalized();
    Mat3 R;
    R << x, y, x.cross(y);
    if (!R.allFinite() || std::abs(R.determinant() - 1.0) > 1e-6)
      return reject("xyaxes are not two directions");
    return Quat(R).normalized();
  }
  if (const auto z = values_.vector(element, "zaxis")) {
    if (z->norm() < 1e-9) return reject("zaxis has no length");
    // As in MuJoCo: the shortest rotation of z to this direction.
    return rotation_between(Vec3::UnitZ(), *z);
  }
  return Quat::Identity();
}

Pose MjcfSource::pose(const Element& element) {
  return {values_.vector(element, "pos", Vec3::Zero()), orientation(element)};
}

void MjcfSource::differ(const Place& place, const std::string& what) {
  report_.differs.push_back(fmt::format("{}: {}", to_string(place), what));
}

void MjcfSource::report_losses() {
  for (const auto& [what, count] : lost_)
    report_.lost.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
}

}  // namespace lockstep
