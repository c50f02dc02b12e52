#include "connection/wire_peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "lockstep/error.h"

namespace lockstep {
namespace {

/// A deadline that is past: only look.
constexpr ConnectionDeadline kOnlyLook = ConnectionDeadline::min();
/// Between two looks at newcomers while a controller is connected: often enough for a second one to be
/// rejected and for a wait to be cancelled in time.
constexpr Duration kLookPeriod = std::chrono::milliseconds(10);
/// The same while none is.
constexpr Duration kShortLookPeriod = std::chrono::milliseconds(1);
/// An answer is waited for this long before anything else is done, even if a look at newcomers is due: more
/// than set_receive_slice(), so that a socket waits by itself and needs no ppoll().
constexpr Duration kPatience = std::chrono::milliseconds(25);
/// What BYE may take if the other side does not read.
constexpr Duration kFarewell = std::chrono::milliseconds(100);
/// Receptions of one look, so that a flood cannot hold the simulation.
constexpr int kMaxReceptions = 64;
/// Payload that is taken from any controller, whatever the connection is like.
constexpr std::size_t kMinPayload = 4096;
/// Of the bytes of a message a fault never changes the first twelve: a receiver that believes a damaged length
/// would wait for bytes that never come, and the fault would not be the loss of one message.
constexpr std::size_t kFirstCorruptible = 12;

ConnectionDeadline read_clock() {
  return std::chrono::steady_clock::now();
}

std::span<const std::uint8_t> corrupt(std::span<const std::uint8_t> message, std::uint32_t sequence,
                                      std::vector<std::uint8_t>& scratch) {
  const std::size_t size = message.size() - kFirstCorruptible;
  std::copy(message.begin(), message.end(), scratch.begin());
  scratch[kFirstCorruptible + (std::size_t{sequence} * 31) % size] ^= 0xFF;
  return std::span(scratch).first(message.size());
}

}  // namespace

struct WirePeer::Exchange {
  const PeerRequest& request;
  std::span<double> commands;
  ConnectionDeadline now;       // as read last
  ConnectionDeadline deadline;  // of the answer
  PeerReply reply{};
  bool is_spoilt = false;  // the answer came and fell to a fault
  bool is_left = false;    // it has said BYE, or was turned away

