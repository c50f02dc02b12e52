#include "connection/packet_connection.h"

#include <algorithm>

#include "connection/make_connection.h"
#include "connection/packet_peer.h"

namespace lockstep {
namespace {

using Content = PacketField::Content;

constexpr std::size_t kMaxFields = 4096;

bool is_usable(const Transport& transport) {
  return transport.is_plain_stream || transport.keeps_boundaries;
}

PatternList make_pattern_list() {
  return {.quote = "'", .with_serial = true, .is_meant = is_usable};
}

/// Packets that are described by their layouts alone.
class LayoutCodec final : public PacketCodec {
 public:
  LayoutCodec(PacketLayout out, PacketLayout in) : out_(std::move(out)), in_(std::move(in)) {}

  std::size_t out_size() const override { return out_.size(); }
  std::size_t in_size() const override { return in_.size(); }
  std::span<const std::uint8_t> prefix() const override { return in_.prefix(); }
  void encode(std::span<const double> measured, std::uint32_t sequence, bool is_last,
              std::span<std::uint8_t> bytes) override {
    if (!is_last) out_.encode(measured, sequence, bytes);
  }
  Verdict decode(std::span<const std::uint8_t> bytes, std::uint32_t sequence, std::span<double> commands,
                 std::string& problem) override {
    PacketLayout::Decoded decoded = in_.decode(bytes, sequence, commands);
    problem = std::move(decoded.error);
    return !problem.empty() ? Verdict::kBad : decoded.is_stale ? Verdict::kStale : Verdict::kGood;
  }

 private:
  PacketLayout out_;
  PacketLayout in_;
};

/// One direction: the fields with their places in the file, and the signals that they use.
class SideBuilder {
 public:
  SideBuilder(const PacketConfig& config, bool is_received, BuildContext& context)
      : config_(config), is_received_(is_received), context_(context) {}

  void build(const PacketSide& side, const Element& at) {
    if (side.fields.size() > kMaxFields) {
      context_.error_in(at, "", "{} fields are too many; expected at most {}", side.fields.size(), kMaxFields);
      return;
    }
    std::size_t i = 0;
    for (const Element& child : at.children) {
      if (child.name == "field" && i < side.fields.size()) add(side.fields[i++], child);
    }
    std::size_t size = 0;
    for (const PacketField& field : fields_) size += field.size();
    if (size == 0 || static_cast<double>(size) > kMaxPacketBytes)
      context_.error_in(at, "", "the packet has {} bytes; expected 1 to {}", size, kMaxPacketBytes);
  }

  std::vector<PacketField> take_fields() { return std::move(fields_); }
  std::vector<Slot> take_slots() { return std::move(slots_); }

 private:
  void add(const FieldConfig& config, const Element& at) {
    PacketField field;
    field.label = config.signal.empty() ? fmt::format("field {}", fields_.size() + 1) : config.signal;
    field.format.order = config_.byte_order;
    if (config.type <= FieldType::kBool) {
      field.format.type = static_cast<NumberType>(config.type);
      if (!fill_number(config, at, field)) return;
    } else if (!config.signal.empty() || !config.bits.empty() || !config.codes.empty()) {
      context_.error_in(at, "type", "a field of this type has no signal; expected a number");
      return;
    } else if (config.type == FieldType::kText) {
      field.content = Content::kText;
      field.text = config.text;
      const auto size = std::max(config.text.size(), static_cast<std::size_t>(config.bytes));
      if (config.bytes > 0 && size > static_cast<std::size_t>(config.bytes))
        context_.error_in(at, "bytes", "{} bytes are too few for the text; expected at least {}", config.bytes,
                          size);
      field.text.resize(size, '\0');
    } else if (config.type == FieldType::kPadding) {
      field.content = Content::kPadding;
      field.padding = static_cast<std::size_t>(config.bytes);
      if (field.padding == 0) context_.error_in(at, "bytes", "padding needs its size in bytes");
    } else {
      field.content = Content::kChecksum;
      field.checksum =
          static_cast<ChecksumKind>(static_cast<int>(config.type) - static_cast<int>(FieldType::kSum8));
    }
    fields_.push_back(std::move(field));
  }

  bool fill_number(const FieldConfig& config, const Element& at, PacketField& field) {
    switch (config.content) {
      case FieldContent::kSignal:
        return config.bits.empty() ? fill_signal(config, at, field) : fill_bits(config, at, field);
      case FieldContent::kConstant:
        field.content = Content::kConstant;
        field.constant = static_cast<std::uint64_t>(config.constant);
        break;
      case FieldContent::kCounter:
        field.content = Content::kCounter;
        break;
      case FieldContent::kEcho:
        field.content = Content::kEcho;
        if (!is_received_ || config_.controller_first) {
          context_.error_in(at, "content",
                            "an echo needs a packet that it answers; expected it in <receive>, with "
                            "first=\"simulation\"");
          return false;
        }
        break;
    }
    if (!config.signal.empty() || !config.bits.empty() || !config.codes.empty()) {
      context_.error_in(at, "content", "only content=\"signal\" has a signal, bits or codes");
      return false;
    }
    if (is_float(field.format.type) || field.format.type == NumberType::kBool) {
      context_.error_in(at, "type", "needs an integer");
      return false;
    }
    return true;
  }

