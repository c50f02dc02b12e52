// The object tree: robots with their links, joints and devices, then other objects.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { icon, type IconName } from "../icons.ts";
import type { Scene } from "../protocol.ts";
import type { Selection } from "../store.ts";
import { setIcon, iconButton } from "../widgets.ts";

interface Node {
  key: string;
  label: string;
  icon: IconName;
  selection: Selection;
  /// Bodies that the eye button of this row shows and hides.
  bodies: string[];
  children: Node[];
}

const MAX_ROWS = 800;

/// The name without its robot's name, which is the row above it in the tree.
export function shortName(name: string, robot: string | null | undefined): string {
  return robot && name.startsWith(`${robot}/`) ? name.slice(robot.length + 1) : name;
}

/// Pixels. Deep levels are indented less, to leave space for the names.
function indentOf(level: number): number {
  const [wide, narrow] = [Math.min(level - 1, 6), Math.max(0, level - 7)];
  return 4 + 14 * wide + 4 * narrow;
}

export function buildTree(scene: Scene): Node[] {
  const bodyNode = (index: number, robot: string): Node => {
    const body = scene.bodies[index]!;
    const joints = scene.joints.flatMap((joint, i): Node[] => {
      if (joint.body !== index) return [];
      const label = shortName(joint.name, robot);
      return [{ key: `j${i}`, label, icon: "joint", selection: { kind: "joint", index: i }, bodies: [], children: [] }];
    });
    const links = scene.bodies.flatMap((child, i) =>
      i > 0 && child.parent === index && (child.robot || "") === robot ? [bodyNode(i, robot)] : [],
    );
    return {
      key: `b${index}`,
      label: index === 0 ? "ground and fixtures" : shortName(body.name, robot),
      icon: index === 0 ? "globe" : "cube",
      selection: { kind: "body", index },
      bodies: [body.name],
      children: [...joints, ...(index === 0 ? [] : links)],
    };
  };
  const isRoot = (index: number): boolean => {
    const body = scene.bodies[index]!;
    return index > 0 && (body.parent <= 0 || (scene.bodies[body.parent]!.robot || "") !== (body.robot || ""));
  };
  const rootsOf = (robot: string): Node[] =>
    scene.bodies.flatMap((body, i) => (isRoot(i) && (body.robot || "") === robot ? [bodyNode(i, robot)] : []));
  const robots = [...new Set([...scene.bodies, ...scene.devices].map(({ robot }) => robot || ""))].filter(Boolean);
  const devicesOf = (robot: string): Node[] =>
    scene.devices.flatMap((device, i): Node[] => {
      if ((device.robot || "") !== robot) return [];
      const label = `${shortName(device.name, robot)} · ${device.kind}`;
      return [
        { key: `d${i}`, label, icon: "device", selection: { kind: "device", index: i }, bodies: [], children: [] },
      ];
    });
  return [
    ...robots.map((robot): Node => {
      const bodies = scene.bodies.filter((body) => body.robot === robot).map((body) => body.name);
      const children = [...rootsOf(robot), ...devicesOf(robot)];
      return { key: `r${robot}`, label: robot, icon: "robot", selection: null, bodies, children };
    }),
    ...rootsOf(""),
    ...devicesOf(""),
    ...(scene.bodies.length > 0 ? [bodyNode(0, "")] : []),
  ];
}

/// Tells rows of two robots apart that have the same label.
function fullName({ label, bodies, selection }: Node): string {
  return selection?.kind === "body" && selection.index > 0 ? bodies[0]! : label;
}

/// The branches in which a label or full name contains the text; all branches for an empty text.
export function filterTree(nodes: readonly Node[], text: string): Node[] {
  if (text === "") return [...nodes];
  return nodes.flatMap((node) => {
    if (node.label.toLowerCase().includes(text)) return [node];
    const children = filterTree(node.children, text);
    return children.length > 0 ? [{ ...node, children }] : [];
  });
}

