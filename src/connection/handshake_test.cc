#include "connection/handshake.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "connection/message.h"

namespace lockstep {
namespace {

ConnectionSchema make_schema() {
  ConnectionSchema schema{
      .scenario = "arm", .connection = "plc", .period = Duration(2'000'000), .step = Duration(500'000)};
  schema.reads = {{"angle", "rad"}};
  schema.writes = {{"torque", "N*m", 0.0, -1.0, 1.0}};
  return schema;
}

TEST(Handshake, AnotherHashIsRejectedAndTheRightOneIsAccepted) {
  const ConnectionSchema schema = make_schema();
  const std::uint64_t hash = calc_schema_hash(schema);
  EXPECT_FALSE(find_mismatch({.hash = hash}, schema));
  const auto mismatch = find_mismatch({.hash = 1}, schema);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->code, NoticeCode::kDiffers);
  EXPECT_EQ(mismatch->sentence, "connection 'plc': requested schema hash 0000000000000001, but here it is " +
                                    to_hex(hash) +
                                    ": signals, units, limits, period, step or mode have changed");
}

TEST(Handshake, TheHashCoversEverythingButTheNamesOfScenarioAndConnection) {
  const std::uint64_t hash = calc_schema_hash(make_schema());
  ConnectionSchema schema = make_schema();
  schema.scenario = schema.connection = "other";
  EXPECT_EQ(calc_schema_hash(schema), hash);
  schema.writes[0].upper = 2.0;
  EXPECT_NE(calc_schema_hash(schema), hash);
}

TEST(Handshake, RejectsAConnectionTooLargeForADatagram) {
  ConnectionSchema schema = make_schema();
  EXPECT_EQ(find_schema_defect(schema, kMaxDatagram), "");
  schema.reads.assign(10'000, {"a", ""});
  EXPECT_EQ(find_schema_defect(schema, kMaxDatagram),
            "10000 signals read and 1 written need a message of 80028 bytes; at most 65507 are possible");
}

}  // namespace
}  // namespace lockstep
