#include "serve/http_server.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "serve/access.h"
#include "serve/count.h"
#include "serve/gzip.h"
#include "serve/page.h"

// One thread runs everything here (Boost.Asio). Each socket has one owner, kept alive by its pending operation:
//
//     accept ──► Connection: read ──► check access ──► respond ──► read (keep-alive)
//        │           │                     │              └── last response, error ──► DrainedClose ──► closed
//        │           │                     └── GET /ws ──► SocketViewer ── error, too slow ──► hang_up() ──► closed
//        │           └── timeout, end of stream ──► closed
//        └── too many connections ──► ServerFull (503) ──► DrainedClose ──► closed
//
// A SocketViewer reads requests and writes one message at a time. Back pressure: a viewer with kMaxOpenRequests
// unanswered requests is not read until some are answered; a viewer that does not read has at most one state
// message pending, and is closed when too many texts are pending.
//
// Other threads only call wake(): it writes to an eventfd, on which this thread calls Hub::pump().

namespace lockstep::serve {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
namespace net = boost::asio;
using tcp = net::ip::tcp;
using Clock = std::chrono::steady_clock;
using Error = boost::system::error_code;
using Parser = http::request_parser<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::chrono::seconds kRequestTime{10};  // to receive a complete request
constexpr std::chrono::seconds kIdleTime{30};     // between two requests
constexpr std::chrono::seconds kSilenceTime{30};  // of a viewer that neither reads nor answers pings
constexpr std::chrono::seconds kDrainTime{2};     // for the client to close
constexpr std::chrono::seconds kSweepPeriod{1};
constexpr std::chrono::milliseconds kStatePeriod{5};  // between checks for due state messages
constexpr int kMaxDraining = 200;
constexpr int kMaxOpenRequests = 32;  // of one viewer
constexpr std::size_t kMaxWaitingTexts = 512;
constexpr std::size_t kMaxWaitingBytes = 64u << 20;
/// The socket buffer is a queue, too: a small one keeps states recent.
constexpr int kSendBufferBytes = 256 << 10;
constexpr std::size_t kMaxTarget = 2048;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

/// State shared by all connections of the server.
struct Shared {
  Shared(const tcp::endpoint& endpoint, const HttpServer::Options& options)
      : acceptor(io, endpoint), rules(options.address, acceptor.local_endpoint().port(), options.token) {}

  int connections = 0;  // declared first: outlives the Count objects
  int draining = 0;
  net::io_context io{1};
  tcp::acceptor acceptor;
  AccessRules rules;
  Hub* hub = nullptr;
  class SocketViewer;
  std::set<std::shared_ptr<SocketViewer>> viewers;
  std::function<void()> pump;
};

/// Closes a connection after a response: shuts down sending, then discards input until the client closes.
/// Closing at once could reset the connection before the client has read the response.
class DrainedClose : public std::enable_shared_from_this<DrainedClose> {
 public:
  DrainedClose(beast::tcp_stream stream, Shared& shared)
      : stream_(std::move(stream)), count_(shared.draining) {}
  static void start(beast::tcp_stream stream, Shared& shared) {
    if (shared.draining >= kMaxDraining) return;
    const auto closing = std::make_shared<DrainedClose>(std::move(stream), shared);
    Error error;
    closing->stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    closing->stream_.expires_after(kDrainTime);
    closing->read();
  }

 private:
  void read() {
    stream_.async_read_some(net::buffer(discarded_),
                            [self = shared_from_this()](Error error, std::size_t count) {
                              self->total_ += count;
                              if (!error && self->total_ < HttpServer::kMaxMessageBytes) self->read();
                            });
  }
  beast::tcp_stream stream_;
  Count count_;
  std::array<char, 4096> discarded_{};
  std::size_t total_ = 0;
};

}  // namespace

/// A viewer connected by WebSocket. One message is written at a time: texts in their order, then a pending
/// state message.
class Shared::SocketViewer final : public Viewer, public std::enable_shared_from_this<Shared::SocketViewer> {
 public:
  SocketViewer(beast::tcp_stream stream, Shared& shared, Count count)
      : socket_(std::move(stream)), shared_(shared), count_(std::move(count)) {}

