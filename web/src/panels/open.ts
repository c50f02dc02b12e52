// The dialog to open a scenario: from the gallery, from the server's folder, or by upload.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { icon } from "../icons.ts";
import { RequestError, type GalleryItem, type Requests, type ScenarioFile } from "../protocol.ts";
import { embedFiles, toBase64 } from "../upload.ts";
import { iconButton } from "../widgets.ts";

/// Files of other programs, which `lockstep import` turns into scenarios.
const IMPORTABLE = /\.(urdf|xacro|mjcf|sdf|stl|obj|dae|gltf|glb|step|stp)$/i;
const MAX_UPLOAD_BYTES = 11 << 20; // in base64 less than the 16 MiB of a request

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
    const picker = h("input", { type: "file", multiple: true, id: "upload", class: "visually-hidden" });
    picker.addEventListener("change", () => {
      const files = [...(picker.files ?? [])];
      picker.value = ""; // so that the same file can be chosen again
      void this.upload(files);
    });
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
        "Upload a scenario with its meshes and images, a recording (.rec) or a snapshot (.snapshot), or drop them anywhere on the page. `lockstep import` makes a scenario of URDF, MJCF, STL and CAD.",
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
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void this.upload(files);
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
      { type: "button", class: "card", onclick: () => void this.#openItem(item, title) },
      item.thumbnail
        ? h("img", { src: item.thumbnail, alt: "", loading: "lazy" })
        : h("span", { class: "no-image" }, icon("cube")),
      h("strong", {}, title, item.controller ? h("span", { class: "badge" }, "starts its controller") : null),
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

  /// A scenario with the files it names, a recording, or a snapshot of the open scenario.
  async upload(files: readonly File[]): Promise<void> {
    const main = files.find(({ name }) => /\.(xml|rec|snapshot)$/i.test(name)) ?? files[0];
    if (!main) return;
    if (IMPORTABLE.test(main.name)) {
      const made = main.name.replace(IMPORTABLE, ".xml");
      this.#app.tell(`${main.name} is not a scenario; make one with: lockstep import ${main.name} -o ${made}`);
      return;
    }
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > MAX_UPLOAD_BYTES) {
      this.#app.tell(
        `${main.name} has ${size} bytes with its files; the limit for uploads is ${MAX_UPLOAD_BYTES} bytes`,
      );
      return;
    }
    if (/\.rec$/i.test(main.name)) {
      await this.#open({ recording: await toBase64(main), name: main.name }, main.name);
    } else if (/\.snapshot$/i.test(main.name)) {
      this.element.close();
      const name = main.name.replace(/\.snapshot$/i, "");
      await showProblems(this.#app, this.#app.request("load", { name, data: await toBase64(main) }), main.name);
    } else {
      const others = files.filter((file) => file !== main);
      const embedded = await Promise.all(
        others.map(async ({ name }, i) => ({ name, data: await toBase64(others[i]!) })),
      );
      await this.#open({ text: embedFiles(await main.text(), embedded), name: main.name }, main.name);
    }
  }

  /// A machine whose controller starts with it runs at once.
  async #openItem({ name, controller }: GalleryItem, title: string): Promise<void> {
    if ((await this.#open({ gallery: name }, title)) && controller) await this.#app.run(this.#app.request("play"));
  }

  async #open(fields: Requests["open"]["fields"], title: string): Promise<boolean> {
    this.element.close();
    return openScenario(this.#app, fields, title);
  }
}
