// The dialog to open a scenario: from the gallery, from the server's folder, or by upload.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { icon } from "../icons.ts";
import { RequestError, type GalleryItem, type Requests, type ScenarioFile } from "../protocol.ts";
import { iconButton } from "../widgets.ts";

/// Files of other programs, which `lockstep import` turns into scenarios.
const IMPORTABLE = /\.(urdf|xacro|mjcf|sdf|stl|obj|dae|gltf|glb|step|stp)$/i;
const MAX_UPLOAD_BYTES = 16 << 20;

/// Requests a scenario; shows its errors at their lines.
export async function openScenario(app: App, fields: Requests["open"]["fields"], title: string): Promise<boolean> {
  return showProblems(app, app.request("open", fields), title);
}

export async function reloadScenario(app: App): Promise<boolean> {
  return showProblems(app, app.request("reload"), app.store.scene.value?.path ?? "");
}

async function showProblems(app: App, answer: Promise<unknown>, title: string): Promise<boolean> {
  try {
    await answer;
    app.store.problems.set(null);
    return true;
  } catch (error) {
    const { diagnostics, source, message } = error as RequestError;
    if (diagnostics && diagnostics.length > 0) app.store.problems.set({ title, diagnostics, source });
    else app.tell(message);
    return false;
  }
}

export class OpenDialog {
  readonly element: HTMLDialogElement;
  readonly #app: App;
  readonly #gallery = h("div", { class: "gallery" });
  readonly #files = h("ul", { class: "files" });
  readonly #search = h("input", {
    type: "search",
    placeholder: "Search gallery and files",
    "aria-label": "Search gallery and files",
  });
  #items: GalleryItem[] = [];
  #found: ScenarioFile[] = [];

  constructor(app: App) {
    this.#app = app;
    const picker = h("input", { type: "file", accept: ".xml,text/xml", id: "upload", class: "visually-hidden" });
    picker.addEventListener("change", () => picker.files?.[0] && void this.upload(picker.files[0]));
    this.element = h(
      "dialog",
      { class: "open-dialog", "aria-label": "Open a scenario" },
      h(
        "header",
        {},
        h("h2", {}, "Open a scenario"),
        iconButton("close", "Close", () => this.element.close()),
      ),
      h(
        "label",
        { class: "upload", for: "upload" },
        picker,
        icon("upload"),
        "Upload a scenario file, or drop it anywhere on the page. `lockstep import` makes one of URDF, MJCF, STL and CAD.",
      ),
      h("div", { class: "row spread" }, h("h3", {}, "Gallery"), this.#search),
      this.#gallery,
      h("h3", {}, "Files on the server"),
      this.#files,
    );
    this.#search.addEventListener("input", () => this.#draw());
    window.addEventListener(
      "dragover",
      (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault(),
    );
    window.addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      void this.upload(file);
    });
    // A scenario was opened, from this page or another viewer.
    app.store.scene.watch((scene) => scene && this.element.close());
    document.body.append(this.element);
  }

  async show(): Promise<void> {
    this.element.showModal();
    await this.#app.run(
      this.#app.request("files").then(({ files, gallery }) => {
        this.#found = files;
        this.#items = gallery;
        this.#draw();
      }),
    );
  }

  /// Cards grouped by folder.
  #groups(gallery: readonly GalleryItem[]): HTMLElement[] {
    const groups = new Map<string, GalleryItem[]>();
    for (const item of gallery) {
      const group = item.name.slice(0, Math.max(0, item.name.lastIndexOf("/")));
      groups.set(group, [...(groups.get(group) ?? []), item]);
    }
    return [...groups].flatMap(([group, items]) => [
      ...(group ? [h("h3", {}, group.charAt(0).toUpperCase() + group.slice(1))] : []),
      h("div", { class: "cards" }, ...items.map((item) => this.#card(item))),
    ]);
  }

  #card(item: GalleryItem): HTMLElement {
    const title = item.title || item.name;
    return h(
      "button",
      { type: "button", class: "card", onclick: () => void this.#open({ gallery: item.name }, title) },
      item.thumbnail
        ? h("img", { src: item.thumbnail, alt: "", loading: "lazy" })
        : h("span", { class: "no-image" }, icon("cube")),
      h("strong", {}, title),
      h("span", { class: "muted" }, item.description),
    );
  }

  #draw(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/);
    const fits = (...texts: (string | undefined)[]): boolean =>
      words.every((word) => texts.join(" ").toLowerCase().includes(word));
    const items = this.#items.filter(({ name, title, description }) => fits(name, title, description));
    this.#gallery.replaceChildren(...this.#groups(items));
    if (items.length === 0) this.#gallery.append(h("p", { class: "hint" }, "Nothing in the gallery matches."));
    const shown = this.#found.filter(({ path, name, description }) => fits(path, name, description));
    this.#files.replaceChildren(
      ...shown.map(({ path, description }) => {
        const open = (): void => void this.#open({ path }, path);
        return h(
          "li",
          {},
          h(
            "button",
            { type: "button", onclick: open },
            h("span", { class: "name" }, path),
            h("span", { class: "muted" }, description),
          ),
        );
      }),
    );
    if (shown.length === 0) this.#files.append(h("li", { class: "hint" }, "No matching files."));
  }

  async upload(file: File): Promise<void> {
    if (IMPORTABLE.test(file.name)) {
      const made = file.name.replace(IMPORTABLE, ".xml");
      this.#app.tell(`${file.name} is not a scenario; make one with: lockstep import ${file.name} -o ${made}`);
      return;
    }
    if (file.size > MAX_UPLOAD_BYTES) {
      this.#app.tell(`${file.name} has ${file.size} bytes; the limit for uploads is ${MAX_UPLOAD_BYTES} bytes`);
      return;
    }
    await this.#open({ text: await file.text(), name: file.name }, file.name);
  }

  async #open(fields: Requests["open"]["fields"], title: string): Promise<void> {
    this.element.close();
    await openScenario(this.#app, fields, title);
  }
}
