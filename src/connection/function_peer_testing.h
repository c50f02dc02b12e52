#pragma once

#include <array>
#include <functional>
#include <utility>

#include "connection/peer.h"
#include "connection/remote_controller.h"

namespace lockstep {

/// For tests: a controller that is a function.
class FunctionPeer final : public Peer {
 public:
  using Function = std::function<PeerReply(const PeerRequest&, std::span<double>)>;

  explicit FunctionPeer(Function function) : function_(std::move(function)) {}
  std::string open() override { return ""; }
  void close() override {}
  PeerReply exchange(const PeerRequest& request, std::span<double> commands) override {
    return function_(request, commands);
  }

 private:
  Function function_;
};

/// Consecutive slots for the health signals of a connection.
inline std::array<Slot, RemoteController::kHealth.size()> health_slots(std::size_t first) {
  std::array<Slot, RemoteController::kHealth.size()> slots{};
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = Slot{first + i};
  return slots;
}

}  // namespace lockstep
