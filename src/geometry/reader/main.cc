// lockstep-reader: reads one file of shapes for lockstep (geometry/reader_protocol.h), which sets the limits
// on memory and time and is connected to its standard input.

#include <sys/resource.h>

#include <exception>
#include <new>

#include "base/text.h"
#include "geometry/reader/read_job.h"
#include "lockstep/error.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

constexpr int kSocket = 0;

// Sanitizers check memory through pipes that they open.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsFiles = false;
#else
constexpr bool kLimitsFiles = true;
#endif

Result<FileContent> ask_for_file(std::string_view name) {
  send_message(kSocket, ReaderMessageType::kWantsFile, name);
  const auto answer = receive_message(kSocket, kMaxShapeFileBytes);
  if (!answer) return Failure{"is not available"};
  const std::string text(answer->text());
  if (answer->type == ReaderMessageType::kFile) return FileContent{.bytes = text, .path = {}};
  return Failure{text};
}

ReadFailure failure_of(const UserError& error) {
  for (const Diagnostic& diagnostic : error.diagnostics().list()) {
    if (diagnostic.severity == Severity::kError) return {diagnostic.place.line, diagnostic.text};
  }
  return {0, error.what()};
}

void fail(const ReadFailure& failure) {
  send_message(kSocket, ReaderMessageType::kError, failure_to_bytes(failure));
}

int run() {
  // All libraries are loaded. From here on no file can be opened, whatever the input requests.
  const rlimit none{3, 3};
  if (kLimitsFiles && setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
  const auto message = receive_message(kSocket, kMaxResultBytes);
  if (!message || message->type != ReaderMessageType::kJob) return 1;
  try {
    const Assembly assembly = read_shapes(job_from_bytes(message->bytes), ask_for_file);
    send_message(kSocket, ReaderMessageType::kAssembly, assembly_to_bytes(assembly));
  } catch (const UserError& error) {
    fail(failure_of(error));
  } catch (const std::bad_alloc&) {
    fail({0, "reading it takes more memory than is allowed; it is damaged or far too detailed"});
  } catch (const std::exception& error) {
    fail({0, fmt::format("it cannot be read: {}", shown_text(error.what()))});
  }
  return 0;
}

}  // namespace
}  // namespace lockstep

int main() {
  return lockstep::run();
}
