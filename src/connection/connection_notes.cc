#include "connection/connection_notes.h"

#include "base/text.h"

namespace lockstep {

std::string_view name(ConnectionEventKind kind) {
  switch (kind) {
    case ConnectionEventKind::kConnected:
      return "connected";
    case ConnectionEventKind::kRejected:
      return "rejected";
    case ConnectionEventKind::kBad:
      return "bad";
    case ConnectionEventKind::kLeft:
      return "left";
    case ConnectionEventKind::kSilent:
      return "silent";
    case ConnectionEventKind::kPaused:
      return "paused";
    case ConnectionEventKind::kReturned:
      return "returned";
  }
  return "";
}

void ConnectionNotes::note(ConnectionEventKind kind, std::string_view text) {
  if (events_.size() == kMaxKept) events_.pop_front();
  events_.push_back({.kind = kind, .step = now_.step, .time = now_.time, .text = std::string(text)});
  if (kind == ConnectionEventKind::kRejected || kind == ConnectionEventKind::kBad) problem_ = text;
  if (listener_) listener_(events_.back());
}

void ConnectionNotes::note_bad(std::string_view reason) {
  if (std::exchange(has_bad_, true)) return;
  note(ConnectionEventKind::kBad, reason);
}

}  // namespace lockstep
