// The layout menu: panels and panes, and layouts by name, as a file or as a link.

import type { App } from "../app.ts";
import { h, saveFile } from "../dom.ts";
import { listNamed, readLayout, setNamed, toFragment } from "../layouts.ts";
import { checkbox, iconButton, menu } from "../widgets.ts";
import type { Workspace } from "../workspace.ts";

const MAX_FILE_BYTES = 1 << 20;

export function makeLayoutMenu(app: App, workspace: Workspace): HTMLElement {
  const button = h(
    "button",
    { type: "button", class: "text-button", title: "Panels, panes and saved layouts" },
    "Layout",
  );
  const close = menu(button, "Layout", (hide) => fill(app, workspace, hide));
  app.store.scene.watch(close);
  return button;
}

function fill(app: App, workspace: Workspace, close: () => void): Node[] {
  const add = (kind: "view" | "plots", title: string): HTMLElement =>
    h("button", { type: "button", onclick: () => (workspace.panes.add(kind), close()) }, title);
  const name = h("input", { type: "text", placeholder: "Name of the layout", "aria-label": "Name of the layout" });
  const save = (event: Event): void => {
    event.preventDefault();
    if (name.value.trim() === "") return;
    setNamed(name.value.trim(), workspace.layout);
    app.tell(`Layout “${name.value.trim()}” saved in this browser`);
    close();
  };
  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    "aria-label": "Layout file",
    hidden: true,
  });
  file.addEventListener("change", () => void open(app, workspace, file.files?.[0]).then(close));
  const copy = async (): Promise<void> => {
    const link = location.href.replace(/#.*$/, "") + toFragment(workspace.layout);
    history.replaceState(null, "", link);
    await navigator.clipboard.writeText(link).then(
      () => app.tell("Link copied"),
      () => app.tell("The link is in the address bar"),
    );
    close();
  };
  const named = [...listNamed()].map(([title, layout]) =>
    h(
      "li",
      {},
      h("span", { class: "name", title }, title),
      iconButton("open", `Use layout ${title}`, () => (void workspace.apply(layout), close())),
      iconButton("close", `Delete layout ${title}`, () => (setNamed(title, null), close())),
    ),
  );
  return [
    checkbox("Objects and signals", workspace.isLeftOpen.value, (isOn) => workspace.isLeftOpen.set(isOn)),
    checkbox("Inspector and events", workspace.isRightOpen.value, (isOn) => workspace.isRightOpen.set(isOn)),
    h("div", { class: "row" }, add("view", "Add a 3D view"), add("plots", "Add a group of plots")),
    h("form", { class: "row", onsubmit: save }, name, h("button", {}, "Save")),
    h("ul", { class: "snapshots" }, ...named),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: () => void copy() }, "Copy as link"),
      h(
        "button",
        {
          type: "button",
          onclick: () =>
            saveFile(new Blob([JSON.stringify(workspace.layout)], { type: "application/json" }), "layout.json"),
        },
        "Save as file",
      ),
      h("button", { type: "button", onclick: () => file.click() }, "Open file"),
      h("button", { type: "button", onclick: () => (workspace.reset(), close()) }, "Reset"),
      file,
    ),
  ];
}

async function open(app: App, workspace: Workspace, file: File | undefined): Promise<void> {
  if (!file) return;
  try {
    if (file.size > MAX_FILE_BYTES) throw new Error(`${file.name} is too large for a layout`);
    await workspace.apply(readLayout(await file.text()));
  } catch (error) {
    app.tell((error as Error).message);
  }
}
