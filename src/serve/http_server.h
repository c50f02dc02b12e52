#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/hub.h"

namespace lockstep::serve {

/// HTTP and WebSocket server: serves the page, its files and the viewers' WebSocket on one port, on the thread
/// that calls run(). Only http_server.cc uses the web server library (Boost.Beast).
class HttpServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;  ///< 0: any free port
    std::string token;          ///< empty: none is needed
  };

  /// Starts to listen. Throws UserError if the port is in use or the address is not one of this machine.
  explicit HttpServer(const Options& options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

  /// Schedules a Hub::pump() on the server thread. From any thread; never blocks or allocates.
  void wake();
  /// Ends run(), from any thread.
  void stop();

  /// Runs until stop(), Ctrl-C or SIGTERM.
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
