#include "lockstep/state.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep {
namespace {

enum class Mode : std::uint8_t { kOff, kOn };

TEST(State, ReadsBackInTheSameOrder) {
  StateWriter writer;
  writer.write(1.5);
  writer.write(std::int32_t{-7});
  writer.write(true);
  writer.write(Mode::kOn);
  writer.write(std::string_view("elbow"));
  const std::array<double, 3> row{1.0, 2.0, 3.0};
  writer.write(std::span<const double>(row));

  StateReader reader(writer.bytes());
  EXPECT_EQ(reader.read<double>(), 1.5);
  EXPECT_EQ(reader.read<std::int32_t>(), -7);
  EXPECT_TRUE(reader.read<bool>());
  EXPECT_EQ(reader.read<Mode>(), Mode::kOn);
  EXPECT_EQ(reader.read_string(10), "elbow");
  EXPECT_EQ(reader.read_vector<double>(3), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_TRUE(reader.at_end());
}

TEST(State, BytesAreLittleEndian) {
  StateWriter writer;
  writer.write(std::uint32_t{0x01020304});
  EXPECT_EQ(std::vector<std::uint8_t>(writer.bytes().begin(), writer.bytes().end()),
            (std::vector<std::uint8_t>{4, 3, 2, 1}));
}

TEST(State, EveryTruncationIsAnError) {
  StateWriter writer;
  writer.write(1.5);
  writer.write(std::string_view("elbow"));
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    StateReader reader(writer.bytes().first(size));
    const auto read_all = [&] {
      reader.read<double>();
      reader.read_string(100);
    };
    EXPECT_THROW(read_all(), StateError) << size;
  }
}

TEST(State, AnArrayLongerThanAllowedIsAnError) {
  StateWriter writer;
  writer.write(std::string_view("elbow"));
  EXPECT_THROW(StateReader(writer.bytes()).read_string(4), StateError);
  EXPECT_EQ(StateReader(writer.bytes()).read_string(5), "elbow");
}

TEST(State, AnArrayLongerThanTheDataAllocatesNothing) {
  for (const std::uint64_t claimed : {std::uint64_t{2}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    StateWriter writer;
    writer.write(claimed);
    writer.write(1.0);
    EXPECT_THROW(StateReader(writer.bytes()).read_vector<double>(~std::size_t{0}), StateError);
  }
}

TEST(State, AnArrayOfADifferentLengthIsAnError) {
  StateWriter writer;
  const std::array<double, 3> row{1.0, 2.0, 3.0};
  writer.write(std::span<const double>(row));
  std::array<double, 2> shorter{};
  std::array<double, 4> longer{};
  EXPECT_THROW(StateReader(writer.bytes()).read_into(std::span<double>(shorter)), StateError);
  EXPECT_THROW(StateReader(writer.bytes()).read_into(std::span<double>(longer)), StateError);
}

TEST(State, ATruthValueIsZeroOrOne) {
  const std::array<std::uint8_t, 3> bytes{0, 1, 2};
  StateReader reader(bytes);
  EXPECT_FALSE(reader.read<bool>());
  EXPECT_TRUE(reader.read<bool>());
  EXPECT_THROW(reader.read<bool>(), StateError);
}

TEST(State, EmptyArraysAreFine) {
  StateWriter writer;
  writer.write(std::string_view(""));
  writer.write(std::span<const double>());
  StateReader reader(writer.bytes());
  EXPECT_EQ(reader.read_string(0), "");
  EXPECT_TRUE(reader.read_vector<double>(0).empty());
  EXPECT_TRUE(reader.at_end());
}

}  // namespace
}  // namespace lockstep