  void accept(const http::request<http::string_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();
    Error error;
    auto& tcp_socket = beast::get_lowest_layer(socket_).socket();
    tcp_socket.set_option(net::socket_base::send_buffer_size(kSendBufferBytes), error);
    tcp_socket.set_option(tcp::no_delay(true), error);
    socket_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = kRequestTime, .idle_timeout = kSilenceTime, .keep_alive_pings = true});
    socket_.read_message_max(HttpServer::kMaxMessageBytes);
    socket_.auto_fragment(false);
    socket_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& response) { response.set("X-Content-Type-Options", "nosniff"); }));
    socket_.async_accept(request, [self = shared_from_this()](Error failed) {
      if (failed) return;
      self->is_open_ = true;
      self->shared_.viewers.insert(self);
      self->id_ = self->shared_.hub->add(self);
      self->read();
    });
  }

  void send_text(std::shared_ptr<const std::string> text) override {
    if (!is_open_ || is_closing_) return;
    waiting_bytes_ += text->size();
    texts_.push_back(std::move(text));
    if (texts_.size() > kMaxWaitingTexts || waiting_bytes_ > kMaxWaitingBytes) return hang_up();
    write();
  }
  bool can_take_state() const override { return is_open_ && !is_closing_ && !state_message_; }
  void send_state(std::string bytes) override {
    state_message_ = std::move(bytes);
    write();
  }
  void close(const std::string& why) override {
    is_closing_ = true;
    why_ = why.substr(0, 120);
    write();
  }

  bool is_stuck(Clock::time_point now) const { return is_writing_ && now - write_began_ > kSilenceTime; }

  /// Resumes reading if it was paused because of too many open requests.
  void read_on() {
    if (is_open_ && !is_reading_ && shared_.hub->open_requests(id_) < kMaxOpenRequests) read();
  }

  ViewerId id() const { return id_; }

  /// Closes the socket without a close handshake.
  void hang_up() {
    if (!std::exchange(is_open_, false)) return;
    Error error;
    beast::get_lowest_layer(socket_).socket().close(error);
    // Deferred: the caller may be iterating over the viewers.
    net::post(shared_.io, [self = shared_from_this()] {
      self->shared_.hub->remove(self->id_);
      self->shared_.viewers.erase(self);
    });
  }

 private:
  void read() {
    is_reading_ = true;
    socket_.async_read(buffer_,
                       [self = shared_from_this()](Error error, std::size_t) { self->have_read(error); });
  }

  void have_read(Error error) {
    is_reading_ = false;
    if (error || !is_open_) return hang_up();
    if (!socket_.got_text()) {
      close("only text messages are accepted");
      return;
    }
    if (!is_closing_) {
      const auto data = buffer_.cdata();
      shared_.hub->receive(id_, {static_cast<const char*>(data.data()), data.size()});
    }
    buffer_.consume(buffer_.size());
    if (buffer_.capacity() > (1u << 20)) buffer_.shrink_to_fit();
    read_on();
  }

  void write() {
    if (is_writing_ || !is_open_) return;
    if (!texts_.empty()) {
      begin_write(true, net::buffer(*texts_.front()));
    } else if (is_closing_) {
      is_writing_ = true;
      write_began_ = Clock::now();
      const websocket::close_reason reason(websocket::close_code::policy_error, why_);
      socket_.async_close(reason, [self = shared_from_this()](Error) { self->hang_up(); });
    } else if (state_message_) {
      begin_write(false, net::buffer(*state_message_));
    }
  }

  void begin_write(bool is_text, net::const_buffer bytes) {
    is_writing_ = true;
    write_began_ = Clock::now();
    socket_.text(is_text);
    socket_.async_write(bytes, [self = shared_from_this(), is_text](Error error, std::size_t) {
      self->is_writing_ = false;
      if (error) return self->hang_up();
      if (is_text) {
        self->waiting_bytes_ -= self->texts_.front()->size();
        self->texts_.pop_front();
      } else {
        self->state_message_.reset();
      }
      self->write();
      if (!is_text) self->shared_.pump();
    });
  }

  websocket::stream<beast::tcp_stream> socket_;
  Shared& shared_;
  Count count_;
  ViewerId id_ = 0;
  beast::flat_buffer buffer_;
  bool is_open_ = false;
  bool is_reading_ = false;
  bool is_closing_ = false;
  std::string why_;
  bool is_writing_ = false;
  Clock::time_point write_began_{};
  std::deque<std::shared_ptr<const std::string>> texts_;
  std::size_t waiting_bytes_ = 0;
  std::optional<std::string> state_message_;
};

