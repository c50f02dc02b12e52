#include "connection/wire_peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "base/text.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

/// A past deadline: poll without waiting.
constexpr ConnectionDeadline kNoWait = ConnectionDeadline::min();
/// Period of polling newcomers while a controller is connected: short enough to reject a second one and to
/// cancel a wait in time.
constexpr Duration kLookPeriod = std::chrono::milliseconds(10);
/// The same while no controller is connected.
constexpr Duration kShortLookPeriod = std::chrono::milliseconds(1);
/// Minimum wait for an answer, even if polling newcomers is due: longer than set_receive_slice(), so that a
/// socket blocks in recv() and needs no ppoll().
constexpr Duration kPatience = std::chrono::milliseconds(25);
/// Maximum time to send BYE if the other side does not read.
constexpr Duration kFarewell = std::chrono::milliseconds(100);
/// Maximum receptions of one poll, so that a flood cannot block the simulation.
constexpr int kMaxReceptions = 64;
/// The same in messages, and in answers to bad ones, which cost more. The rest waits for the next exchange.
constexpr int kMaxMessages = 256;
constexpr int kMaxRejections = 8;
/// Timeouts after which a silent controller loses a connection that no other can ask for: a controller that was
/// stopped for a few of them, as by a debugger, comes back.
constexpr int kHungTimeouts = 10;
/// Payload size that is accepted on every connection.
constexpr std::size_t kMinPayload = 4096;
/// A corrupt fault does not change the first twelve bytes of a message: with a damaged length the receiver
/// would wait for bytes that never come, and more than one message would be lost.
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
  ConnectionDeadline now;       // last reading of the clock
  ConnectionDeadline deadline;  // of the answer
  PeerReply reply{};
  bool is_answer_lost = false;  // the answer arrived but a fault removed it
  bool is_invalid = false;      // the answer was rejected, and the request says not to wait for another
  bool is_left = false;         // the controller sent BYE or was rejected
  int messages = 0;             // handled without waiting
  int rejections = 0;           // sent

  ConnectionCounts& counts() { return reply.counts; }
  bool is_over() const { return reply.is_fresh || is_answer_lost || is_invalid; }
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
  // A HELLO that lists all signals is shorter than the WELCOME, except for the controller's name.
  const std::size_t max_incoming = std::min(std::max({kMinPayload, writes, 2 * welcome}), kMaxPayload);
  out_.resize(reads + kMessageOverhead);
  scratch_.resize(std::max(reads, writes) + kMessageOverhead);
  numbers_.resize(config_.schema.writes.size());
  newcomers_ = Newcomers(
      {.schema = &config_.schema,
       .mode = config_.address.transport->keeps_boundaries ? MessageReader::Mode::kBoundaries
                                                           : MessageReader::Mode::kStream,
       .max_payload = max_incoming,
       .token = config_.token,
       .timeout = config_.timeout,
       .on_rejected = [this](const std::string& reason) { note(ConnectionEventKind::kRejected, reason); }});
  // Of another run with overwhelming probability: the clock has gone on, or the process is another.
  const auto ticks = static_cast<std::uint64_t>(read_clock().time_since_epoch().count());
  next_session_ =
      config_.first_session != 0
          ? config_.first_session
          : static_cast<std::uint16_t>(
                ((ticks ^ static_cast<std::uint64_t>(getpid()) << 40) * 0x9E3779B97F4A7C15ULL) >> 48);
  const TransportOptions options{.spin = config_.spin,
                                 .ring_size = 4 * (std::max({reads, max_incoming, welcome}) + kMessageOverhead),
                                 .access = config_.access};
  std::string error;
  listener_ = config_.connects ? make_connecting_listener(config_.address, options)
                               : listen(config_.address, options, config_.port, error);
  return error;
}

void WirePeer::close() {
  if (channel_) {
    const auto payload = encode_notice({NoticeCode::kRunOver, "the run is over"});
    channel_->say(MessageType::kBye, payload, stamp_, read_clock() + kFarewell);
  }
  listener_.reset();  // before the channel, so that no other controller connects
  newcomers_.clear();
  channel_.reset();
}

