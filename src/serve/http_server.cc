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
#include "serve/page.h"

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

constexpr std::chrono::seconds kRequestTime{10};  // for a request to come in whole, and for its answer to leave
constexpr std::chrono::seconds kIdleTime{30};     // between two requests
constexpr std::chrono::seconds kSilenceTime{30};  // of a viewer that neither reads nor answers
constexpr std::chrono::seconds kGoodbyeTime{2};   // for the other side to hang up
constexpr std::chrono::seconds kSweepPeriod{1};
constexpr std::chrono::milliseconds kStatePeriod{
    5};  // between two looks at viewers whose state message is not due yet
constexpr int kMaxGoodbyes = 200;
constexpr int kMaxOpenRequests = 32;  // of one viewer
constexpr std::size_t kMaxWaitingTexts = 512;
constexpr std::size_t kMaxWaitingBytes = 64u << 20;
/// The system's own buffer is a queue, too: what waits in it is old when it arrives.
constexpr int kSendBufferBytes = 256 << 10;
constexpr std::size_t kMaxTarget = 2048;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

/// What all the parts of the server share.
struct Shared {
  Shared(const tcp::endpoint& endpoint, const HttpServer::Options& options)
      : acceptor(io, endpoint), rules(options.address, acceptor.local_endpoint().port(), options.token) {}

  int connections = 0;  // before those who count in
  int goodbyes = 0;
  net::io_context io{1};
  tcp::acceptor acceptor;
  AccessRules rules;
  Hub* hub = nullptr;
  class SocketViewer;
  std::set<std::shared_ptr<SocketViewer>> viewers;
  std::function<void()> pump;
};

/// Counts in as long as it lives.
class Count {
 public:
  explicit Count(int& counter) : counter_(&counter) { ++*counter_; }
  Count(Count&& other) noexcept : counter_(std::exchange(other.counter_, nullptr)) {}
  Count& operator=(Count&&) = delete;
  ~Count() {
    if (counter_ != nullptr) --*counter_;
  }

 private:
  int* counter_;
};

/// Waits for the other side to hang up, so that it can read the answer before the connection is gone.
class Goodbye : public std::enable_shared_from_this<Goodbye> {
 public:
  Goodbye(beast::tcp_stream stream, Shared& shared) : stream_(std::move(stream)), count_(shared.goodbyes) {}
  static void say(beast::tcp_stream stream, Shared& shared) {
    if (shared.goodbyes >= kMaxGoodbyes) return;
    const auto goodbye = std::make_shared<Goodbye>(std::move(stream), shared);
    Error error;
    goodbye->stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    goodbye->stream_.expires_after(kGoodbyeTime);
    goodbye->read();
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

/// A viewer at a WebSocket. One message is written at a time: texts in their order, then a state message if one
/// waits.
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

  /// Reads on, if it was stopped because too many requests were open.
  void read_on() {
    if (is_open_ && !is_reading_ && shared_.hub->open_requests(id_) < kMaxOpenRequests) read();
  }

  ViewerId id() const { return id_; }

  /// Without a word: nobody is listening.
  void hang_up() {
    if (!std::exchange(is_open_, false)) return;
    Error error;
    beast::get_lowest_layer(socket_).socket().close(error);
    // Whoever goes through the viewers now must not lose the place.
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
      close("only texts are understood");
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

/// One connection that speaks HTTP, until it turns into a WebSocket or ends.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), shared_(shared), count_(shared.connections) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(HttpServer::kMaxHeaderBytes);
    parser_->body_limit(HttpServer::kMaxBodyBytes);
    // The time is for the whole request, however slowly its bytes drip.
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
      return reject(http::status::request_header_fields_too_large, "the header is too long");
    }
    if (error == http::error::body_limit)
      return reject(http::status::payload_too_large, "the body is too long");
    if (error) return reject(http::status::bad_request, "this is not a request of HTTP");
    answer(parser_->get());
  }