namespace {

/// One HTTP connection, until it is upgraded to a WebSocket or ends.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), shared_(shared), count_(shared.connections) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(HttpServer::kMaxHeaderBytes);
    parser_->body_limit(HttpServer::kMaxBodyBytes);
    // The timeout covers the whole request, so that slow clients cannot hold a connection.
    stream_.expires_after(buffer_.size() == 0 && has_answered_ ? kIdleTime : kRequestTime);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Error error, std::size_t) { self->have_read(error); });
  }

 private:
  void have_read(Error error) {
    if (error == http::error::end_of_stream || error == net::error::eof || error == beast::error::timeout ||
        error == net::error::operation_aborted || error == net::error::connection_reset) {
      return;
    }
    if (error == http::error::header_limit) {
      return reject(http::status::request_header_fields_too_large, "the request header is too long");
    }
    if (error == http::error::body_limit)
      return reject(http::status::payload_too_large, "the request body is too long");
    if (error) return reject(http::status::bad_request, "not a valid HTTP request");
    answer(parser_->get());
  }

  void answer(const http::request<http::string_body>& request) {
    const std::string_view target = view(request.target());
    if (target.size() > kMaxTarget) return reject(http::status::uri_too_long, "the URL is too long");
    if (!target.starts_with('/')) return reject(http::status::bad_request, "the URL is not a path");
    if (request.count(http::field::host) != 1)
      return reject(http::status::bad_request, "expected one Host header");
    if (request.count(http::field::origin) > 1)
      return reject(http::status::bad_request, "expected at most one Origin header");
    const std::string_view path = target.substr(0, target.find('?'));
    Credentials credentials{
        .host = view(request[http::field::host]),
        .origin = std::nullopt,
        .query = path.size() < target.size() ? target.substr(path.size() + 1) : std::string_view(),
        .cookie = view(request[http::field::cookie]),
        .authorization = view(request[http::field::authorization])};
    if (request.count(http::field::origin) == 1) credentials.origin = view(request[http::field::origin]);
    switch (shared_.rules.judge(credentials)) {
      case Access::kGranted:
        break;
      case Access::kBadHost:
        return reject(http::status::forbidden, "wrong host name for this server");
      case Access::kBadOrigin:
        return reject(http::status::forbidden, "requests from other origins are not allowed");
      case Access::kBadToken:
        return reject(http::status::unauthorized, "missing or wrong ?token= in the URL");
    }
    if (path == "/ws") return upgrade(request);
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return reject(http::status::method_not_allowed, "only GET and HEAD are supported");
    }
    send(respond(request, path, credentials));
  }

  void upgrade(const http::request<http::string_body>& request) {
    if (!websocket::is_upgrade(request)) {
      Response response = make_error(http::status::upgrade_required, "expected a WebSocket upgrade");
      response.set(http::field::upgrade, "websocket");
      return send(std::move(response));
    }
    const auto viewer = std::make_shared<Shared::SocketViewer>(std::move(stream_), shared_, std::move(count_));
    viewer->accept(request);
  }

  Response respond(const http::request<http::string_body>& request, std::string_view path,
                   const Credentials& credentials) {
    Response response{http::status::ok, request.version()};
    if (const PageFile* file = find_page_file(path)) {
      set_page(response, request, *file);
      if (shared_.rules.has_token_in_query(credentials.query)) {
        response.set(http::field::set_cookie, fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict",
                                                          shared_.rules.cookie_name(), shared_.rules.token()));
      }
    } else if (std::optional<DownloadFile> found = shared_.hub->find_file(path)) {
      response.set(http::field::content_type, found->content_type);
      response.set(http::field::cache_control,
                   found->is_immutable ? "private, max-age=31536000, immutable" : "no-store");
      if (found->is_gzip) {
        response.set(http::field::vary, "Accept-Encoding");
        if (accepts_gzip(request)) {
          response.set(http::field::content_encoding, "gzip");
        } else {
          found->bytes = decompress(found->bytes);
        }
      }
      if (!found->name.empty()) {
        response.set(http::field::content_disposition,
                     fmt::format("attachment; filename=\"{}\"", safe_name(found->name)));
      }
      response.body() = std::move(found->bytes);
    } else {
      response = make_error(http::status::not_found, "not found");
    }
    response.keep_alive(request.keep_alive());
    is_head_ = request.method() == http::verb::head;
    return response;
  }

  static bool accepts_gzip(const http::request<http::string_body>& request) {
    return request[http::field::accept_encoding].find("gzip") != beast::string_view::npos;
  }

  static void set_page(Response& response, const http::request<http::string_body>& request,
                       const PageFile& file) {
    const auto text = [](std::string_view given) { return beast::string_view(given.data(), given.size()); };
    response.set(http::field::content_type, text(file.content_type));
    response.set(http::field::etag, text(file.etag));
    response.set(http::field::vary, "Accept-Encoding");
    response.set(http::field::cache_control,
                 file.is_hashed ? "public, max-age=31536000, immutable" : "no-cache");
    if (view(request[http::field::if_none_match]) == file.etag) {
      response.result(http::status::not_modified);
    } else if (accepts_gzip(request)) {
      response.set(http::field::content_encoding, "gzip");
      response.body() = file.gzip;
    } else {
      response.body() = decompress(file.gzip);
    }
  }

  static Response make_error(http::status status, const char* sentence) {
    Response response{status, 11};
    response.set(http::field::content_type, "text/plain; charset=utf-8");
    response.set(http::field::cache_control, "no-store");
    if (status == http::status::method_not_allowed) response.set(http::field::allow, "GET, HEAD");
    if (status == http::status::unauthorized) response.set(http::field::www_authenticate, "Bearer");
    response.body() = fmt::format("{}\n", sentence);
    return response;
  }

  void reject(http::status status, const char* sentence) {
    Response response = make_error(status, sentence);
    response.keep_alive(false);
    send(std::move(response));
  }

  void send(Response response) {
    response_ = std::move(response);
    // The page may load resources only from this server, and connect only to it.
    response_.set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self' ws:; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Opener-Policy", "same-origin");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.prepare_payload();
    stream_.expires_after(kIdleTime);
    const auto have_sent = [self = shared_from_this()](Error error, std::size_t) { self->have_sent(error); };
    if (!std::exchange(is_head_, false)) return http::async_write(stream_, response_, have_sent);
    serializer_.emplace(response_);
    http::async_write_header(stream_, *serializer_, have_sent);
  }

  void have_sent(Error error) {
    serializer_.reset();
    has_answered_ = true;
    const bool ends = response_.need_eof() || !response_.keep_alive();
    response_ = {};
    if (error) return;
    if (ends) return DrainedClose::start(std::move(stream_), shared_);
    read();
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  Count count_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Response response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool is_head_ = false;
  bool has_answered_ = false;
};

