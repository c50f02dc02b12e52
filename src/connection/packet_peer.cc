#include "connection/packet_peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kLookAgain = std::chrono::microseconds(200);  // for a program to connect
constexpr Duration kLastWords = std::chrono::milliseconds(100);  // for the packet that ends the program
constexpr Duration kSlice = std::chrono::milliseconds(25);       // between two looks at the rest while waiting
constexpr int kMaxResends = 3;                                   // as in the wire protocol
constexpr int kMaxPackets = 256;  // without waiting, so that a flood cannot block the run
constexpr std::uint8_t kDamage = 0xA5;

}  // namespace

struct PacketPeer::Exchange {
  const PeerRequest& request;
  std::span<double> commands;
  ConnectionDeadline deadline;
  PeerReply reply{};
  bool is_done = false;  // an answer, or a fault that replaces it
};

PacketPeer::PacketPeer(Settings settings, std::unique_ptr<PacketCodec> codec, Listen listen)
    : settings_(std::move(settings)),
      codec_(std::move(codec)),
      listen_(std::move(listen)),
      out_(codec_->out_size()),
      in_(codec_->in_size() + (settings_.keeps_boundaries ? 1 : 0)) {}

std::string PacketPeer::open() {
  std::string why;
  listener_ = listen_(why);
  return listener_ ? "" : why;
}

void PacketPeer::close() {
  if (channel_ && owes_answer_) {
    codec_->encode({}, asked_, true, out_);
    channel_->send(out_, Clock::now() + kLastWords);
  }
  disconnect();
  listener_.reset();
}

void PacketPeer::disconnect() {
  channel_.reset();
  owes_answer_ = is_owed_ = false;
  stale_ = 0;
  received_ = 0;
}

/// What the program does wrong. `is_bad`: a packet of it; else it is about the connection.
void PacketPeer::complain(std::string problem, bool is_bad) {
  problem_ = std::move(problem);
  if (is_bad) {
    note_bad(problem_);
  } else {
    note(ConnectionEventKind::kLeft, problem_);
  }
}

PeerReply PacketPeer::exchange(const PeerRequest& request, std::span<double> commands) {
  const ConnectionDeadline start = Clock::now();
  Exchange exchange{.request = request, .commands = commands, .deadline = start + request.wait};
  if (std::exchange(was_accepted_, false) && was_connected_) ++exchange.reply.counts.reconnects;
  if (request.outgoing == MessageFault::kDisconnect || request.incoming == MessageFault::kDisconnect) {
    disconnect();
  } else if (request.outgoing != MessageFault::kFreeze && request.incoming != MessageFault::kFreeze) {
    replace_silent(exchange);
    // A program that disconnects, or another one, may connect again until the deadline.
    while (connect(exchange)) {
      if (settings_.program_first) {
        answer_and_receive(exchange);
      } else if (settings_.mode == ConnectionMode::kRealTime) {
        exchange_in_real_time(exchange);
      } else {
        ask(exchange);
      }
      if (channel_ || exchange.reply.is_over) break;
    }
  }
  was_connected_ = was_connected_ || channel_ != nullptr;
  exchange.reply.is_connected = channel_ != nullptr;
  if (settings_.program_first || settings_.mode == ConnectionMode::kLockStep)
    exchange.reply.waited =
        std::chrono::duration_cast<Duration>((exchange.reply.ended_at = Clock::now()) - start);
  return exchange.reply;
}

void PacketPeer::look() {
  if (!channel_ && listener_) was_accepted_ = accept({});
}

bool PacketPeer::accept(std::span<const double> measured) {
  channel_ = listener_->accept();
  if (!channel_) return false;
  if (!measured.empty()) codec_->begin(measured);
  note(ConnectionEventKind::kConnected, "a program connected");
  return true;
}

bool PacketPeer::connect(Exchange& exchange) {
  if (channel_) return true;
  if (!listener_) return false;
  while (!accept(exchange.request.measured)) {
    if (Clock::now() >= exchange.deadline || is_cancelled()) return false;
    idle();
    std::this_thread::sleep_for(kLookAgain);
  }
  if (was_connected_) ++exchange.reply.counts.reconnects;
  was_connected_ = true;
  return true;
}

/// A program that owes an answer for longer than the timeout gives way to another that connects.
void PacketPeer::replace_silent(Exchange& exchange) {
  if (!channel_ || !is_owed_ || Clock::now() - asked_at_ < settings_.timeout) return;
  std::unique_ptr<Channel> other = listener_->accept();
  if (!other) return;
  complain("no answer in time; another program takes over", false);
  disconnect();
  channel_ = std::move(other);
  codec_->begin(exchange.request.measured);
  ++exchange.reply.counts.reconnects;
}

// --- The program sends first -------------------------------------------------------------------------------------

void PacketPeer::answer_and_receive(Exchange& exchange) {
  answer(exchange);
  if (!channel_) return;
  if (receive(exchange, exchange.deadline) != Arrival::kPacket) return;
  owes_answer_ = true;
  take(exchange);
}

