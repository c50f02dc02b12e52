#include "base/hash.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Hash, AgreesWithThePublishedValuesOfXxh64) {
  EXPECT_EQ(hash_text(""), 0xef46db3751d8e999ULL);
  EXPECT_EQ(hash_text("", 2654435761ULL), 0xac75fda2929b17efULL);
  EXPECT_EQ(hash_text("a"), 0xd24ec4f1a98c6e5bULL);
  EXPECT_EQ(hash_text("abc"), 0x44bc2cf5ad770999ULL);
  EXPECT_EQ(hash_text("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1ULL);
}

TEST(Hash, OfBytesAndOfTextIsTheSame) {
  const std::uint8_t bytes[] = {'a', 'b', 'c'};
  EXPECT_EQ(hash_bytes(bytes), hash_text("abc"));
}

TEST(Hash, EveryLengthGivesADifferentValue) {
  const std::string zeros(100, '\0');
  for (std::size_t n = 0; n < zeros.size(); ++n) {
    EXPECT_NE(hash_text(std::string_view(zeros).substr(0, n)),
              hash_text(std::string_view(zeros).substr(0, n + 1)));
  }
}

TEST(Hash, IsWrittenAsSixteenDigits) {
  EXPECT_EQ(to_hex(0xef46db3751d8e999ULL), "ef46db3751d8e999");
  EXPECT_EQ(to_hex(0x1fULL), "000000000000001f");
}

}  // namespace
}  // namespace lockstep
