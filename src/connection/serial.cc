#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "connection/transports_internal.h"

namespace lockstep {
namespace {

struct Rate {
  int baud;
  speed_t speed;
};
constexpr std::array kRates = {Rate{9600, B9600},     Rate{19200, B19200},   Rate{38400, B38400},
                               Rate{57600, B57600},   Rate{115200, B115200}, Rate{230400, B230400},
                               Rate{460800, B460800}, Rate{921600, B921600}};

/// An open serial line: 8 bits, no parity, one stop bit, no flow control, nothing translated.
class SerialChannel final : public Channel {
 public:
  SerialChannel(FileDescriptor line, std::shared_ptr<bool> use) : line_(std::move(line)), use_(std::move(use)) {
    *use_ = true;
  }
  ~SerialChannel() override { *use_ = false; }
  SerialChannel(const SerialChannel&) = delete;
  SerialChannel& operator=(const SerialChannel&) = delete;

  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) override {
    return remainder_.send(line_.get(), bytes, deadline, [this](std::span<const std::uint8_t> part) {
      return ::write(line_.get(), part.data(), part.size());
    });
  }
  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    return receive_from_file(line_.get(), buffer, count, deadline);
  }

 private:
  FileDescriptor line_;
  std::shared_ptr<bool> use_;
  Remainder remainder_;
};

FileDescriptor open_line(const std::string& path, speed_t speed, std::string& error) {
  FileDescriptor line(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  termios settings{};
  if (!line) {
    error = system_error();
  } else if (tcgetattr(line.get(), &settings) != 0) {
    error = "is not a serial line";
  } else {
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
    cfsetspeed(&settings, speed);
    if (tcsetattr(line.get(), TCSANOW, &settings) == 0 && tcflush(line.get(), TCIOFLUSH) == 0) return line;
    error = system_error();
  }
  return FileDescriptor();
}

/// Opens the line again after it was lost.
class SerialListener final : public Listener {
 public:
  SerialListener(Address address, speed_t speed) : address_(std::move(address)), speed_(speed) {}

  std::unique_ptr<Channel> accept() override {
    if (*use_) return nullptr;
    std::string error;
    FileDescriptor line = open_line(address_.path, speed_, error);
    return line ? std::make_unique<SerialChannel>(std::move(line), use_) : nullptr;
  }
  std::string address() const override { return to_string(address_); }

 private:
  Address address_;
  speed_t speed_;
  std::shared_ptr<bool> use_ = std::make_shared<bool>(false);
};

std::unique_ptr<Listener> listen_serial(const Address& address, const TransportOptions& options,
                                        std::string& error) {
  std::string rates;
  for (const Rate& rate : kRates) {
    if (rate.baud == options.baud) {
      std::string why;
      if (open_line(address.path, rate.speed, why))
        return std::make_unique<SerialListener>(address, rate.speed);
      error = fmt::format("{}: {}", to_string(address), why);
      return nullptr;
    }
    rates += fmt::format("{}{}", rates.empty() ? "" : ", ", rate.baud);
  }
  error = fmt::format("{}: {} baud is not possible; expected {}", to_string(address), options.baud, rates);
  return nullptr;
}

}  // namespace

Transport make_serial_transport() {
  return {.name = "serial", .form = AddressForm::kPath, .is_plain_stream = true, .listen = listen_serial};
}

}  // namespace lockstep