void PacketPeer::answer(Exchange& exchange) {
  if (!owes_answer_) return;
  drop_leftovers(exchange);
  if (!channel_) return;
  if (exchange.request.outgoing == MessageFault::kDrop) return;  // sent with the next exchange
  codec_->encode(exchange.request.measured, exchange.request.sequence, false, out_);
  owes_answer_ = false;
  send(exchange, exchange.deadline);
}

/// The program waits for our packet now, so bytes received here do not belong to one.
void PacketPeer::drop_leftovers(Exchange& exchange) {
  std::array<std::uint8_t, 1024> rest;
  constexpr std::size_t kMaxReads = 64;  // endless input must not block the run
  std::size_t total = 0;
  for (std::size_t i = 0; i < kMaxReads; ++i) {
    std::size_t count = 0;
    const Channel::Result result = channel_->receive(rest, count, Clock::now());
    if (result == Channel::Result::kClosed) {
      complain("the program has closed the connection", false);
      disconnect();
    }
    if (result != Channel::Result::kDone) break;
    total += count;
  }
  if (total == 0) return;
  ++exchange.reply.counts.bad;
  complain(fmt::format("{} extra bytes after a {} of {} bytes", total, codec_->in_name(), codec_->in_size()),
           true);
}

// --- The simulation sends first ----------------------------------------------------------------------------------

void PacketPeer::ask(Exchange& exchange) {
  const PeerRequest& request = exchange.request;
  if (is_owed_ && asked_ != request.sequence) {
    if (request.wait <= Duration(0)) {
      // Silent until now: send nothing before the open packet is answered.
      if (receive(exchange, Clock::now()) != Arrival::kPacket) return;
      ++exchange.reply.counts.duplicate;  // too late for its exchange
      is_owed_ = false;
      exchange.deadline = Clock::now() + settings_.timeout;
    } else if (!settings_.keeps_boundaries) {
      ++stale_;
    }
  }
  if (!is_owed_ || asked_ != request.sequence) {
    if (settings_.keeps_boundaries) drain(exchange);
    if (!channel_) return;
    send_request(exchange);
  } else if (Clock::now() - asked_at_ >= settings_.timeout) {  // the same exchange again, in a pause
    resends_ = 0;
    asked_at_ = Clock::now();
  }
  if (channel_) wait_for_answer(exchange);
}

void PacketPeer::send_request(Exchange& exchange) {
  codec_->encode(exchange.request.measured, exchange.request.sequence, false, out_);
  is_owed_ = true;
  asked_ = exchange.request.sequence;
  asked_at_ = Clock::now();
  resends_ = 0;
  if (exchange.request.outgoing == MessageFault::kDrop) return;
  const bool may_wait = settings_.mode == ConnectionMode::kLockStep;
  send(exchange, may_wait ? exchange.deadline : ConnectionDeadline::min());
}

/// Datagrams that arrived before we asked answer nothing.
void PacketPeer::drain(Exchange& exchange) {
  for (int i = 0; i < kMaxPackets && channel_; ++i) {
    if (receive(exchange, ConnectionDeadline::min()) != Arrival::kPacket) return;
    ++exchange.reply.counts.duplicate;
  }
}

void PacketPeer::wait_for_answer(Exchange& exchange) {
  while (channel_ && !exchange.is_done) {
    const ConnectionDeadline now = Clock::now();
    ConnectionDeadline until = std::min(exchange.deadline, now + kSlice);
    const bool may_resend = settings_.keeps_boundaries && resends_ < kMaxResends;
    const ConnectionDeadline resend_at = asked_at_ + (resends_ + 1) * (settings_.timeout / (kMaxResends + 1));
    if (may_resend) until = std::min(until, std::max(resend_at, now));
    const Arrival arrival = receive(exchange, until);
    if (arrival == Arrival::kPacket) {
      if (stale_ > 0) {
        --stale_;
        ++exchange.reply.counts.duplicate;
      } else {
        take(exchange);
      }
      continue;
    }
    if (arrival == Arrival::kGone) return;
    const ConnectionDeadline later = Clock::now();
    if (later >= exchange.deadline || is_cancelled()) return;
    idle();
    if (may_resend && later >= resend_at) {
      ++resends_;
      ++exchange.reply.counts.lost;
      send(exchange, exchange.deadline);
    }
  }
}

void PacketPeer::exchange_in_real_time(Exchange& exchange) {
  for (int i = 0; i < kMaxPackets && channel_; ++i) {
    if (receive(exchange, ConnectionDeadline::min()) != Arrival::kPacket) break;
    take(exchange);
  }
  if (channel_ && !exchange.reply.is_over) send_request(exchange);
  // Simulated time is paused: wait for the answer.
  if (channel_ && !exchange.reply.is_fresh && exchange.request.wait > Duration(0) &&
      !exchange.request.is_first) {
    exchange.is_done = false;
    wait_for_answer(exchange);
  }
}

// --- Both ----------------------------------------------------------------------------------------------------------

