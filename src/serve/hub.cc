#include "serve/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "scenario/base64.h"
#include "serve/attributes.h"
#include "serve/rejection.h"
#include "serve/scenario_files.h"
#include "serve/state_message.h"
#include "serve/token.h"

namespace lockstep::serve {
namespace {

constexpr std::size_t kMaxName = 512;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxUpload = 16u << 20;
constexpr std::size_t kMaxFormula = 1 + Expression::kMaxBytes;  // a name, or '=' and a formula
constexpr std::size_t kMaxFormulas = 500;
constexpr std::size_t kMaxSignals = 2000;  // per viewer
constexpr std::size_t kMaxWarnings = 20;
constexpr std::size_t kMaxThumbnailBytes = 2u << 20;
constexpr std::chrono::seconds kDownloadTime{60};
/// Tolerance: a state message may be sent this much early.
constexpr std::chrono::milliseconds kEarly{3};
constexpr double kMaxTime = 1e9;       // s
constexpr double kMaxStiffness = 1e9;  // N/m

std::shared_ptr<const std::string> to_text(const Json& json) {
  return std::make_shared<const std::string>(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// An uploaded file.
std::vector<std::uint8_t> decode(const Request& request, std::string_view field) {
  Result<std::vector<std::uint8_t>> bytes = decode_base64(request.text(field, kMaxUpload));
  if (!bytes) throw Rejection(fmt::format("'{}' is not valid base64: {}", field, bytes.error()));
  return *std::move(bytes);
}

}  // namespace

Hub::Hub(Options options, Session& session) : options_(std::move(options)), session_(session) {
  pump();
}

ViewerId Hub::add(std::shared_ptr<Viewer> viewer) {
  const ViewerId id = next_viewer_++;
  viewers_[id].viewer = std::move(viewer);
  session_.set_viewers(static_cast<int>(viewers_.size()));
  return id;
}

void Hub::remove(ViewerId viewer) {
  if (viewers_.erase(viewer) == 0) return;
  session_.set_viewers(static_cast<int>(viewers_.size()));
  watch();
}

int Hub::open_requests(ViewerId viewer) const {
  const auto found = viewers_.find(viewer);
  return found == viewers_.end() ? 0 : found->second.open_requests;
}

void Hub::send(Entry& entry, const Json& json) {
  entry.viewer->send_text(to_text(json));
}

void Hub::send_to_all(const Json& json, ViewerId except) {
  const auto text = to_text(json);
  for (auto& [id, entry] : viewers_) {
    if (entry.has_said_hello && id != except) entry.viewer->send_text(text);
  }
}

void Hub::receive(ViewerId id, std::string_view text) {
  const auto found = viewers_.find(id);
  if (found == viewers_.end()) return;
  Entry& entry = found->second;
  std::optional<std::int64_t> request_id;
  try {
    const Request request(text);
    request_id = request.id();
    if (!entry.has_said_hello && request.what() != "hello")
      throw Rejection("the first request must be 'hello'");
    if (std::optional<Payload> payload = payload_of(request)) {
      if (!session_.post({id, request.id(), std::move(*payload)}))
        throw Rejection("too many requests are waiting");
      ++entry.open_requests;
      return;
    }
    Json json = {{"id", request.id()}, {"ok", true}};
    json.update(answer_here(id, request));
    send(entry, json);
    // A viewer that connects later gets the earlier warnings.
    if (request.what() != "hello") return;
    for (const std::string& warning : warnings_) send(entry, {{"push", "warning"}, {"text", warning}});
  } catch (const Rejection& rejection) {
    if (!request_id) request_id = Request::find_id(text);
    send(entry,
         {{"id", request_id ? Json(*request_id) : Json(nullptr)}, {"ok", false}, {"error", rejection.what()}});
    if (!entry.has_said_hello) entry.viewer->close("the first request must be a valid 'hello'");
  }
}

std::optional<Payload> Hub::payload_of(const Request& request) {
  const std::string& what = request.what();
  const auto only = [&](std::initializer_list<std::string_view> fields) { request.allow(fields); };
  if (what == "play") {
    only({"for"});
    return Play{request.has("for") ? std::optional(request.number("for", 1e-9, kMaxTime)) : std::nullopt};
  }
  if (what == "pause") return only({}), Pause{};
  if (what == "step") {
    only({"count"});
    return StepOnce{request.has("count") ? request.integer("count", 1, 1'000'000) : 1};
  }
  if (what == "speed") {
    only({"factor"});
    if (request.is_null("factor")) return SetSpeed{};
    return SetSpeed{request.number("factor", 0.01, 100.0)};
  }
  if (what == "reset") return only({}), Reset{};
  if (what == "seek") return only({"time"}), Seek{request.number("time", 0.0, kMaxTime)};
  if (what == "save") return only({"name"}), Save{request.text("name", 200)};
  if (what == "delete") return only({"name"}), DeleteSnapshot{request.text("name", 200)};
  if (what == "load") {
    only({"name", "data"});
    Load load{.name = request.text("name", 200)};
    if (request.has("data")) load.bytes = decode(request, "data");
    return load;
  }
  if (what == "download") {
    only({"what", "name"});
    const std::string kind = request.text("what", 32);
    const bool has_name = request.has("name");
    if (has_name && kind != "snapshot") throw Rejection("only a snapshot has a 'name'");
    if (kind == "snapshot") {
      return Download{Downloadable::kSnapshot,
                      has_name ? std::optional(request.text("name", 200)) : std::nullopt};
    }
    if (kind == "recording") return Download{Downloadable::kRecording, {}};
    if (kind == "scenario") return Download{Downloadable::kScenario, {}};
    if (kind == "html") return Download{Downloadable::kHtml, {}};
    throw Rejection("'what' must be 'snapshot', 'recording', 'scenario' or 'html'");
  }
  if (what == "set") {
    only({"signal", "value"});
    return WriteSignal{request.text("signal", kMaxName), request.number("value", -1e300, 1e300)};
  }
  if (what == "joint") {
    only({"joint", "position"});
    return MoveJoint{request.text("joint", kMaxName), request.number("position", -1e6, 1e6)};
  }
  if (what == "attach") {
    only({"joint", "attached"});
    return Attach{request.text("joint", kMaxName), request.flag("attached")};
  }
  if (what == "pull") {
    only({"body", "point", "target", "stiffness"});
    PullBody pull{.body = request.text("body", kMaxName)};
    if (request.is_null("target")) return pull;
    pull.point = request.vector("point");
    pull.target = request.vector("target");
    if (request.has("stiffness")) pull.stiffness = request.number("stiffness", 1e-9, kMaxStiffness);
    return pull;
  }
  if (what == "edit") {
    only({"xpath", "value"});
    return EditValue{request.text("xpath", kMaxPath), request.text("value", 1 << 20)};
  }
  if (what == "open") return open(request);
  if (what == "reload") return only({}), Reload{};
  if (what == "ready") return only({}), Ready{};
  if (what == "plan") return only({}), PredictPaths{};
  if (what == "events") return only({}), ListEvents{};
  if (what == "image") return only({"sensor"}), FindImage{request.text("sensor", kMaxName)};
  if (what == "rows") {
    only({"signals", "from", "to"});
    if (!scene_) throw Rejection("no scenario is open");
    std::vector<Slot> signals = find_signals(request.texts("signals", kMaxSignals, kMaxFormula));
    return FindRows{.signals = std::move(signals),
                    .formulas = formulas_,
                    .scene = scene_->id,
                    .from = request.number("from", -kMaxTime, kMaxTime),
                    .to = request.number("to", -kMaxTime, kMaxTime)};
  }
  return std::nullopt;
}

Payload Hub::open(const Request& request) const {
  request.allow({"path", "gallery", "text", "recording", "name"});
  const int sources =
      request.has("path") + request.has("gallery") + request.has("text") + request.has("recording");
  if (sources != 1) throw Rejection("'open' needs one of 'path', 'gallery', 'text' and 'recording'");
  if (request.has("name") != (request.has("text") || request.has("recording")))
    throw Rejection("'name' is required with 'text' and 'recording', and not allowed without");
  Open open;
  if (request.has("name")) {
    open.shown = request.text("name", kMaxName);
    const bool is_plain = !open.shown.empty() && open.shown.find_first_of("/\\") == std::string::npos &&
                          std::none_of(open.shown.begin(), open.shown.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 32; });
    if (!is_plain || open.shown == "." || open.shown == "..") {
      throw Rejection("'name' must be a file name without folders");
    }
    if (request.has("recording")) {
      const std::vector<std::uint8_t> bytes = decode(request, "recording");
      return OpenRecording{open.shown, {bytes.begin(), bytes.end()}};
    }
    open.text = request.text("text", kMaxUpload);
    open.folder = options_.root;
    return open;
  }
  const bool is_bundled = request.has("gallery");
  if (is_bundled && !options_.gallery) throw Rejection("this installation has no gallery");
  const std::filesystem::path& folder = is_bundled ? *options_.gallery : options_.root;
  open.shown = request.text(is_bundled ? "gallery" : "path", kMaxPath);
  if (is_bundled) open.shown += ".xml";
  open.file = find_scenario(folder, open.shown);
  if (is_bundled) {
    const auto found = options_.controllers.find(request.text("gallery", kMaxPath));
    if (found != options_.controllers.end()) open.controllers = {found->second};
  }
  open.folder = open.file.parent_path();
  return open;
}

Json Hub::answer_here(ViewerId id, const Request& request) {
  Entry& entry = viewers_.at(id);
  const std::string& what = request.what();
  if (what == "hello") return hello(entry, request);
  if (what == "files") return files(request);
  if (what == "subscribe") return subscribe(entry, request);
  if (what == "source" || what == "attributes" || what == "formula") {
    if (!scene_) throw Rejection("no scenario is open");
    if (what == "formula") {
      request.allow({"text"});
      return {{"unit", parse_formula(request.text("text", Expression::kMaxBytes)).unit()}};
    }
    if (what == "source") {
      request.allow({});
      return {{"text", scene_->text}, {"path", scene_->path}};
    }
    request.allow({"path"});
    return {{"attributes", list_attributes(*scene_, options_.schema, request.text("path", kMaxName))}};
  }
  throw Rejection(fmt::format("unknown request '{}'", shown_text(what)));
}

Json Hub::hello(Entry& entry, const Request& request) {
  request.allow({"token"});
  if (request.has("token") && !is_same_secret(request.text("token", kMaxName), options_.token)) {
    throw Rejection("wrong token");
  }
  entry.has_said_hello = true;
  return {{"version", options_.version},
          {"scene", scene_ ? Json::parse(scene_->json) : Json(nullptr)},
          {"status", Json::parse(status_)}};
}

Json Hub::files(const Request& request) const {
  request.allow({});
  Json found = Json::array();
  for (const ScenarioFile& file : list_scenarios(options_.root)) {
    found.push_back({{"path", file.path}, {"name", file.title}, {"description", file.description}});
  }
  Json gallery = Json::array();
  if (options_.gallery) {
    for (const ScenarioFile& file : list_scenarios(*options_.gallery)) {
      const std::string name = file.path.substr(0, file.path.size() - 4);
      gallery.push_back(
          {{"name", name},
           {"title", file.title},
           {"description", file.description},
           {"controller", options_.controllers.contains(name)},
           {"thumbnail", file.thumbnail.empty() ? Json(nullptr) : Json("/gallery/" + file.thumbnail)}});
    }
  }
  return {{"files", found}, {"gallery", gallery}};
}

Json Hub::subscribe(Entry& entry, const Request& request) {
  request.allow({"signals", "poses", "contacts", "rays", "rate"});
  Subscription wanted;
  if (request.has("signals")) wanted.names = request.texts("signals", kMaxSignals, kMaxFormula);
  if (!scene_ && !wanted.names.empty()) throw Rejection("no scenario is open");
  if (scene_) wanted.signals = find_signals(wanted.names);
  if (request.has("poses")) wanted.poses = request.flag("poses");
  if (request.has("contacts")) wanted.contacts = request.flag("contacts");
  if (request.has("rays")) wanted.rays = request.flag("rays");
  if (request.has("rate")) wanted.rate = request.number("rate", 0.1, 60.0);
  entry.subscription = std::move(wanted);
  entry.rows.clear();
  entry.has_lost_rows = false;
  entry.last_state = {};
  watch();
  entry.watch = watch_number_;
  return Json::object();
}

/// The slots of signals of the open scenario, and of formulas over them ("=a + b").
std::vector<Slot> Hub::find_signals(const std::vector<std::string>& names) {
  std::vector<Slot> slots;
  for (const std::string& name : names) {
    const std::optional<Slot> found = name.starts_with('=') ? find_formula(name) : scene_->signals.find(name);
    if (!found) throw Rejection(fmt::format("there is no signal '{}'", shown_text(name)));
    slots.push_back(*found);
  }
  return slots;
}

Slot Hub::find_formula(const std::string& name) {
  const auto found = std::find(formula_names_.begin(), formula_names_.end(), name);
  const Slot slot{scene_->signals.size() + static_cast<std::size_t>(found - formula_names_.begin())};
  if (found != formula_names_.end()) return slot;
  if (formula_names_.size() == kMaxFormulas)
    throw Rejection(fmt::format("there are already {} formulas; reload the scenario", kMaxFormulas));
  auto formulas = std::make_shared<ViewFormulas>(*formulas_);
  formulas->push_back(std::make_shared<const ViewFormula>(parse_formula(name.substr(1))));
  formula_names_.push_back(name);
  formulas_ = std::move(formulas);
  return slot;
}

ViewFormula Hub::parse_formula(const std::string& text) const {
  Result<ViewFormula, ExpressionError> parsed = ViewFormula::parse(text, scene_->signals);
  if (!parsed)
    throw Rejection(fmt::format("formula: character {}: {}", parsed.error().character, parsed.error().text));
  return *std::move(parsed);
}

/// Sends the session the union of all subscriptions.
void Hub::watch() {
  Watch watch;
  std::set<Slot> signals;
  for (const auto& [_, entry] : viewers_) {
    if (!entry.subscription) continue;
    signals.insert(entry.subscription->signals.begin(), entry.subscription->signals.end());
    watch.contacts |= entry.subscription->contacts;
    watch.rays |= entry.subscription->rays;
  }
  watch.signals = std::make_shared<const std::vector<Slot>>(signals.begin(), signals.end());
  watch.formulas = formulas_;
  watch.scene = scene_ ? scene_->id : 0;
  watch.number = watch_number_ + 1;
  if (session_.post({0, 0, watch})) ++watch_number_;
}

void Hub::change_scene(std::shared_ptr<const Scene> scene) {
  scene_ = std::move(scene);
  warnings_.clear();
  formula_names_.clear();
  formulas_ = std::make_shared<const ViewFormulas>();
  for (auto& [_, entry] : viewers_) {
    entry.rows.clear();
    entry.has_lost_rows = false;
    if (!entry.subscription) continue;
    // A subscription is kept if the new scene has all its signals.
    Subscription& subscription = *entry.subscription;
    try {
      subscription.signals = find_signals(subscription.names);
    } catch (const Rejection&) {
      subscription.names.clear();
      subscription.signals.clear();
    }
  }
  const auto text =
      std::make_shared<const std::string>(fmt::format(R"({{"push":"scene","scene":{}}})", scene_->json));
  for (auto& [_, entry] : viewers_) {
    if (entry.has_said_hello) entry.viewer->send_text(text);
  }
  watch();
}

void Hub::deliver(Message& message) {
  if (message.scene) return change_scene(std::move(message.scene));
  if (!message.is_answer) {
    if (message.json.value("push", "") == "warning") {
      warnings_.push_back(message.json["text"]);
      if (warnings_.size() > kMaxWarnings) warnings_.pop_front();
    }
    return send_to_all(message.json, message.except);
  }
  const auto found = viewers_.find(message.viewer);
  if (found == viewers_.end()) return;
  --found->second.open_requests;
  Json json = {{"id", message.id}};
  json.update(message.json);
  if (message.file) json["url"] = keep(std::move(*message.file));
  send(found->second, json);
}

bool Hub::pump() {
  Outbox::Content content = session_.outbox().take();
  for (Message& message : content.messages) deliver(message);
  if (!content.status.empty()) {
    status_ = std::move(content.status);
    const auto text =
        std::make_shared<const std::string>(fmt::format(R"({{"push":"status","status":{}}})", status_));
    for (auto& [_, entry] : viewers_) {
      if (entry.has_said_hello) entry.viewer->send_text(text);
    }
  }
  if (session_.states().take(state_)) {
    ++state_number_;
    sort_rows();
  }
  const Clock::time_point now = Clock::now();
  std::erase_if(downloads_, [&](const Waiting& each) { return each.expires < now; });
  bool has_due_later = false;
  for (auto& [_, entry] : viewers_) has_due_later |= send_state_if_due(entry, now);
  return has_due_later;
}

/// Appends to each viewer its own columns of the new rows.
void Hub::sort_rows() {
  const std::size_t width = state_.row_width();
  for (auto& [_, entry] : viewers_) {
    if (!entry.subscription || entry.subscription->signals.empty() || !state_.signals) continue;
    std::vector<std::size_t> columns = {0};
    for (const Slot slot : entry.subscription->signals) {
      const auto found = std::lower_bound(state_.signals->begin(), state_.signals->end(), slot);
      if (found == state_.signals->end() || *found != slot) break;
      columns.push_back(1 + static_cast<std::size_t>(found - state_.signals->begin()));
    }
    // Rows from before a subscription lack some of its signals.
    if (columns.size() != 1 + entry.subscription->signals.size() || !scene_ || state_.scene != scene_->id)
      continue;
    entry.has_lost_rows |= state_.has_lost_rows;
    for (std::size_t row = 0; row + width <= state_.rows.size(); row += width) {
      for (const std::size_t column : columns) entry.rows.push_back(state_.rows[row + column]);
    }
    while (entry.rows.size() * sizeof(double) > kMaxRowBytes) {
      entry.rows.erase(entry.rows.begin(), entry.rows.begin() + static_cast<std::ptrdiff_t>(columns.size()));
      entry.has_lost_rows = true;
    }
  }
}

/// True if the viewer has a state message that is due later.
bool Hub::send_state_if_due(Entry& entry, Clock::time_point now) {
  if (!entry.subscription || entry.sent == state_number_ || !entry.viewer->can_take_state()) return false;
  if (!scene_ || state_.scene != scene_->id || state_.watch < entry.watch) return false;
  const Subscription& wanted = *entry.subscription;
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1.0 / wanted.rate));
  if (now - entry.last_state < period - kEarly) return true;
  entry.sent = state_number_;
  entry.last_state = now;
  StateContent content{.poses = wanted.poses,
                       .contacts = wanted.contacts,
                       .rays = wanted.rays,
                       .has_lost_rows = entry.has_lost_rows,
                       .signals = wanted.signals.size(),
                       .rows = {entry.rows.begin(), entry.rows.end()}};
  entry.rows.clear();
  entry.has_lost_rows = false;
  entry.viewer->send_state(encode_state_message(state_, content));
  return false;
}

