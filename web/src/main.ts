// Assembles the page: one connection, one store, one 3D view, and the panels around them.

import "uplot/dist/uPlot.min.css";
import "./style/theme.css";
import "./style/layout.css";
import "./style/panels.css";
import "./style/plots.css";
import "./style/view.css";
import "./style/controller.css";
import type { App } from "./app.ts";
import { Connection, type ConnectionHandlers } from "./connection.ts";
import { h } from "./dom.ts";
import { icon } from "./icons.ts";
import { Loop, makeSeek } from "./loop.ts";
import { makeAnnouncer, makeBanner, makeMessages, makeTokenDialog } from "./notices.ts";
import { makeController } from "./panels/controller.ts";
import { makeEvents } from "./panels/events.ts";
import { Inspector } from "./panels/inspector.ts";
import { OpenDialog, reloadScenario } from "./panels/open.ts";
import { makeLayoutMenu } from "./panels/layout_menu.ts";
import { makeProblems } from "./panels/problems.ts";
import { makeSignals } from "./panels/signals.ts";
import { makeSolver } from "./panels/solver.ts";
import { makeStateNotice } from "./panels/state_notice.ts";
import { makeStatusBar } from "./panels/statusbar.ts";
import { makeTimeline } from "./panels/timeline.ts";
import { makeTransport } from "./panels/transport.ts";
import { makeTree } from "./panels/tree.ts";
import { makeViewBar } from "./panels/viewbar.ts";
import { History } from "./plots/history.ts";
import { Plots } from "./plots/plots.ts";
import { RecordedRun } from "./recorded_run.ts";
import { takeAssetsFrom } from "./scene/assets.ts";
import { makeCompass } from "./scene/compass.ts";
import { connectHover } from "./scene/hover.ts";
import { connectKeyboard } from "./scene/keyboard.ts";
import { connectSelection, connectView } from "./scene/wiring.ts";
import { defaultSettings } from "./scene/settings.ts";
import { makeViewCube } from "./scene/view_cube.ts";
import type { CameraMode } from "./scene/camera.ts";
import { View } from "./scene/view.ts";
import { Shortcuts } from "./shortcuts.ts";
import { Cell, Store } from "./store.ts";
import { FRAMES_PER_SECOND, Subscriptions } from "./subscriptions.ts";
import { makeTheme, toggleTheme } from "./theme.ts";
import { iconButton, setIcon, Tabs } from "./widgets.ts";
import { Workspace } from "./workspace.ts";

const query = new URLSearchParams(location.search);
const store = new Store();
const { element: messages, tell } = makeMessages();
const token = new Cell(query.get("token") ?? "");
const isDark = makeTheme();

