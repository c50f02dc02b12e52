#include <utility>

#include "connection/transports_internal.h"

namespace lockstep {
namespace {

/// Between two attempts, so that a controller that is not there costs little.
constexpr Duration kRetry = std::chrono::milliseconds(20);

class ConnectingListener final : public Listener {
 public:
  ConnectingListener(Address address, const TransportOptions& options)
      : address_(std::move(address)), options_(options) {}

  std::unique_ptr<Channel> accept() override {
    const ConnectionDeadline now = std::chrono::steady_clock::now();
    if (now < next_) return nullptr;
    next_ = now + kRetry;
    std::string error;  // no controller listens there yet
    return connect(address_, options_, now, error);
  }
  std::string address() const override { return to_string(address_); }

 private:
  Address address_;
  TransportOptions options_;
  ConnectionDeadline next_{};
};

}  // namespace

std::unique_ptr<Listener> make_connecting_listener(const Address& address, const TransportOptions& options) {
  return std::make_unique<ConnectingListener>(address, options);
}

}  // namespace lockstep
