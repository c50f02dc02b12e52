#include "connection/wire_peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/error.h"

namespace lockstep {
namespace {

using Result = Connection::Result;

/// A deadline that is past: only look.
constexpr LinkDeadline kOnlyLook = LinkDeadline::min();
/// Between two looks at newcomers while somebody is connected: often enough for a second controller to be
/// refused and for a wait to be cancelled in time.
constexpr Duration kLookPeriod = std::chrono::milliseconds(10);
/// The same while nobody is.
constexpr Duration kShortLookPeriod = std::chrono::milliseconds(1);
/// So long an answer is waited for before anything else is done, though it be time to look at newcomers: more
/// than set_receive_slice(), so that a socket waits by itself and needs no ppoll().
constexpr Duration kPatience = std::chrono::milliseconds(25);
/// Connections that may be in handshake at once; further ones wait in the operating system.
constexpr std::size_t kMaxCandidates = 8;
/// A connection must say HELLO within this, and within half the timeout, but has at least the lesser time.
constexpr Duration kMaxHandshake = std::chrono::seconds(1);
constexpr Duration kMinHandshake = std::chrono::milliseconds(50);
/// What BYE may take if the other side does not read.
constexpr Duration kFarewell = std::chrono::milliseconds(100);
constexpr int kMaxResends = 3;
/// Receptions of one look, so that a flood cannot hold the simulation.
constexpr int kMaxReceptions = 64;
/// Payload that is taken from anybody, whatever the link is like.
constexpr std::size_t kMinPayload = 4096;
/// Of the bytes of a frame a fault never changes the first twelve: a receiver that believes a damaged length
/// would wait for bytes that never come, and the fault would not be the loss of one frame.
constexpr std::size_t kFirstCorruptible = 12;

LinkDeadline read_clock() {
  return std::chrono::steady_clock::now();
}

/// How far `a` is ahead of `b`, where numbers begin again after the last one.
std::int32_t ahead(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b);
}

std::span<const std::uint8_t> corrupt(std::span<const std::uint8_t> frame, std::uint32_t sequence,
                                      std::vector<std::uint8_t>& scratch) {
  const std::size_t size = frame.size() - kFirstCorruptible;
  std::copy(frame.begin(), frame.end(), scratch.begin());
  scratch[kFirstCorruptible + (std::size_t{sequence} * 31) % size] ^= 0xFF;
  return std::span(scratch).first(frame.size());
}

}  // namespace

struct WirePeer::Exchange {
  const PeerRequest& request;
  std::span<double> commands;
  LinkDeadline now;       // as read last
  LinkDeadline deadline;  // of the answer
  PeerReply reply{};
  bool is_spoilt = false;  // the answer came and fell to a fault
  bool is_left = false;    // it has said BYE, or was turned away

  LinkCounts& counts() { return reply.counts; }
  bool is_over() const { return reply.is_fresh || is_spoilt; }
};

WirePeer::WirePeer(WirePeerConfig config) : config_(std::move(config)) {}

WirePeer::~WirePeer() {
  close();
}

std::string WirePeer::open() {
  const std::string defect = find_schema_defect(
      config_.schema, std::min(kMaxPayload + kFrameOverhead, config_.address.transport->max_message));
  if (!defect.empty()) return defect;

  const std::size_t reads = 8 * config_.schema.reads.size(), writes = 8 * config_.schema.writes.size();
  const std::size_t welcome = encode_welcome(config_.schema).size();
  // A HELLO that asks for everything there is is shorter than the WELCOME, but for the controller's name.
  max_incoming_ = std::min({std::max({kMinPayload, writes, 2 * welcome}), kMaxPayload});
  out_.resize(reads + kFrameOverhead);
  scratch_.resize(std::max(reads, writes) + kFrameOverhead);
  numbers_.resize(config_.schema.writes.size());
  candidates_.reserve(kMaxCandidates);
  const TransportOptions options{.spin = config_.spin,
                                 .ring_size = 4 * (std::max({reads, max_incoming_, welcome}) + kFrameOverhead)};
  std::string error;
  listener_ = listen(config_.address, options, error);
  return error;
}