void WirePeer::look() {
  if (!listener_) return;
  const PeerRequest nothing;
  const ConnectionDeadline now = read_clock();
  Exchange exchange{.request = nothing, .commands = {}, .now = now, .deadline = now};
  // Only whether the channel is still there: an answer that has arrived belongs to the exchange that waits for it.
  if (channel_ && !config_.address.transport->keeps_boundaries && channel_->is_closed())
    end_connection(exchange);
  if (!channel_ && now >= next_look_) {
    const MessageStamp last = stamp_;
    if (has_exchanged_) stamp_ = {last.sequence + 1, last.time + config_.schema.period};
    look_for_newcomers(exchange);
    stamp_ = last;
  }
  for (const auto count : kConnectionCounts) looked_.*count += exchange.counts().*count;
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
  has_exchanged_ = true;
  exchange.reply.counts = std::exchange(looked_, {});
  const auto has_fault = [&](MessageFault fault) {
    return request.outgoing == fault || request.incoming == fault;
  };
  if (has_fault(MessageFault::kDisconnect)) {
    lose_connection(exchange);
  } else if (!has_fault(MessageFault::kFreeze)) {
    if (start >= next_look_) look_for_newcomers(exchange);
    if (config_.schema.mode == ConnectionMode::kLockStep) {
      exchange_in_lockstep(exchange);
      exchange.reply.ended_at = read_clock();
      exchange.reply.waited = Duration(exchange.reply.ended_at - start);
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
    // Silent until now: send nothing before it has answered the open request.
    look(exchange);
    if (!channel_ || conversation_.is_owing()) return;
  }
  if (!channel_ && !wait_for_controller(exchange)) return;
  if (only_looks) exchange.deadline = std::max(exchange.deadline, exchange.now + config_.timeout);
  // The same exchange again: continue to wait; the request is resent when due.
  if (conversation_.is_asked(request.sequence)) {
    repeat_request(exchange);
    return;
  }
  send_measurement(exchange, request.outgoing);
  wait_for_answer(exchange);
}

void WirePeer::repeat_request(Exchange& exchange) {
  if (exchange.now - conversation_.asked_at() >= config_.timeout) {
    ++exchange.counts().lost;
    send_measurement(exchange, MessageFault::kNone);
  }
  wait_for_answer(exchange);
}

bool WirePeer::wait_for_controller(Exchange& exchange) {
  while (true) {
    if (exchange.now >= next_look_) look_for_newcomers(exchange);
    if (channel_) return true;
    if (exchange.now >= exchange.deadline || is_cancelled()) return false;
    idle();
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
    exchange.messages = exchange.rejections = 0;  // the time bounds this loop
    if (result == Channel::Result::kDone) {
      handle_all(exchange);
    } else if (result == Channel::Result::kClosed) {
      lose_connection(exchange);
    }
    if (exchange.is_over()) return;

    exchange.now = read_clock();
    if (exchange.now >= exchange.deadline || is_cancelled()) return;
    idle();
    if (exchange.now >= next_look_) look_for_newcomers(exchange);
    if (!channel_ || exchange.is_over()) continue;
    if (!conversation_.is_owing()) {  // to a controller that has just connected or reconnected
      send_measurement(exchange, MessageFault::kNone);
    } else if (exchange.now >= resend_at) {
      send_again(exchange);
    }
  }
}

void WirePeer::send_measurement(Exchange& exchange, MessageFault fault) {
  const PeerRequest& request = exchange.request;
  message_ = encode_numbers(MessageType::kMeasurement, request.sequence, request.time, request.measured, out_,
                            channel_->session());
  conversation_.ask(request.sequence, exchange.now);
  if (fault == MessageFault::kDrop) {
    conversation_.excuse(exchange.now);
    return;
  }
  send_bytes(exchange,
             fault == MessageFault::kCorrupt ? corrupt(message_, request.sequence, scratch_) : message_);
  if (fault == MessageFault::kDuplicate && channel_) send_bytes(exchange, message_);
}

void WirePeer::send_bytes(Exchange& exchange, std::span<const std::uint8_t> bytes) {
  const bool may_wait = config_.schema.mode == ConnectionMode::kLockStep;
  const Channel::Result result = channel_->send(bytes, may_wait ? exchange.deadline : kNoWait);
  if (result == Channel::Result::kClosed) {
    look(exchange);  // messages sent before the end still count
    lose_connection(exchange);
  }
  if (result == Channel::Result::kTimeout && !may_wait) ++exchange.counts().lost;
}

void WirePeer::send_again(Exchange& exchange) {
  // An answer that is still incomplete now will not be completed.
  channel_->abandon();
  handle_all(exchange);
  if (!channel_ || !conversation_.is_owing()) return;
  conversation_.resend();
  ++exchange.counts().lost;
  send_bytes(exchange, message_);
}

void WirePeer::exchange_in_real_time(Exchange& exchange) {
  if (!channel_ && !wait_for_controller(exchange)) return;
  // The answer to the last request arrived while simulated time was paused: none is missing.
  if (!conversation_.is_owing() && conversation_.has_newest_answer(exchange.request.sequence - 1))
    exchange.reply.is_fresh = true;
  look(exchange);
  // In real time nothing is resent, so an incomplete message is abandoned after a time: with a damaged length
  // it would swallow the commands that follow.
  if (channel_ && channel_->is_overdue(exchange.now, config_.timeout / 4)) {
    channel_->abandon();
    handle_all(exchange);
  }
  if (!channel_) return;
  // The same exchange again while simulated time is paused: the answer has arrived meanwhile.
  if (conversation_.has_newest_answer(exchange.request.sequence)) return;
  if (!conversation_.is_asked(exchange.request.sequence)) {
    send_measurement(exchange, exchange.request.outgoing);
  } else if (!exchange.is_over()) {  // simulated time is paused
    repeat_request(exchange);
  }
}

/// Handles what has arrived, without waiting.
void WirePeer::look(Exchange& exchange) {
  handle_all(exchange);  // what was left by the last poll
  for (int i = 0; i < kMaxReceptions && channel_ && exchange.messages < kMaxMessages; ++i) {
    const Channel::Result result = channel_->receive(kNoWait);
    if (result == Channel::Result::kTimeout) return;
    if (result == Channel::Result::kClosed) {
      lose_connection(exchange);
      return;
    }
    handle_all(exchange);
  }
}

void WirePeer::handle_all(Exchange& exchange) {
  if (!channel_) return;
  Message message;
  while (!exchange.is_left && exchange.messages < kMaxMessages && channel_->next(message)) {
    ++exchange.messages;
    handle(message, exchange);
  }
  if (const std::int64_t bad = channel_->take_bad(); bad > 0) {
    exchange.counts().bad += bad;
    note_bad(fmt::format("received {}", channel_->defect()));
  }
  if (!exchange.is_left) return;
  exchange.is_left = false;
  // Not lose_connection(): an incomplete message after BYE is from the next controller, which connected too
  // early.
  end_connection(exchange);
}

void WirePeer::handle(const Message& message, Exchange& exchange) {
  if (!is_of_this_session(message, exchange)) return;
  switch (message.type) {
    case MessageType::kCommand:
      handle_command(message, exchange);
      break;
    case MessageType::kBye:
      note(ConnectionEventKind::kLeft, fmt::format("controller '{}' left", shown_text(controller_)));
      exchange.is_left = true;
      break;
    case MessageType::kHello:
      handle_hello_again(message, exchange);
      break;
    case MessageType::kError: {
      ++exchange.counts().bad;
      const auto notice = decode_notice(message.payload);
      note_bad("the controller reports: " + (notice ? shown_text(notice->sentence) : "an invalid ERROR"));
      break;
    }
    case MessageType::kWelcome:
    case MessageType::kMeasurement:
      reject({NoticeCode::kMisfit, "only the simulation sends WELCOME and MEASUREMENT"}, exchange);
      break;
  }
}

/// A message of another session was recorded in another run, or was delayed since an earlier connection.
bool WirePeer::is_of_this_session(const Message& message, Exchange& exchange) {
  if (message.type == MessageType::kHello || message.session == channel_->session()) return true;
  reject({NoticeCode::kMisfit,
          fmt::format("a message of session {}; expected session {}", message.session, channel_->session())},
         exchange);
  return false;
}

/// A second HELLO restarts the conversation: the WELCOME was lost (datagrams only), or the controller has
/// restarted on the same channel.
void WirePeer::handle_hello_again(const Message& message, Exchange& exchange) {
  auto hello = decode_hello(message.payload);
  if (!hello) {
    reject({NoticeCode::kMisfit, "invalid HELLO"}, exchange);
    return;
  }
  if (const auto mismatch = find_mismatch(*hello, config_.schema, config_.token)) {
    reject(*mismatch, exchange);
    exchange.is_left = true;
    return;
  }
  if (conversation_.has_answer() || !config_.address.transport->keeps_boundaries)
    ++exchange.counts().reconnects;
  hello->has_sessions = message.session != 0;
  // A repeated HELLO gets the same answer: the controller may have got the first one.
  const bool is_repeated = !conversation_.has_answer() && config_.address.transport->keeps_boundaries;
  start_conversation(*hello, is_repeated ? channel_->session() : std::uint16_t{0});
}

void WirePeer::handle_command(const Message& message, Exchange& exchange) {
  if (message.payload.size() != 8 * numbers_.size()) {
    reject({NoticeCode::kMisfit, fmt::format("COMMAND has {} bytes of numbers; expected {} for {} signals",
                                             message.payload.size(), 8 * numbers_.size(), numbers_.size())},
           exchange);
    return;
  }
  const Conversation::Verdict verdict = conversation_.judge(message.sequence);
  if (verdict == Conversation::Verdict::kEarly) {
    ++exchange.counts().bad;
    note_bad(fmt::format("COMMAND {} answers a measurement that was not sent yet", message.sequence));
  }
  if (verdict == Conversation::Verdict::kKnown) ++exchange.counts().duplicate;
  if (verdict != Conversation::Verdict::kAwaited) return;
  if (const Duration asked_at = time_of(message.sequence, exchange.request); message.time != asked_at) {
    reject({NoticeCode::kMisfit, fmt::format("COMMAND {} has time {} ns; expected {} ns", message.sequence,
                                             message.time.count(), asked_at.count())},
           exchange);
    return;
  }
  decode_numbers(message.payload, numbers_);
  if (!std::all_of(numbers_.begin(), numbers_.end(), [](double number) { return std::isfinite(number); })) {
    reject({NoticeCode::kNotFinite, fmt::format("COMMAND {} has a non-finite number", message.sequence)},
           exchange);
    conversation_.excuse(exchange.now);  // a sign of life
    exchange.is_invalid = exchange.request.ends_at_invalid && message.sequence == exchange.request.sequence;
    return;
  }
  const bool is_stale =
      config_.schema.mode == ConnectionMode::kLockStep && message.sequence != exchange.request.sequence;
  exchange.counts().lost += conversation_.take_answer(message.sequence, exchange.now);
  if (is_stale) {  // a sign of life, but for an earlier exchange
    ++exchange.counts().duplicate;
    return;
  }
  accept_command(message, exchange);
}

/// Simulated time of an earlier or the current request: they are one period apart.
Duration WirePeer::time_of(std::uint32_t sequence, const PeerRequest& request) const {
  return request.time - config_.schema.period * static_cast<std::int32_t>(request.sequence - sequence);
}

/// `numbers_` become the commands, unless a fault is active.
void WirePeer::accept_command(const Message& message, Exchange& exchange) {
  switch (exchange.request.incoming) {
    case MessageFault::kDrop:
      ++exchange.counts().lost;
      exchange.is_answer_lost = true;
      return;
    case MessageFault::kCorrupt: {
      Message decoded;
      const auto damaged = corrupt(message.bytes, message.sequence, scratch_);
      LOCKSTEP_CHECK(decode_message(damaged, decoded) == MessageVerdict::kBad);
      ++exchange.counts().bad;
      exchange.is_answer_lost = true;
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
  release_hung_controller(exchange);
  exchange.counts().bad += newcomers_.look(
      *listener_, exchange.now, stamp_,
      [&](WireChannel& channel, const Hello& hello) { return admit(channel, hello, exchange); });
  next_look_ = exchange.now + (channel_ ? kLookPeriod : kShortLookPeriod);
}

/// Where another controller cannot announce itself, a silent one loses the connection without it.
void WirePeer::release_hung_controller(Exchange& exchange) {
  if (!channel_ || config_.address.transport->has_waiting_line) return;
  if (!conversation_.has_owed(exchange.now, kHungTimeouts * config_.timeout)) return;
  look(exchange);  // an answer may have arrived
  if (!channel_ || !conversation_.has_owed(exchange.now, kHungTimeouts * config_.timeout)) return;
  channel_->reject({NoticeCode::kSilent, "no answer for ten times the timeout"}, stamp_);
  lose_connection(exchange);
}

bool WirePeer::admit(WireChannel& channel, const Hello& hello, Exchange& exchange) {
  // The current controller may have left unnoticed; then the newcomer is probably the same one.
  if (channel_) look(exchange);
  if (channel_ && !conversation_.is_silent(exchange.now)) {
    channel.reject({NoticeCode::kOccupied, fmt::format("another controller is connected: '{}'", controller_)},
                   stamp_);
    note(ConnectionEventKind::kRejected, fmt::format("controller '{}' was rejected: another is connected: '{}'",
                                                     shown_text(hello.name), shown_text(controller_)));
    return false;
  }
  if (channel_) {
    channel_->reject({NoticeCode::kSilent, "no answer in time; another controller takes over"}, stamp_);
    lose_connection(exchange);
  }
  exchange.counts().bad += channel.take_bad();
  channel_.emplace(std::move(channel));
  if (++connections_ > 1) ++exchange.counts().reconnects;
  start_conversation(hello);
  return true;
}

/// `session` is that of the WELCOME that is repeated; 0 if it is a new conversation.
void WirePeer::start_conversation(const Hello& hello, std::uint16_t session) {
  controller_ = hello.name;
  if (hello.has_sessions && session == 0) {
    if (next_session_ == 0) ++next_session_;  // 0 means that there is none
    session = next_session_++;
  }
  channel_->set_session(hello.has_sessions ? session : std::uint16_t{0});
  note_controller(controller_);
  note(ConnectionEventKind::kConnected, fmt::format("controller '{}' connected", shown_text(controller_)));
  conversation_.begin();
  channel_->say(MessageType::kWelcome, encode_welcome(config_.schema), stamp_, kNoWait);
}

void WirePeer::lose_connection(Exchange& exchange) {
  if (!channel_) return;
  if (channel_->is_incomplete()) {  // the message in progress
    ++exchange.counts().bad;
    note_bad("the connection ended within a message");
  }
  note(ConnectionEventKind::kLeft,
       fmt::format("the connection to controller '{}' ended", shown_text(controller_)));
  end_connection(exchange);
}

void WirePeer::end_connection(Exchange& exchange) {
  channel_.reset();
  conversation_.begin();
  next_look_ = exchange.now;
}

void WirePeer::reject(const Notice& notice, Exchange& exchange) {
  ++exchange.counts().bad;
  note_bad(notice.sentence);
  if (++exchange.rejections <= kMaxRejections) channel_->reject(notice, stamp_);
}

}  // namespace lockstep