  bool fill_signal(const FieldConfig& config, const Element& at, PacketField& field) {
    if (config.signal.empty()) {
      context_.error_in(at, "type", "needs a 'signal', bits, or another 'content'");
      return false;
    }
    const auto value = find(config.signal, at, at);
    if (!value) return false;
    const SignalInfo& info = context_.signals.info(slots_[*value]);
    bool fits = context_.require_unit_in(at, "scale", info);
    fits = context_.require_unit_in(at, "offset", info) && fits;
    field.value = *value;
    field.format.scale = config.scale;
    field.format.offset = config.offset;
    if (!config.codes.empty() && (is_float(field.format.type) || field.format.type == NumberType::kBool)) {
      context_.error_in(at, "type", "codes need an integer");
      return false;
    }
    for (const CodeConfig& code : config.codes) {
      const bool is_twice = std::any_of(field.format.codes.begin(), field.format.codes.end(),
                                        [&](const NamedCode& other) { return other.code == code.code; });
      if (is_twice) context_.error_in(at, "", "code {} appears twice", code.code);
      field.format.codes.push_back({code.name, code.code, code.value});
    }
    return fits;
  }

  bool fill_bits(const FieldConfig& config, const Element& at, PacketField& field) {
    field.content = Content::kBits;
    const std::size_t bits = 8 * size_of(field.format.type);
    if (is_float(field.format.type) || field.format.type == NumberType::kBool || !config.signal.empty()) {
      context_.error_in(at, "type", "bits need an integer without a signal of its own");
      return false;
    }
    std::uint64_t taken = 0;
    std::size_t i = 0;
    for (const Element& child : at.children) {
      if (child.name != "bit") continue;
      const BitConfig& bit = config.bits[i++];
      const auto position = static_cast<unsigned>(bit.position);
      if (position >= bits || (taken >> position & 1) != 0) {
        context_.error_in(
            child, "position", "{} {}", position,
            position >= bits ? fmt::format("is out of range; expected 0 to {}", bits - 1) : "appears twice");
        continue;
      }
      taken |= std::uint64_t{1} << position;
      if (const auto value = find(bit.signal, child, child)) field.bits.push_back({position, *value});
    }
    return true;
  }

  /// Index of a signal in the row of this packet.
  std::optional<std::size_t> find(const std::string& name, const Element& at, const Element& place) {
    const auto own = context_.scope.empty() ? std::nullopt : context_.signals.find(context_.scope + "/" + name);
    const auto slot = own ? own : context_.signals.find(name);
    const bool is_command = slot && context_.signals.info(*slot).role == SignalRole::kCommand;
    if (!slot || (is_received_ && !is_command)) {
      const std::vector<std::string> names =
          is_received_ ? command_names(context_.signals) : context_.signals.names();
      context_.error_in(place, "signal", "{} '{}'{}",
                        slot ? "only command signals can be received, not" : "unknown signal", name,
                        suggest(name, context_.short_names(names)));
      return std::nullopt;
    }
    if (is_received_ && std::find(slots_.begin(), slots_.end(), *slot) != slots_.end()) {
      context_.error_in(at, "signal", "'{}' is received twice", name);
      return std::nullopt;
    }
    slots_.push_back(*slot);
    return slots_.size() - 1;
  }

  const PacketConfig& config_;
  bool is_received_;
  BuildContext& context_;
  std::vector<PacketField> fields_;
  std::vector<Slot> slots_;
};

}  // namespace

std::string_view packet_address_doc() {
  static const std::string doc = fmt::format("Address on which the simulation listens for the controller: {}.",
                                             list_address_patterns(make_pattern_list()));
  return doc;
}

std::unique_ptr<Connection> make_packet(const PacketConfig& config, BuildContext& context) {
  const std::size_t errors = context.diagnostics.error_count();
  std::string error;
  const std::optional<Address> address = parse_address(config.address, error, true);
  if (!address) {
    context.error_at("address", "{}", error);
  } else if (!is_usable(*address->transport)) {
    context.error_at("address", "'{}' does not fit; expected {}", config.address,
                     list_address_patterns(make_pattern_list()));
  } else if (config.connect && address->transport->connect == nullptr) {
    context.error_at("connect", "a serial line is not connected to; omit it");
  }
  AccessOptions access;
  if (address && context.diagnostics.error_count() == errors) {
    if (auto found = find_access(config.access, *address, std::nullopt, context)) access = *std::move(found);
  }
  SideBuilder out(config, false, context), in(config, true, context);
  if (!config.sent || !config.received) {
    context.error_at("address", "a packet connection needs <send> and <receive>");
    return nullptr;
  }
  out.build(*config.sent, *context.find_child("send"));
  in.build(*config.received, *context.find_child("receive"));
  if (context.diagnostics.error_count() > errors) return nullptr;
  std::unique_ptr<Peer> peer;
  if (context.services.connections.live) {
    const TransportOptions options{.baud = static_cast<int>(config.baud), .access = std::move(access)};
    peer = std::make_unique<PacketPeer>(
        PacketPeer::Settings{.program_first = config.controller_first,
                             .mode = config.timing.mode,
                             .keeps_boundaries = address->transport->keeps_boundaries,
                             .timeout = config.timing.timeout,
                             .cancelled = context.services.connections.cancelled},
        std::make_unique<LayoutCodec>(PacketLayout(out.take_fields()), PacketLayout(in.take_fields())),
        [address = *address, options, connects = config.connect](std::string& why) {
          return connects ? make_connecting_listener(address, options) : listen(address, options, why);
        });
  }
  return make_remote_controller(config.timing, out.take_slots(), in.take_slots(), std::move(peer), context);
}

}  // namespace lockstep