/// Answers 503 when there are too many connections.
class ServerFull : public std::enable_shared_from_this<ServerFull> {
 public:
  ServerFull(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), shared_(shared), count_(shared.draining) {}
  void send() {
    static constexpr std::string_view kText =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 5\r\nConnection: "
        "close\r\n"
        "Content-Length: 21\r\n\r\ntoo many connections\n";
    stream_.expires_after(kDrainTime);
    net::async_write(stream_, net::buffer(kText), [self = shared_from_this()](Error error, std::size_t) {
      if (!error) DrainedClose::start(std::move(self->stream_), self->shared_);
    });
  }

 private:
  beast::tcp_stream stream_;
  Shared& shared_;
  Count count_;
};

tcp::endpoint endpoint_of(const HttpServer::Options& options) {
  Error error;
  const net::ip::address address = net::ip::make_address(options.address, error);
  if (error) {
    throw_user_error({"--address", 0, 0}, "'{}' is not an address; expected one such as 127.0.0.1 or ::1",
                     options.address);
  }
  return {address, options.port};
}

}  // namespace

struct HttpServer::Impl {
  explicit Impl(const Options& options)
      : shared(endpoint_of(options), options),
        wake_event(shared.io),
        sweep(shared.io),
        states(shared.io),
        signals(shared.io) {
    const int file = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    LOCKSTEP_CHECK(file >= 0);
    wake_event.assign(file);
    wake_file = file;
    shared.pump = [this] { pump(); };
  }

