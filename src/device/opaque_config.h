#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/registry.h"

/// How configurations of a program outside meet the visitors of the file format (scenario/fields.h).
namespace lockstep {

/// The public Fields over one of the visitors.
template <class V>
class FieldsOver final : public Fields {
 public:
  explicit FieldsOver(V& visitor) : visitor_(visitor) {}

  void number(std::string_view name, double& value, const FieldSpec& spec) override {
    visitor_.number(name, value, spec);
  }
  void number(std::string_view name, std::optional<double>& value, const FieldSpec& spec) override {
    visitor_.number(name, value, spec);
  }
  void integer(std::string_view name, std::int64_t& value, const FieldSpec& spec) override {
    visitor_.integer(name, value, spec);
  }
  void vector(std::string_view name, Vec3& value, const FieldSpec& spec) override {
    visitor_.vector(name, value, spec);
  }
  void flag(std::string_view name, bool& value, const FieldSpec& spec) override {
    visitor_.flag(name, value, spec);
  }
  void time(std::string_view name, Duration& value, const FieldSpec& spec) override {
    visitor_.time(name, value, spec);
  }
  void text(std::string_view name, std::string& value, const FieldSpec& spec) override {
    visitor_.text(name, value, spec);
  }
  void name(std::string_view name, std::string& value, const FieldSpec& spec) override {
    visitor_.name(name, value, spec);
  }
  void check(bool is_right, std::string_view name, std::string_view error) override {
    visitor_.check(is_right, name, error);
  }

 private:
  bool choose(std::string_view name, std::size_t& index, std::span<const std::string_view> texts,
              const FieldSpec& spec) override {
    std::vector<std::pair<std::string_view, std::size_t>> choices;
    for (std::size_t i = 0; i < texts.size(); ++i) choices.emplace_back(texts[i], i);
    return visitor_.choice(name, index, choices, spec);
  }

  V& visitor_;
};

/// A configuration of a type that only a program outside knows, as a value.
class OpaqueConfig {
 public:
  explicit OpaqueConfig(const AnyConfig& config) : config_(config.clone()) {}
  OpaqueConfig(const OpaqueConfig& other) : config_(other.config_->clone()) {}
  OpaqueConfig& operator=(const OpaqueConfig&) = delete;

  const AnyConfig& get() const { return *config_; }
  AnyConfig& get() { return *config_; }

 private:
  std::unique_ptr<AnyConfig> config_;
};

template <class V>
void describe(V& v, OpaqueConfig& c) {
  FieldsOver<V> fields(v);
  c.get().visit(fields);
}

}  // namespace lockstep
