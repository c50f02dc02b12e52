#pragma once

#include <bit>
#include <string>
#include <vector>

namespace lockstep::serve {

static_assert(std::endian::native == std::endian::little, "all formats for viewers are little-endian");

/// Appends the bytes of a number.
template <typename T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
void append_numbers(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

}  // namespace lockstep::serve