  void accept() {
    shared.acceptor.async_accept([this](Error error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (!error && shared.connections < kMaxConnections) {
        std::make_shared<Connection>(std::move(socket), shared)->read();
      } else if (!error && shared.draining < kMaxDraining) {
        std::make_shared<ServerFull>(std::move(socket), shared)->send();
      }
      if (!error) return accept();
      // Out of file descriptors: accept again after a pause.
      pause_accept.emplace(shared.io, std::chrono::milliseconds(100));
      pause_accept->async_wait([this](Error failed) {
        if (!failed) accept();
      });
    });
  }

  void wait_for_wake() {
    wake_event.async_wait(net::posix::stream_descriptor::wait_read, [this](Error error) {
      if (error) return;
      // Drain the eventfd before clearing the flag. A wake() in between is covered by the pump() below; in the
      // other order its count could be drained here while the flag stays set, and no wake() would write again.
      std::uint64_t count = 0;
      (void)!read(wake_file, &count, sizeof(count));
      is_wake_pending = false;
      pump();
      wait_for_wake();
    });
  }

  void pump() {
    if (std::exchange(is_pumping, true)) return;
    const bool has_due_later = shared.hub->pump();
    is_pumping = false;
    for (const auto& viewer : shared.viewers) viewer->read_on();
    if (!has_due_later || is_waiting) return;
    is_waiting = true;
    states.expires_after(kStatePeriod);
    states.async_wait([this](Error error) {
      is_waiting = false;
      if (!error) pump();
    });
  }

  void sweep_viewers() {
    sweep.expires_after(kSweepPeriod);
    sweep.async_wait([this](Error error) {
      if (error) return;
      const Clock::time_point now = Clock::now();
      for (const auto& viewer : shared.viewers) {
        if (viewer->is_stuck(now)) viewer->hang_up();
      }
      sweep_viewers();
    });
  }

  Shared shared;
  net::posix::stream_descriptor wake_event;
  int wake_file = -1;
  std::atomic<bool> is_wake_pending = false;
  net::steady_timer sweep;
  net::steady_timer states;
  std::optional<net::steady_timer> pause_accept;
  net::signal_set signals;
  bool is_pumping = false;
  bool is_waiting = false;
};

HttpServer::HttpServer(const Options& options) {
  try {
    impl_ = std::make_unique<Impl>(options);
  } catch (const boost::system::system_error& error) {
    const bool is_taken = error.code() == net::error::address_in_use;
    throw_user_error({is_taken ? "--port" : "--address", 0, 0}, "{}:{} cannot be used: {}{}", options.address,
                     options.port, error.code().message(),
                     is_taken ? "; another program uses this port; use --port 0 for any free port" : "");
  }
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return impl_->shared.acceptor.local_endpoint().port();
}

void HttpServer::wake() {
  if (impl_->is_wake_pending.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!write(impl_->wake_file, &one, sizeof(one));
}

void HttpServer::stop() {
  net::post(impl_->shared.io, [this] { impl_->shared.io.stop(); });
}

void HttpServer::run(Hub& hub) {
  impl_->shared.hub = &hub;
  impl_->signals.add(SIGINT);
  impl_->signals.add(SIGTERM);
  impl_->signals.async_wait([this](Error error, int) {
    if (!error) impl_->shared.io.stop();
  });
  impl_->accept();
  impl_->wait_for_wake();
  impl_->sweep_viewers();
  impl_->pump();
  impl_->shared.io.run();
  for (const auto& viewer : impl_->shared.viewers) hub.remove(viewer->id());
  impl_->shared.viewers.clear();
}

}  // namespace lockstep::serve