  void answer(const http::request<http::string_body>& request) {
    const std::string_view target = view(request.target());
    if (target.size() > kMaxTarget) return reject(http::status::uri_too_long, "the address is too long");
    if (!target.starts_with('/')) return reject(http::status::bad_request, "the address is not a path");
    if (request.count(http::field::host) != 1)
      return reject(http::status::bad_request, "there must be one Host");
    if (request.count(http::field::origin) > 1)
      return reject(http::status::bad_request, "there is one Origin at most");
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
        return reject(http::status::forbidden, "this server does not answer to that name");
      case Access::kBadOrigin:
        return reject(http::status::forbidden, "other pages may not use this server");
      case Access::kBadToken:
        return reject(http::status::unauthorized, "the address lacks the right ?token=");
    }
    if (path == "/ws") return upgrade(request);
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return reject(http::status::method_not_allowed, "only GET and HEAD are understood");
    }
    send(respond(request, path, credentials));
  }

  void upgrade(const http::request<http::string_body>& request) {
    if (!websocket::is_upgrade(request)) {
      Response response = make_error(http::status::upgrade_required, "here is a WebSocket");
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
      response.set(http::field::cache_control, "no-store");
      if (!found->name.empty()) {
        response.set(http::field::content_disposition,
                     fmt::format("attachment; filename=\"{}\"", safe_name(found->name)));
      }
      response.body() = std::move(found->bytes);
    } else {
      response = make_error(http::status::not_found, "there is nothing of that name");
    }
    response.keep_alive(request.keep_alive());
    is_head_ = request.method() == http::verb::head;
    return response;
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
    } else if (request[http::field::accept_encoding].find("gzip") != beast::string_view::npos) {
      response.set(http::field::content_encoding, "gzip");
      response.body() = file.gzip;
    } else {
      response.body() = decompress(file);
    }
  }

  /// A name that says nothing in a header but itself.
  static std::string safe_name(const std::string& name) {
    std::string safe;
    for (const char c : name) {
      const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '.' || c == '-' || c == '_';
      safe += is_safe ? c : '_';
    }
    return safe;
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
    // The page may run what comes with it, and talk to this server, and nothing else.
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
    if (ends) return Goodbye::say(std::move(stream_), shared_);
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

/// Says that the server is full.
class FullHouse : public std::enable_shared_from_this<FullHouse> {
 public:
  FullHouse(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), shared_(shared), count_(shared.goodbyes) {}
  void say() {
    static constexpr std::string_view kText =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 5\r\nConnection: "
        "close\r\n"
        "Content-Length: 27\r\n\r\ntoo many are connected now\n";
    stream_.expires_after(kGoodbyeTime);
    net::async_write(stream_, net::buffer(kText), [self = shared_from_this()](Error error, std::size_t) {
      if (!error) Goodbye::say(std::move(self->stream_), self->shared_);
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
        bell(shared.io),
        sweep(shared.io),
        states(shared.io),
        signals(shared.io) {
    const int file = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    LOCKSTEP_CHECK(file >= 0);
    bell.assign(file);
    bell_file = file;
    shared.pump = [this] { pump(); };
  }

  void accept() {
    shared.acceptor.async_accept([this](Error error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (!error && shared.connections < kMaxConnections) {
        std::make_shared<Connection>(std::move(socket), shared)->read();
      } else if (!error && shared.goodbyes < kMaxGoodbyes) {
        std::make_shared<FullHouse>(std::move(socket), shared)->say();
      }
      if (!error) return accept();
      // Out of files: whoever waits is let in when somebody has gone.
      pause_accept.emplace(shared.io, std::chrono::milliseconds(100));
      pause_accept->async_wait([this](Error failed) {
        if (!failed) accept();
      });
    });
  }

  void wait_for_bell() {
    bell.async_wait(net::posix::stream_descriptor::wait_read, [this](Error error) {
      if (error) return;
      // Silence it first: a ring between the two lines is one that pump() answers. The other way round it would
      // be taken away here while everybody believed that the bell still rang.
      std::uint64_t count = 0;
      (void)!read(bell_file, &count, sizeof(count));
      is_ringing = false;
      pump();
      wait_for_bell();
    });
  }

  void pump() {
    if (std::exchange(is_pumping, true)) return;
    const bool somebody_waits = shared.hub->pump();
    is_pumping = false;
    for (const auto& viewer : shared.viewers) viewer->read_on();
    if (!somebody_waits || is_waiting) return;
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
  net::posix::stream_descriptor bell;
  int bell_file = -1;
  std::atomic<bool> is_ringing = false;
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
                     is_taken ? "; another program listens there; try --port 0 for any free one" : "");
  }
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return impl_->shared.acceptor.local_endpoint().port();
}

void HttpServer::wake() {
  if (impl_->is_ringing.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!write(impl_->bell_file, &one, sizeof(one));
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
  impl_->wait_for_bell();
  impl_->sweep_viewers();
  impl_->pump();
  impl_->shared.io.run();
  for (const auto& viewer : impl_->shared.viewers) hub.remove(viewer->id());
  impl_->shared.viewers.clear();
}

}  // namespace lockstep::serve