void PacketPeer::send(Exchange& exchange, ConnectionDeadline deadline) {
  if (exchange.request.outgoing == MessageFault::kCorrupt)
    out_[exchange.request.sequence % out_.size()] ^= kDamage;
  Channel::Result result = channel_->send(out_, deadline);
  if (result == Channel::Result::kDone && exchange.request.outgoing == MessageFault::kDuplicate)
    result = channel_->send(out_, deadline);
  if (result == Channel::Result::kDone) return;
  ++exchange.reply.counts.lost;
  // In real time the rest of the packet is sent with the next; a datagram is whole or not there.
  if (result == Channel::Result::kTimeout && (settings_.keeps_boundaries || !settings_.program_first)) return;
  // Part of a packet may be sent: the program could not find the start of the next one.
  complain(result == Channel::Result::kClosed ? "the program has closed the connection"
                                              : "the program does not read its packets",
           false);
  disconnect();
}

/// Collects a packet in in_. Waits until the deadline.
PacketPeer::Arrival PacketPeer::receive(Exchange& exchange, ConnectionDeadline deadline) {
  const std::size_t size = codec_->in_size();
  while (received_ < size) {
    std::size_t count = 0;
    const Channel::Result result = channel_->receive(std::span(in_).subspan(received_), count, deadline);
    if (result == Channel::Result::kDone && settings_.keeps_boundaries) {
      if (count == size) return Arrival::kPacket;
      ++exchange.reply.counts.bad;
      complain(fmt::format("a datagram of {}{} bytes; a {} has {}", count > size ? "more than " : "",
                           std::min(count, size), codec_->in_name(), size),
               true);
      if (deadline == ConnectionDeadline::min()) return Arrival::kNothing;
      continue;
    }
    if (result == Channel::Result::kDone) {
      if (received_ == 0) began_ = Clock::now();
      received_ += count;
      continue;
    }
    if (result == Channel::Result::kClosed) {
      std::string problem = "the program has closed the connection";
      const bool is_cut = received_ > 0;
      if (is_cut) {
        ++exchange.reply.counts.bad;
        problem += fmt::format(" after {} of the {} bytes of a {}", received_, size, codec_->in_name());
      }
      complain(std::move(problem), is_cut);
      disconnect();
      return Arrival::kGone;
    }
    if (received_ > 0 && Clock::now() - began_ >= settings_.timeout) {
      ++exchange.reply.counts.bad;
      complain(fmt::format("received {} of the {} bytes of a {}, and no more within {} s", received_, size,
                           codec_->in_name(), to_seconds(settings_.timeout)),
               true);
      received_ = 0;
      owes_answer_ = settings_.program_first;
    }
    return Arrival::kNothing;
  }
  received_ = 0;
  return Arrival::kPacket;
}

/// Uses the packet in in_, unless a fault is active.
void PacketPeer::take(Exchange& exchange) {
  PeerReply& reply = exchange.reply;
  if (exchange.request.incoming == MessageFault::kDrop) {
    ++reply.counts.lost;
    exchange.is_done = true;
    return;
  }
  const std::span<const std::uint8_t> bytes = std::span(in_).first(codec_->in_size());
  if (exchange.request.incoming == MessageFault::kCorrupt) in_[0] ^= kDamage;
  if (exchange.request.incoming == MessageFault::kDuplicate) ++reply.counts.duplicate;
  std::string problem;
  PacketCodec::Verdict verdict = codec_->decode(bytes, asked_, exchange.commands, problem);
  if (exchange.request.incoming == MessageFault::kCorrupt && verdict != PacketCodec::Verdict::kBad) {
    verdict = PacketCodec::Verdict::kBad;  // the packet has no field that shows it
    problem = "damaged by a fault";
  }
  switch (verdict) {
    case PacketCodec::Verdict::kGood:
      reply.is_fresh = exchange.is_done = true;
      is_owed_ = false;
      return;
    case PacketCodec::Verdict::kStale:
      ++reply.counts.duplicate;
      return;
    case PacketCodec::Verdict::kOver:
      reply.is_over = exchange.is_done = true;
      complain("the program has ended the simulation", false);
      disconnect();
      return;
    case PacketCodec::Verdict::kBad:
      ++reply.counts.bad;
      complain(fmt::format("not a valid {}: {}", codec_->in_name(), problem), true);
      search_next();
      if (exchange.request.ends_at_invalid && settings_.mode == ConnectionMode::kLockStep) {
        exchange.is_done = true;
        is_owed_ = false;
      }
      return;
  }
}

/// After a bad packet of a stream: keeps the bytes that may begin the next one.
void PacketPeer::search_next() {
  const std::span<const std::uint8_t> prefix = codec_->prefix();
  if (settings_.keeps_boundaries || settings_.program_first || prefix.empty()) return;
  const auto end = in_.begin() + static_cast<std::ptrdiff_t>(codec_->in_size());
  for (auto at = in_.begin() + 1; at != end; ++at) {
    const auto size = std::min<std::ptrdiff_t>(end - at, static_cast<std::ptrdiff_t>(prefix.size()));
    if (!std::equal(at, at + size, prefix.begin())) continue;
    received_ = static_cast<std::size_t>(end - at);
    std::copy(at, end, in_.begin());
    began_ = Clock::now();
    return;
  }
}

}  // namespace lockstep