  ConnectionCounts& counts() { return reply.counts; }
  bool is_over() const { return reply.is_fresh || is_spoilt; }
};

WirePeer::WirePeer(WirePeerConfig config)
    : config_(std::move(config)), conversation_(config_.schema.mode, config_.timeout) {}

WirePeer::~WirePeer() {
  close();
}

std::string WirePeer::open() {
  const std::string defect = find_schema_defect(
      config_.schema, std::min(kMaxPayload + kMessageOverhead, config_.address.transport->max_message));
  if (!defect.empty()) return defect;

  const std::size_t reads = 8 * config_.schema.reads.size(), writes = 8 * config_.schema.writes.size();
  const std::size_t welcome = encode_welcome(config_.schema).size();
  // A HELLO that asks for everything there is is shorter than the WELCOME, but for the controller's name.
  const std::size_t max_incoming = std::min(std::max({kMinPayload, writes, 2 * welcome}), kMaxPayload);
  out_.resize(reads + kMessageOverhead);
  scratch_.resize(std::max(reads, writes) + kMessageOverhead);
  numbers_.resize(config_.schema.writes.size());
  newcomers_ = Newcomers({.schema = &config_.schema,
                          .mode = config_.address.transport->keeps_boundaries ? MessageReader::Mode::kBoundaries
                                                                              : MessageReader::Mode::kStream,
                          .max_payload = max_incoming,
                          .timeout = config_.timeout});
  const TransportOptions options{
      .spin = config_.spin, .ring_size = 4 * (std::max({reads, max_incoming, welcome}) + kMessageOverhead)};
  std::string error;
  listener_ = listen(config_.address, options, error);
  return error;
}

void WirePeer::close() {
  if (channel_) {
    const auto payload = encode_notice({NoticeCode::kRunOver, "the run is over"});
    channel_->say(MessageType::kBye, payload, stamp_, read_clock() + kFarewell);
  }
  listener_.reset();  // before the connection, so that no controller is let in again
  newcomers_.clear();
  channel_.reset();
}

std::string WirePeer::address() const {
  return listener_ ? listener_->address() : to_string(config_.address);
}

PeerReply WirePeer::exchange(const PeerRequest& request, std::span<double> commands) {
  LOCKSTEP_CHECK(listener_ && request.measured.size() == config_.schema.reads.size() &&
                 commands.size() == config_.schema.writes.size());
  const ConnectionDeadline start = read_clock();
  Exchange exchange{.request = request, .commands = commands, .now = start, .deadline = start + request.wait};
  stamp_ = {request.sequence, request.time};
  const auto has_fault = [&](MessageFault fault) {
    return request.outgoing == fault || request.incoming == fault;
  };
  if (has_fault(MessageFault::kDisconnect)) {
    lose_connection(exchange);
  } else if (!has_fault(MessageFault::kFreeze)) {
    if (start >= next_look_) look_for_newcomers(exchange);
    if (config_.schema.mode == ConnectionMode::kLockStep) {
      exchange_in_lockstep(exchange);
      exchange.reply.waited = Duration(read_clock() - start);
    } else {
      exchange_in_real_time(exchange);
    }
  }
  exchange.reply.is_connected = channel_.has_value();
  return exchange.reply;
}

void WirePeer::exchange_in_lockstep(Exchange& exchange) {
  if (exchange.is_over()) return;
  const PeerRequest& request = exchange.request;
  const bool only_looks = request.wait <= Duration(0);
  if (channel_ && only_looks && conversation_.is_owing()) {
    // Silent until now. Nothing more is sent to it before it has answered what it owes; then it is asked again.
    look(exchange);
    if (!channel_ || conversation_.is_owing()) return;
  }
  if (!channel_ && !wait_for_controller(exchange)) return;
  if (only_looks) exchange.deadline = std::max(exchange.deadline, exchange.now + config_.timeout);
  // Who asks for the same again waits on; what was sent is sent again in its own time.
  if (conversation_.is_asked(request.sequence)) {
    ask_on(exchange);
    return;
  }
  send_measurement(exchange, request.outgoing);
  wait_for_answer(exchange);
}

void WirePeer::ask_on(Exchange& exchange) {
  if (exchange.now - conversation_.asked_at() >= config_.timeout) {
    ++exchange.counts().lost;
    send_measurement(exchange, MessageFault::kNone);
  }
  wait_for_answer(exchange);
}

bool WirePeer::wait_for_controller(Exchange& exchange) {
  while (true) {
    if (exchange.now >= next_look_) look_for_newcomers(exchange);
    if (channel_) {
      if (exchange.request.wait > config_.timeout) exchange.deadline = exchange.now + config_.timeout;
      return true;
    }
    if (exchange.now >= exchange.deadline || is_cancelled()) return false;
    std::this_thread::sleep_until(std::min(next_look_, exchange.deadline));
    exchange.now = read_clock();
  }
}

void WirePeer::wait_for_answer(Exchange& exchange) {
  while (!exchange.is_over()) {
    if (!channel_) {
      if (!wait_for_controller(exchange)) return;
      send_measurement(exchange, MessageFault::kNone);
      if (!channel_) continue;
    }
    const ConnectionDeadline resend_at = conversation_.resend_at();
    const ConnectionDeadline until =
        std::min({exchange.deadline, std::max(next_look_, exchange.now + kPatience), resend_at});
    const Channel::Result result = channel_->receive(until);
    if (result == Channel::Result::kDone) {
      handle_all(exchange);
    } else if (result == Channel::Result::kClosed) {
      lose_connection(exchange);
    }
    if (exchange.is_over()) return;

    exchange.now = read_clock();
    if (exchange.now >= exchange.deadline || is_cancelled()) return;
    if (exchange.now >= next_look_) look_for_newcomers(exchange);
    if (!channel_ || exchange.is_over()) continue;
    if (!conversation_.is_owing()) {  // to a controller that has just come, or come back
      send_measurement(exchange, MessageFault::kNone);
    } else if (exchange.now >= resend_at) {
      send_again(exchange);
    }
  }
}

void WirePeer::send_measurement(Exchange& exchange, MessageFault fault) {
  const PeerRequest& request = exchange.request;
  message_ = encode_numbers(MessageType::kMeasurement, request.sequence, request.time, request.measured, out_);
  conversation_.ask(request.sequence, exchange.now);
  if (fault == MessageFault::kDrop) return;
  send_bytes(exchange,
             fault == MessageFault::kCorrupt ? corrupt(message_, request.sequence, scratch_) : message_);
  if (fault == MessageFault::kDuplicate && channel_) send_bytes(exchange, message_);
}

void WirePeer::send_bytes(Exchange& exchange, std::span<const std::uint8_t> bytes) {
  const bool may_wait = config_.schema.mode == ConnectionMode::kLockStep;
  const Channel::Result result = channel_->send(bytes, may_wait ? exchange.deadline : kOnlyLook);
  if (result == Channel::Result::kClosed) {
    look(exchange);  // what it said before it went still counts
    lose_connection(exchange);
  }
  if (result == Channel::Result::kTimeout && !may_wait) ++exchange.counts().lost;
}

void WirePeer::send_again(Exchange& exchange) {
  // An answer that has begun but not ended by now is not going to.
  channel_->abandon();
  handle_all(exchange);
  if (!channel_ || !conversation_.is_owing()) return;
  conversation_.resend();
  ++exchange.counts().lost;
  send_bytes(exchange, message_);
}

void WirePeer::exchange_in_real_time(Exchange& exchange) {
  if (!channel_ && !wait_for_controller(exchange)) return;
  // The answer to the last question came while simulated time stood still: none is missing.
  if (!conversation_.is_owing() && conversation_.has_newest_answer(exchange.request.sequence - 1))
    exchange.reply.is_fresh = true;
  look(exchange);
  // Nothing is asked for again, so a message whose end does not come is given up by the clock: with a damaged
  // length it would swallow the commands behind it.
  if (channel_ && channel_->is_overdue(exchange.now, config_.timeout / 4)) {
    channel_->abandon();
    handle_all(exchange);
  }
  if (!channel_) return;
  // Asked for the same once more, while simulated time stands still: the answer was on its way.
  if (conversation_.has_newest_answer(exchange.request.sequence)) return;
  if (!conversation_.is_asked(exchange.request.sequence)) {
    send_measurement(exchange, exchange.request.outgoing);
  } else if (!exchange.is_over()) {  // simulated time stands still
    ask_on(exchange);
  }
}

/// Takes what is there, without waiting.
void WirePeer::look(Exchange& exchange) {
  for (int i = 0; i < kMaxReceptions && channel_; ++i) {
    const Channel::Result result = channel_->receive(kOnlyLook);
    if (result == Channel::Result::kTimeout) return;
    if (result == Channel::Result::kClosed) {
      lose_connection(exchange);
      return;
    }
    handle_all(exchange);
  }
}

void WirePeer::handle_all(Exchange& exchange) {
  Message message;
  while (!exchange.is_left && channel_->next(message)) handle(message, exchange);
  exchange.counts().bad += channel_->take_bad();
  if (!exchange.is_left) return;
  exchange.is_left = false;
  // Not lose_connection(): a message that has begun after BYE is of a controller that took the place too early.
  end_connection(exchange);
}

void WirePeer::handle(const Message& message, Exchange& exchange) {
  switch (message.type) {
    case MessageType::kCommand:
      handle_command(message, exchange);
      break;
    case MessageType::kBye:
      exchange.is_left = true;
      break;
    case MessageType::kHello:
      handle_hello_again(message, exchange);
      break;
    case MessageType::kError:
      ++exchange.counts().bad;
      break;
    case MessageType::kWelcome:
    case MessageType::kMeasurement:
      reject({NoticeCode::kMisfit, "only the simulation sends WELCOME and MEASUREMENT"}, exchange);
      break;
  }
}

/// A controller that greets again begins again: its WELCOME was lost, which only happens to messages, or it has
/// started again at the same end.
void WirePeer::handle_hello_again(const Message& message, Exchange& exchange) {
  const auto hello = decode_hello(message.payload);
  if (!hello) {
    reject({NoticeCode::kMisfit, "this HELLO cannot be read"}, exchange);
    return;
  }
  if (const auto mismatch = find_mismatch(*hello, config_.schema)) {
    reject(*mismatch, exchange);
    exchange.is_left = true;
    return;
  }
  if (conversation_.has_answer() || !config_.address.transport->keeps_boundaries)
    ++exchange.counts().reconnects;
  start_conversation(*hello);
}

void WirePeer::handle_command(const Message& message, Exchange& exchange) {
  if (message.payload.size() != 8 * numbers_.size()) {
    reject({NoticeCode::kMisfit, fmt::format("COMMAND has {} bytes of numbers; expected {}, for {} signals",
                                             message.payload.size(), 8 * numbers_.size(), numbers_.size())},
           exchange);
    return;
  }
  const Conversation::Verdict verdict = conversation_.judge(message.sequence);
  if (verdict == Conversation::Verdict::kEarly) ++exchange.counts().bad;
  if (verdict == Conversation::Verdict::kKnown) ++exchange.counts().duplicate;
  if (verdict != Conversation::Verdict::kAwaited) return;
  decode_numbers(message.payload, numbers_);
  if (!std::all_of(numbers_.begin(), numbers_.end(), [](double number) { return std::isfinite(number); })) {
    reject(
        {NoticeCode::kNotFinite, fmt::format("COMMAND {} has a number that is not finite", message.sequence)},
        exchange);
    return;
  }
  const bool is_stale =
      config_.schema.mode == ConnectionMode::kLockStep && message.sequence != exchange.request.sequence;
  exchange.counts().lost += conversation_.take_answer(message.sequence, exchange.now);
  if (is_stale) {  // a sign of life, but its exchange is over
    ++exchange.counts().duplicate;
    return;
  }
  accept_command(message, exchange);
}

/// `numbers_` become the commands, unless a fault strikes.
void WirePeer::accept_command(const Message& message, Exchange& exchange) {
  switch (exchange.request.incoming) {
    case MessageFault::kDrop:
      ++exchange.counts().lost;
      exchange.is_spoilt = true;
      return;
    case MessageFault::kCorrupt: {
      Message decoded;
      const auto damaged = corrupt(message.bytes, message.sequence, scratch_);
      LOCKSTEP_CHECK(decode_message(damaged, decoded) == MessageVerdict::kBad);
      ++exchange.counts().bad;
      exchange.is_spoilt = true;
      return;
    }
    case MessageFault::kDuplicate:
      ++exchange.counts().duplicate;
      break;
    default:
      break;
  }
  std::copy(numbers_.begin(), numbers_.end(), exchange.commands.begin());
  exchange.reply.is_fresh = true;
}

void WirePeer::look_for_newcomers(Exchange& exchange) {
  exchange.counts().bad += newcomers_.look(
      *listener_, exchange.now, stamp_,
      [&](WireChannel& channel, const Hello& hello) { return admit(channel, hello, exchange); });
  next_look_ = exchange.now + (channel_ ? kLookPeriod : kShortLookPeriod);
}

bool WirePeer::admit(WireChannel& channel, const Hello& hello, Exchange& exchange) {
  // The present one may have left without this having been looked at: then the newcomer is probably the same.
  if (channel_) look(exchange);
  if (channel_ && !conversation_.is_silent(exchange.now)) {
    channel.reject({NoticeCode::kOccupied, fmt::format("another controller is connected: '{}'", controller_)},
                   stamp_);
    return false;
  }
  if (channel_) {
    channel_->reject({NoticeCode::kSilent, "no answer has come; another controller takes over"}, stamp_);
    lose_connection(exchange);
  }
  exchange.counts().bad += channel.take_bad();
  channel_.emplace(std::move(channel));
  if (++connections_ > 1) ++exchange.counts().reconnects;
  start_conversation(hello);
  return true;
}

void WirePeer::start_conversation(const Hello& hello) {
  controller_ = hello.name;
  conversation_.begin();
  channel_->say(MessageType::kWelcome, encode_welcome(config_.schema), stamp_, kOnlyLook);
}

void WirePeer::lose_connection(Exchange& exchange) {
  if (!channel_) return;
  if (channel_->is_incomplete()) ++exchange.counts().bad;  // the message it was cut off in
  end_connection(exchange);
}

void WirePeer::end_connection(Exchange& exchange) {
  channel_.reset();
  conversation_.begin();
  next_look_ = exchange.now;
}

void WirePeer::reject(const Notice& notice, Exchange& exchange) {
  ++exchange.counts().bad;
  channel_->reject(notice, stamp_);
}

}  // namespace lockstep
