#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/bench.h"
#include "bench/forked_child.h"
#include "bench/measure.h"
#include "bench/models.h"
#include "scenario/write.h"
#include "serve/http_server.h"
#include "serve/hub.h"
#include "serve/session.h"

namespace lockstep {
namespace {

constexpr int kReaders = 4;
constexpr auto kBlock = std::chrono::milliseconds(900);
constexpr auto kSettle = std::chrono::milliseconds(250);

/// A viewer in a separate process: connects when it reads a port from its pipe, disconnects when it reads 0.
class ViewerProcess {
 public:
  explicit ViewerProcess(bool reads) : child_({}, [&] { view(pipe_.reading, reads); }) {}

  void connect_to(int port) { LOCKSTEP_CHECK(write(pipe_.writing, &port, sizeof(port)) == sizeof(port)); }
  void hang_up() { connect_to(0); }

 private:
  struct Pipe {
    Pipe() {
      int ends[2];
      LOCKSTEP_CHECK(pipe(ends) == 0);
      reading = ends[0];
      writing = ends[1];
    }
    ~Pipe() {
      close(reading);
      close(writing);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int reading = -1;
    int writing = -1;
  };

  static void view(int orders, bool reads) {
    int connection = -1;
    for (int port = 0; read(orders, &port, sizeof(port)) == sizeof(port);) {
      if (connection >= 0) close(connection);
      connection = port == 0 ? -1 : open_view(port);
      if (connection >= 0 && reads) read_until_told(orders, connection);
    }
  }

  static void read_until_told(int orders, int connection) {
    char buffer[1 << 16];
    for (;;) {
      pollfd files[] = {{orders, POLLIN, 0}, {connection, POLLIN, 0}};
      if (poll(files, 2, -1) < 0 || files[0].revents != 0) return;
      if (recv(connection, buffer, sizeof(buffer), 0) <= 0) return;
    }
  }

  static int open_view(int port) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return -1;
    send_all(connection,
             fmt::format("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: "
                         "Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                         "Sec-WebSocket-Version: 13\r\n\r\n",
                         port));
    send_text(connection, R"({"id":1,"do":"hello"})");
    send_text(
        connection,
        R"({"id":2,"do":"subscribe","poses":true,"contacts":true,"rays":true,"rate":60,"signals":["time"]})");
    return connection;
  }
  static void send_all(int connection, const std::string& bytes) {
    (void)!send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  static void send_text(int connection, const std::string& text) {
    LOCKSTEP_CHECK(text.size() < 126);
    const char head[] = {'\x81', static_cast<char>(0x80 | text.size()), 0, 0, 0, 0};
    send_all(connection, std::string(head, sizeof(head)) + text);
  }

  Pipe pipe_;
  ForkedChild child_;
};

double memory_mib() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Steps per second over one block.
double measure_rate(const serve::Session& session) {
  std::this_thread::sleep_for(kSettle);
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t first = session.step();
  std::this_thread::sleep_for(kBlock);
  const std::int64_t last = session.step();
  return static_cast<double>(last - first) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Measures pairs with and without viewers for `seconds`; then the viewers stay for `stay_seconds`, in which
/// memory must not grow either.
nlohmann::ordered_json measure_viewers(double seconds, double stay_seconds, const Registry& registry) {
  // Fork the processes before starting threads.
  std::vector<std::unique_ptr<ViewerProcess>> viewers;
  for (int i = 0; i <= kReaders; ++i) viewers.push_back(std::make_unique<ViewerProcess>(i < kReaders));

  serve::HttpServer server({.address = "127.0.0.1", .port = 0, .token = {}});
  serve::Session session(
      // Little memory for past rows, so that the growth that is measured is that by viewers.
      {.registry = registry,
       .version = "bench",
       .wake = [&] { server.wake(); },
       .root = ".",
       .row_bytes = 1u << 20});
  session.open_first({.folder = ".",
                      .shown = "chain.xml",
                      .text = write_scenario(make_sensing_chain_scenario(11), Defaults::kWriteOut)});
  serve::Hub hub({.root = ".", .gallery = {}, .schema = {}, .version = "bench", .token = {}}, session);
  session.start();
  session.post({0, 0, serve::SetSpeed{}});
  session.post({0, 0, serve::Play{.length = 1e6}});  // beyond the planned duration
  std::thread serving([&] { server.run(hub); });

  (void)measure_rate(session);
  const double memory = memory_mib();
  std::vector<double> with, without, ratios;
  int fewest = kReaders + 1;  // viewers at the end of a block with them
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end || ratios.size() < 5) {
    for (auto& viewer : viewers) viewer->connect_to(server.port());
    with.push_back(measure_rate(session));
    fewest = std::min(fewest, session.viewers());
    for (auto& viewer : viewers) viewer->hang_up();
    without.push_back(measure_rate(session));
    ratios.push_back(with.back() / without.back());
  }
  const auto stay = std::chrono::steady_clock::now() + std::chrono::duration<double>(stay_seconds);
  while (std::chrono::steady_clock::now() < stay) {
    // The viewer that never reads is closed in this time, and reconnects.
    for (auto& viewer : viewers) viewer->connect_to(server.port());
    std::this_thread::sleep_for(std::chrono::seconds(40));
  }
  const double growth = memory_mib() - memory;
  server.stop();
  serving.join();
  session.quit();
  if (fewest <= kReaders) {
    throw_user_error({"bench", 0, 0},
                     "only {} of {} viewers were connected at some time; the measurement is invalid", fewest,
                     kReaders + 1);
  }
  return {{"case", "viewers"},
          {"ratio", median(ratios)},
          {"steps_per_second", median(with)},
          {"raw_steps_per_second", median(without)},
          {"memory_growth_mib", growth},
          {"pairs", ratios.size()}};
}

}  // namespace

nlohmann::ordered_json bench_serve(const BenchCommand& command, const Registry& registry) {
  if (!command.only.empty() && command.only != "viewers") {
    throw_user_error({"bench", 0, 0}, "unknown case '{}'; expected viewers", command.only);
  }
  constexpr double kSeconds = 35.0, kThoroughSeconds = 300.0, kStaySeconds = 300.0;
  const double seconds = command.seconds.value_or(command.thorough ? kThoroughSeconds : kSeconds);
  return {{"bench", "serve"},
          {"cases", nlohmann::ordered_json::array(
                        {measure_viewers(seconds, command.thorough ? kStaySeconds : 0.0, registry)})}};
}

}  // namespace lockstep
