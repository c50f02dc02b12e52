#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/hub.h"

namespace lockstep::serve {

/// Serves the page, its files and the WebSocket from one port, on the thread that calls run(). The only file
/// that knows the web server library is its source.
class HttpServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;  ///< 0: any that is free
    std::string token;          ///< "": none is needed
  };

  /// Begins to listen. Throws UserError if the port is taken or the address is none of this machine.
  explicit HttpServer(const Options& options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

  /// There is something for pump(); from any thread. Never waits, never allocates.
  void wake();
  /// Ends run(), from any thread.
  void stop();

  /// Until stop(), Ctrl-C or SIGTERM.
  void run(Hub& hub);

  static constexpr int kMaxConnections = 100;
  static constexpr std::size_t kMaxMessageBytes = 16u << 20;
  static constexpr std::size_t kMaxHeaderBytes = 16u << 10;
  static constexpr std::size_t kMaxBodyBytes = 4u << 10;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::serve