void WirePeer::close() {
  if (connection_) {
    const auto payload = encode_notice({NoticeCode::kRunOver, "the run is over"});
    send_frame(*connection_, FrameType::kBye, payload, read_clock() + kFarewell);
  }
  listener_.reset();  // before the connection, so that nobody is let in again
  candidates_.clear();
  connection_.reset();
  reader_.reset();
}

std::string WirePeer::address() const {
  return listener_ ? listener_->address() : to_string(config_.address);
}

PeerReply WirePeer::exchange(const PeerRequest& request, std::span<double> commands) {
  LOCKSTEP_CHECK(listener_ && request.measured.size() == config_.schema.reads.size() &&
                 commands.size() == config_.schema.writes.size());
  const LinkDeadline start = read_clock();
  Exchange exchange{.request = request, .commands = commands, .now = start, .deadline = start + request.wait};
  next_ = request.sequence;
  next_time_ = request.time;
  const auto has_fault = [&](FrameFault fault) {
    return request.outgoing == fault || request.incoming == fault;
  };
  if (has_fault(FrameFault::kDisconnect)) {
    lose_connection(exchange);
  } else if (!has_fault(FrameFault::kFreeze)) {
    if (start >= next_look_) look_for_newcomers(exchange);
    if (config_.schema.mode == LinkMode::kLockStep) {
      exchange_in_lockstep(exchange);
      exchange.reply.waited = Duration(read_clock() - start);
    } else {
      exchange_in_real_time(exchange);
    }
  }
  exchange.reply.is_connected = connection_ != nullptr;
  return exchange.reply;
}

void WirePeer::exchange_in_lockstep(Exchange& exchange) {
  if (exchange.is_over()) return;
  const PeerRequest& request = exchange.request;
  const bool only_looks = request.wait <= Duration(0);
  if (connection_ && only_looks && is_owing_) {
    // Silent until now. Nothing more is sent to it before it has answered what it owes; then it is asked again.
    look(exchange);
    if (!connection_ || is_owing_) return;
  }
  if (!connection_ && !wait_for_controller(exchange)) return;
  if (only_looks) exchange.deadline = std::max(exchange.deadline, exchange.now + config_.timeout);
  // Who asks for the same again waits on; what was sent is sent again in its own time.
  if (is_asked(request.sequence)) {
    ask_on(exchange);
    return;
  }
  send_measurement(exchange, request.outgoing);
  wait_for_answer(exchange);
}

void WirePeer::ask_on(Exchange& exchange) {
  if (exchange.now - sent_at_ >= config_.timeout) {
    ++exchange.counts().lost;
    send_measurement(exchange, FrameFault::kNone);
  }
  wait_for_answer(exchange);
}