const handlers: ConnectionHandlers = {
  opened: () => void greet(),
  pushed: (push) => store.push(push),
  stateCame: (state) => view.stats.receive(() => takeState(state)),
  changed: (state, retryAt) => {
    if (state === "lost") subscriptions.close();
    store.connection.set({ state, retryAt });
  },
  damaged: (error) => store.addLine({ kind: "warning", time: store.status.value.time, text: error.message }),
};
/// The server, or the run inside of this page.
function connectionOf(recording: HTMLElement | null): Connection | RecordedRun {
  if (!recording) {
    const url = new URL("ws", location.href.replace(/^http/, "ws")).href.replace(/[?#].*$/, "");
    return new Connection(url, handlers);
  }
  const run = new RecordedRun(recording, handlers);
  takeAssetsFrom((url) => run.asset(url));
  return run;
}
const connection = connectionOf(RecordedRun.find());
const history = new History();
const subscriptions = new Subscriptions(connection.request, history, (error) => tell(error.message));
const plots = new Plots(
  history,
  connection.request,
  (signals) => subscriptions.setSignals("plots", signals),
  (time) => app.seek(time),
);
const viewElement = h("div", { class: "view" });
document.body.append(viewElement); // before the view is made, which reads its size
const view = new View(viewElement, Number(query.get("fps")) || FRAMES_PER_SECOND, tell);

async function run(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    tell((error as Error).message);
    return false;
  }
}

const loop = new Loop({ store, request: connection.request, tell });
const app: App = {
  store,
  request: connection.request,
  run,
  tell,
  seek: makeSeek({ store, request: connection.request, run, tell }, loop),
  loop,
  view,
  settings: new Cell(defaultSettings),
  cameraMode: new Cell<CameraMode>("free"),
  isPulling: new Cell(false),
  isMeasuring: new Cell(false),
  isDark,
  history,
  plots,
  subscriptions,
};

// A paused run tells exactly how far it is known: later rows belong to a run that was left.
store.status.watch(({ state, recording, replay }) => {
  const step = store.scene.value?.step ?? 0; // a new page gets the status before the scene
  if (state !== "running" && recording && !replay) history.cutAfter(recording.end + step / 2);
});

store.notice.watch((text) => text && tell(text));

function takeState(state: Parameters<Store["takeState"]>[0]): void {
  if (state.scene !== store.scene.value?.id) return;
  history.append(state);
  store.takeState(state);
}

/// First requests on a new connection. Asks for everything: the server may have been restarted.
async function greet(): Promise<void> {
  try {
    const { version, scene, status } = await connection.request("hello", token.value ? { token: token.value } : {});
    store.version.set(version);
    store.setStatus(status);
    store.setScene(scene);
    void run(connection.request("events").then(({ events }) => store.setEvents(events)));
    if (!scene) void open.show();
  } catch (error) {
    if (store.connection.value.state !== "open") return; // lost again; the next connection repeats this
    tell((error as Error).message);
    if (!tokenDialog.open) tokenDialog.showModal();
  }
}

// The panels.
const open = new OpenDialog(app);
const tokenDialog = makeTokenDialog(token, () => void greet());
const shortcuts = new Shortcuts(app, open, () => toggleTheme(isDark));
viewElement.append(makeViewBar(app), makeCompass(app), makeViewCube(app), makeStateNotice(app), makeProblems(app));
const workspace = new Workspace(app, {
  left: [
    { id: "objects", title: "Objects", content: makeTree(app) },
    { id: "signals", title: "Signals", content: makeSignals(app) },
  ],
  right: [
    { id: "inspector", title: "Inspector", content: new Inspector(app).element },
    { id: "controller", title: "Controller", content: makeController(app) },
    { id: "events", title: "Events", content: makeEvents(app) },
    { id: "solver", title: "Solver", content: makeSolver(app) },
  ],
  view: viewElement,
});
// Add further workspaces here.
const workspaces = new Tabs("Workspaces", [{ id: "simulate", title: "Simulate", content: workspace.element }]);

const scenario = h("button", {
  type: "button",
  class: "scenario",
  title: "Open a scenario (O)",
  onclick: () => void open.show(),
});
store.scene.watch((scene) => scenario.replaceChildren(icon("open"), h("span", {}, scene?.name ?? "Open a scenario")));
const theme = iconButton("moon", "Toggle dark theme (T)", () => toggleTheme(isDark));
isDark.watch((dark) => setIcon(theme, dark ? "sun" : "moon", dark ? "Light theme (T)" : "Dark theme (T)"));
document.title = "Lockstep";
document.body.append(
  h(
    "header",
    { class: "bar" },
    h("span", { class: "brand" }, "Lockstep"),
    workspaces.list,
    scenario,
    iconButton("reload", "Reload the scenario file (R)", () => void reloadScenario(app)),
    makeTransport(app),
    h("span", { class: "spacer" }),
    makeLayoutMenu(app, workspace),
    theme,
    iconButton("help", "Keyboard and mouse (?)", () => shortcuts.showSheet()),
  ),
  makeBanner(store, connection),
  workspaces.panels,
  makeTimeline(app),
  makeStatusBar(app, () => workspace.right.show("events")),
  messages,
  makeAnnouncer(store),
  tokenDialog,
);

connectView(app);
connectSelection(app);
workspace.followScene();
connectKeyboard(app);
connectHover(app);

// With --play the run starts when its scene can be seen.
let readyScene = -1;
view.onDrawn(() => {
  const scene = store.state.value ? (store.scene.value?.id ?? -1) : -1;
  if (scene === readyScene || scene < 0) return;
  readyScene = scene;
  void connection.request("ready").catch(() => (readyScene = -1));
});

// Exposed for tests and for profiling in the browser console.
declare global {
  interface Window {
    lockstep: App & { stats: View["stats"]; workspace: Workspace };
  }
}
window.lockstep = { ...app, stats: view.stats, workspace };
connection.connect();
