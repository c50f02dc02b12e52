#pragma once

#include <functional>
#include <utility>

#include "link/peer.h"

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

}  // namespace lockstep