std::string Hub::keep(DownloadFile file) {
  std::size_t bytes = file.bytes.size();
  for (const Waiting& each : downloads_) bytes += each.file.bytes.size();
  while (!downloads_.empty() && (downloads_.size() >= kMaxDownloads || bytes > kMaxDownloadBytes)) {
    bytes -= downloads_.front().file.bytes.size();
    downloads_.pop_front();
  }
  downloads_.push_back({"/download/" + make_secret(), std::move(file), Clock::now() + kDownloadTime});
  return downloads_.back().path;
}

std::optional<DownloadFile> Hub::find_file(std::string_view path) {
  for (auto download = downloads_.begin(); download != downloads_.end(); ++download) {
    if (!is_same_secret(path, download->path)) continue;
    DownloadFile file = std::move(download->file);
    downloads_.erase(download);
    return file;
  }
  constexpr std::string_view kGallery = "/gallery/";
  if (path.starts_with(kGallery) && options_.gallery) {
    const std::string name(path.substr(kGallery.size()));
    const std::string ending = std::filesystem::path(name).extension().string();
    const char* type = ending == ".png"    ? "image/png"
                       : ending == ".jpg"  ? "image/jpeg"
                       : ending == ".webp" ? "image/webp"
                                           : nullptr;
    if (type == nullptr || name.find('\0') != std::string::npos) return std::nullopt;
    Result<FileContent> file = read_file_below(*options_.gallery, name, kMaxThumbnailBytes);
    if (!file) return std::nullopt;
    return DownloadFile{.name = {}, .content_type = type, .bytes = std::move(file->bytes)};
  }
  if (!scene_) return std::nullopt;
  const auto asset = scene_->assets.find(path);
  if (asset == scene_->assets.end()) return std::nullopt;
  return DownloadFile{.name = {},
                      .content_type = "application/octet-stream",
                      .bytes = *asset->second,
                      .is_immutable = true,
                      .is_gzip = true};
}

}  // namespace lockstep::serve