export function makeTree(app: App): HTMLElement {
  const { store } = app;
  const search = h("input", { type: "search", placeholder: "Search objects", "aria-label": "Search objects" });
  const list = h("div", { class: "tree", role: "tree", "aria-label": "Objects" });
  const collapsed = new Set<string>();
  let roots: Node[] = [];

  const isSelected = ({ selection }: Node): boolean =>
    selection !== null &&
    selection.kind === store.selection.value?.kind &&
    selection.index === store.selection.value.index;

  function row(node: Node, level: number): HTMLElement {
    const isOpen = !collapsed.has(node.key);
    const hasChildren = node.children.length > 0;
    const caret = h("span", { class: "caret" }, hasChildren && icon(isOpen ? "down" : "right"));
    const attributes = {
      class: "tree-row",
      role: "treeitem",
      tabindex: -1,
      "aria-level": level,
      "aria-selected": String(isSelected(node)),
      "aria-expanded": hasChildren ? String(isOpen) : undefined,
      "data-key": node.key,
      style: `padding-left:${indentOf(level)}px`,
    };
    const element = h(
      "div",
      attributes,
      caret,
      icon(node.icon),
      h("span", { class: "label", title: fullName(node) }, node.label),
    );
    caret.addEventListener("click", (event) => {
      event.stopPropagation();
      toggle(node);
    });
    element.addEventListener("click", () => (node.selection ? store.selection.set(node.selection) : toggle(node)));
    element.addEventListener(
      "dblclick",
      () => node.selection?.kind === "body" && app.view.focusBody(node.selection.index),
    );
    if (node.bodies.length > 0) element.append(eye(node));
    return element;
  }

  function eye(node: Node): HTMLElement {
    const isHidden = node.bodies.every((name) => store.hidden.value.has(name));
    const button = iconButton("eye", "", () => store.toggle(store.hidden, node.bodies, !isHidden));
    setIcon(button, isHidden ? "hidden" : "eye", `${isHidden ? "Show" : "Hide"} ${fullName(node)}`);
    button.classList.toggle("off", isHidden);
    button.tabIndex = -1; // one tab stop for the tree; H does the same
    button.addEventListener("click", (event) => event.stopPropagation());
    return button;
  }

  function toggle(node: Node): void {
    if (!collapsed.delete(node.key)) collapsed.add(node.key);
    draw();
  }

  function draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(".tree-row")?.dataset.key;
    const rows: HTMLElement[] = [];
    let left = 0;
    const visit = (nodes: readonly Node[], level: number): void => {
      for (const node of nodes) {
        if (rows.length < MAX_ROWS) rows.push(row(node, level));
        else ++left;
        if (!collapsed.has(node.key)) visit(node.children, level + 1);
      }
    };
    visit(filterTree(roots, search.value.trim().toLowerCase()), 1);
    list.replaceChildren(...rows);
    if (left > 0) list.append(h("p", { class: "hint" }, `${left} more. Search to find them.`));
    if (rows.length === 0) list.append(h("p", { class: "hint" }, "No matching objects."));
    const current =
      rows.find((each) => each.dataset.key === focused) ?? rows.find((each) => each.ariaSelected === "true") ?? rows[0];
    if (current) current.tabIndex = 0;
    if (focused && current?.dataset.key === focused) current.focus();
  }

  list.addEventListener("keydown", (event) => {
    const rows = [...list.querySelectorAll<HTMLElement>(".tree-row")];
    const now = rows.indexOf(document.activeElement as HTMLElement);
    if (now < 0) return;
    const isOpen = rows[now]!.getAttribute("aria-expanded");
    const targets: Record<string, HTMLElement | undefined> = {
      ArrowDown: rows[now + 1],
      ArrowUp: rows[now - 1],
      Home: rows[0],
      End: rows.at(-1),
    };
    const next = targets[event.key];
    if (next) {
      rows[now]!.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (event.key === "Enter") rows[now]!.click();
    else if ((event.key === "ArrowRight" && isOpen === "false") || (event.key === "ArrowLeft" && isOpen === "true")) {
      rows[now]!.querySelector<HTMLElement>(".caret")!.click();
    } else if (event.key === "h") rows[now]!.querySelector<HTMLElement>("button")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  search.addEventListener("input", draw);
  let lastPath: string | undefined;
  store.scene.watch((scene) => {
    roots = scene ? buildTree(scene) : [];
    if (scene?.path !== lastPath) collapsed.clear();
    lastPath = scene?.path;
    draw();
  });
  store.selection.watch(() => {
    draw();
    list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  store.hidden.watch(draw);
  return h("div", { class: "panel-content" }, h("div", { class: "search" }, icon("search"), search), list);
}