bool WirePeer::wait_for_controller(Exchange& exchange) {
  while (true) {
    if (exchange.now >= next_look_) look_for_newcomers(exchange);
    if (connection_) {
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
    if (!connection_) {
      if (!wait_for_controller(exchange)) return;
      send_measurement(exchange, FrameFault::kNone);
      if (!connection_) continue;
    }
    const LinkDeadline resend_at = sent_at_ + (resends_ + 1) * (config_.timeout / 4);
    LinkDeadline until = std::min(exchange.deadline, std::max(next_look_, exchange.now + kPatience));
    if (resends_ < kMaxResends) until = std::min(until, resend_at);

    std::size_t count = 0;
    const Result result = connection_->receive(reader_->space(), count, until);
    if (result == Result::kDone) {
      reader_->received(count);
      handle_all(exchange);
    } else if (result == Result::kClosed) {
      lose_connection(exchange);
    }
    if (exchange.is_over()) return;

    exchange.now = read_clock();
    if (exchange.now >= exchange.deadline || is_cancelled()) return;
    if (exchange.now >= next_look_) look_for_newcomers(exchange);
    if (!connection_ || exchange.is_over()) continue;
    if (!is_owing_) {  // to somebody who has just come, or come back
      send_measurement(exchange, FrameFault::kNone);
    } else if (resends_ < kMaxResends && exchange.now >= resend_at) {
      send_again(exchange);
    }
  }
}

void WirePeer::send_measurement(Exchange& exchange, FrameFault fault) {
  const PeerRequest& request = exchange.request;
  frame_ = encode_numbers(FrameType::kMeasurement, request.sequence, request.time, request.measured, out_);
  if (!has_sent_) first_sent_ = request.sequence;
  has_sent_ = true;
  if (!is_owing_) owing_since_ = exchange.now;
  is_owing_ = true;
  sent_ = request.sequence;
  sent_at_ = exchange.now;
  resends_ = 0;
  if (fault == FrameFault::kDrop) return;
  send_bytes(exchange, fault == FrameFault::kCorrupt ? corrupt(frame_, sent_, scratch_) : frame_);
  if (fault == FrameFault::kDuplicate && connection_) send_bytes(exchange, frame_);
}

void WirePeer::send_bytes(Exchange& exchange, std::span<const std::uint8_t> bytes) {
  const bool may_wait = config_.schema.mode == LinkMode::kLockStep;
  const Result result = connection_->send(bytes, may_wait ? exchange.deadline : kOnlyLook);
  if (result == Result::kClosed) {
    look(exchange);  // what it said before it went still counts
    lose_connection(exchange);
  }
  if (result == Result::kTimeout && !may_wait) ++exchange.counts().lost;
}

void WirePeer::send_again(Exchange& exchange) {
  // An answer that has begun but not ended by now is not going to.
  reader_->abandon();
  handle_all(exchange);
  if (!connection_ || !is_owing_) return;
  ++resends_;
  ++exchange.counts().lost;
  send_bytes(exchange, frame_);
}

void WirePeer::exchange_in_real_time(Exchange& exchange) {
  if (!connection_ && !wait_for_controller(exchange)) return;
  // The answer to the last question came while simulated time stood still: none is missing.
  if (has_answer_ && !is_owing_ && newest_answer_ == exchange.request.sequence - 1)
    exchange.reply.is_fresh = true;
  look(exchange);
  give_up_incomplete(exchange);
  if (!connection_) return;
  // Asked for the same once more, while simulated time stands still: the answer was on its way.
  if (has_answer_ && newest_answer_ == exchange.request.sequence) return;
  if (!is_asked(exchange.request.sequence)) {
    send_measurement(exchange, exchange.request.outgoing);
  } else if (!exchange.is_over()) {  // simulated time stands still
    ask_on(exchange);
  }
}

/// In real time nothing is asked for again, so a frame whose end does not come is given up by the clock: with a
/// damaged length it would swallow the commands behind it.
void WirePeer::give_up_incomplete(Exchange& exchange) {
  if (!connection_ || !reader_->is_incomplete()) {
    incomplete_since_.reset();
  } else if (!incomplete_since_) {
    incomplete_since_ = exchange.now;
  } else if (exchange.now - *incomplete_since_ >= config_.timeout / 4) {
    incomplete_since_.reset();
    reader_->abandon();
    handle_all(exchange);
  }
}

/// Takes what is there, without waiting.
void WirePeer::look(Exchange& exchange) {
  for (int i = 0; i < kMaxReceptions && connection_; ++i) {
    std::size_t count = 0;
    const Result result = connection_->receive(reader_->space(), count, kOnlyLook);
    if (result == Result::kTimeout) return;
    if (result == Result::kClosed) {
      lose_connection(exchange);
      return;
    }
    reader_->received(count);
    handle_all(exchange);
  }
}

void WirePeer::handle_all(Exchange& exchange) {
  Frame frame;
  while (!exchange.is_left && reader_->next(frame)) {
    incomplete_since_.reset();
    handle(frame, exchange);
  }
  exchange.counts().bad += reader_->bad() - counted_bad_;
  counted_bad_ = reader_->bad();
  if (exchange.is_left) {
    exchange.is_left = false;
    reader_.reset();  // what comes after BYE is of somebody who took the place too early
    lose_connection(exchange);
  }
}

void WirePeer::handle(const Frame& frame, Exchange& exchange) {
  switch (frame.type) {
    case FrameType::kCommand:
      handle_command(frame, exchange);
      break;
    case FrameType::kBye:
      exchange.is_left = true;
      break;
    case FrameType::kHello:
      handle_hello_again(frame, exchange);
      break;
    case FrameType::kError:
      ++exchange.counts().bad;
      break;
    case FrameType::kWelcome:
    case FrameType::kMeasurement:
      refuse({NoticeCode::kMisfit, "only the simulation sends WELCOME and MEASUREMENT"}, exchange);
      break;
  }
}

/// A controller that greets again begins again: its WELCOME was lost, which only happens to messages, or it has
/// started anew at the same end.
void WirePeer::handle_hello_again(const Frame& frame, Exchange& exchange) {
  const auto hello = decode_hello(frame.payload);
  if (!hello) {
    refuse({NoticeCode::kMisfit, "this HELLO cannot be read"}, exchange);
    return;
  }
  if (const auto mismatch = find_mismatch(*hello, config_.schema)) {
    refuse(*mismatch, exchange);
    exchange.is_left = true;
    return;
  }
  if (has_answer_ || !config_.address.transport->keeps_messages) ++exchange.counts().reconnects;
  start_conversation(*hello);
  send_welcome();
}

void WirePeer::handle_command(const Frame& frame, Exchange& exchange) {
  if (frame.payload.size() != 8 * numbers_.size()) {
    refuse({NoticeCode::kMisfit, fmt::format("COMMAND has {} bytes of numbers; expected {}, for {} signals",
                                             frame.payload.size(), 8 * numbers_.size(), numbers_.size())},
           exchange);
    return;
  }
  if (!is_awaited(frame, exchange)) return;
  decode_numbers(frame.payload, numbers_);
  if (!std::all_of(numbers_.begin(), numbers_.end(), [](double number) { return std::isfinite(number); })) {
    refuse({NoticeCode::kNotFinite, fmt::format("COMMAND {} has a number that is not finite", frame.sequence)},
           exchange);
    return;
  }
  const bool is_stale =
      config_.schema.mode == LinkMode::kLockStep && frame.sequence != exchange.request.sequence;
  note_answer(frame.sequence, exchange);
  if (is_stale) {  // a sign of life, but its exchange is over
    ++exchange.counts().duplicate;
    return;
  }

  switch (exchange.request.incoming) {
    case FrameFault::kDrop:
      ++exchange.counts().lost;
      exchange.is_spoilt = true;
      return;
    case FrameFault::kCorrupt: {
      Frame decoded;
      const auto damaged = corrupt(frame.bytes, frame.sequence, scratch_);
      LOCKSTEP_CHECK(decode_frame(damaged, decoded) == FrameVerdict::kBad);
      ++exchange.counts().bad;
      exchange.is_spoilt = true;
      return;
    }
    case FrameFault::kDuplicate:
      ++exchange.counts().duplicate;
      break;
    default:
      break;
  }
  std::copy(numbers_.begin(), numbers_.end(), exchange.commands.begin());
  exchange.reply.is_fresh = true;
}

/// Whether a COMMAND with this number answers something that has not been answered; counts it if not.
bool WirePeer::is_awaited(const Frame& frame, Exchange& exchange) {
  if (!has_sent_ || ahead(frame.sequence, sent_) > 0) {
    ++exchange.counts().bad;
    return false;
  }
  const bool is_lockstep = config_.schema.mode == LinkMode::kLockStep;
  const bool is_known = is_lockstep
                            ? frame.sequence != sent_ || !is_owing_
                            : ahead(frame.sequence, has_answer_ ? newest_answer_ : first_sent_ - 1) <= 0;
  if (is_known) {
    ++exchange.counts().duplicate;
    return false;
  }
  return true;
}

void WirePeer::note_answer(std::uint32_t sequence, Exchange& exchange) {
  // In real time nobody asks again for what is missing in between.
  if (config_.schema.mode == LinkMode::kRealTime) {
    const std::uint32_t before = has_answer_ ? newest_answer_ : first_sent_ - 1;
    exchange.counts().lost += ahead(sequence, before) - 1;
  }
  newest_answer_ = sequence;
  has_answer_ = true;
  owing_since_ = exchange.now;
  if (sequence == sent_) is_owing_ = false;
}

void WirePeer::look_for_newcomers(Exchange& exchange) {
  while (candidates_.size() < kMaxCandidates) {
    std::unique_ptr<Connection> connection = listener_->accept();
    if (!connection) break;
    const auto mode =
        config_.address.transport->keeps_messages ? FrameReader::Mode::kMessages : FrameReader::Mode::kStream;
    const Duration patience = std::clamp<Duration>(config_.timeout / 2, kMinHandshake, kMaxHandshake);
    candidates_.push_back({std::move(connection), FrameReader(mode, max_incoming_), exchange.now + patience});
  }
  for (std::size_t i = 0; i < candidates_.size();) {
    const Greeting greeting = greet(candidates_[i], exchange);
    if (greeting == Greeting::kWaiting) {
      ++i;
      continue;
    }
    // One that has no business here counts as bad, once at least.
    if (greeting == Greeting::kRefused)
      exchange.counts().bad += std::max<std::int64_t>(1, candidates_[i].reader.bad());
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  next_look_ = exchange.now + (connection_ ? kLookPeriod : kShortLookPeriod);
}

WirePeer::Greeting WirePeer::greet(Candidate& candidate, Exchange& exchange) {
  std::size_t count = 0;
  const Result result = candidate.connection->receive(candidate.reader.space(), count, kOnlyLook);
  if (result == Result::kClosed) return Greeting::kRefused;
  candidate.reader.received(count);
  Frame frame;
  while (candidate.reader.next(frame)) {
    const auto hello = frame.type == FrameType::kHello ? decode_hello(frame.payload) : std::nullopt;
    if (hello) return answer_hello(*hello, candidate, exchange);
    send_notice(*candidate.connection, {NoticeCode::kMisfit, "expected a HELLO"});
  }
  if (exchange.now < candidate.deadline) return Greeting::kWaiting;
  send_notice(*candidate.connection, {NoticeCode::kSilent, "no HELLO has come"});
  return Greeting::kRefused;
}

WirePeer::Greeting WirePeer::answer_hello(const Hello& hello, Candidate& candidate, Exchange& exchange) {
  if (const auto mismatch = find_mismatch(hello, config_.schema)) {
    send_notice(*candidate.connection, *mismatch);
    return Greeting::kRefused;
  }
  // The present one may have left without this having been looked at: then the newcomer is probably the same.
  if (connection_) look(exchange);
  if (connection_ && !is_silent(exchange.now)) {
    send_notice(*candidate.connection,
                {NoticeCode::kOccupied, fmt::format("another controller is connected: '{}'", controller_)});
    return Greeting::kRefused;
  }
  if (connection_) {
    send_notice(*connection_, {NoticeCode::kSilent, "no answer has come; another controller takes over"});
    lose_connection(exchange);
  }
  exchange.counts().bad += candidate.reader.bad();
  connection_ = std::move(candidate.connection);
  reader_.emplace(std::move(candidate.reader));
  counted_bad_ = reader_->bad();
  if (++connections_ > 1) ++exchange.counts().reconnects;
  start_conversation(hello);
  send_welcome();
  return Greeting::kWelcomed;
}

void WirePeer::start_conversation(const Hello& hello) {
  controller_ = hello.name;
  has_sent_ = has_answer_ = is_owing_ = false;
}

void WirePeer::lose_connection(Exchange& exchange) {
  if (!connection_) return;
  if (reader_ && reader_->is_incomplete()) ++exchange.counts().bad;  // the frame it was cut off in
  connection_.reset();
  reader_.reset();
  has_sent_ = has_answer_ = is_owing_ = false;
  next_look_ = exchange.now;
}

/// Has owed an answer for so long that another may take its place.
bool WirePeer::is_silent(LinkDeadline now) const {
  return is_owing_ && now - owing_since_ >= config_.timeout;
}

void WirePeer::refuse(const Notice& notice, Exchange& exchange) {
  ++exchange.counts().bad;
  send_notice(*connection_, notice);
}

void WirePeer::send_notice(Connection& connection, const Notice& notice) {
  send_frame(connection, FrameType::kError, encode_notice(notice), kOnlyLook);
}

void WirePeer::send_welcome() {
  send_frame(*connection_, FrameType::kWelcome, encode_welcome(config_.schema), kOnlyLook);
}

/// Of the handshake or about a mistake; whether it arrives shows by what the other side does.
void WirePeer::send_frame(Connection& connection, FrameType type, std::span<const std::uint8_t> payload,
                          LinkDeadline deadline) {
  std::vector<std::uint8_t> bytes(payload.size() + kFrameOverhead);
  const Frame frame{.type = type, .sequence = next_, .time = next_time_, .payload = payload};
  (void)connection.send(encode_frame(frame, bytes), deadline);
}

}  // namespace lockstep
