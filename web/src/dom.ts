// Helpers to build DOM elements: h("button", { class: "icon", onclick: f, "aria-label": "Play" }, icon("play"))

type Value = string | number | boolean | null | undefined | ((event: never) => void);
type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  // Values that change many times a second must not be read aloud; makeAnnouncer() says what matters.
  if (tag === "output") element.setAttribute("aria-live", "off");
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

/// Functions become listeners; false, null and undefined omit the attribute; true writes it without a value.
function setAttribute(element: HTMLElement, name: string, value: Value): void {
  // As an attribute, the server's content security policy would forbid it.
  if (name === "style") element.style.cssText = String(value ?? "");
  else if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value as EventListener);
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
}

/// Writes the text only if it differs, which avoids needless layout.
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function saveFile(content: Blob | string, name: string): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/csv" }) : content;
  const url = URL.createObjectURL(blob);
  followLink(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function followLink(url: string, name: string): void {
  h("a", { href: url, download: name }).click();
}

/// Stores a value in local storage, where the browser allows that.
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`lockstep.${key}`, value);
  } catch {
    // Without local storage the page starts with its defaults.
  }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`lockstep.${key}`);
  } catch {
    return null;
  }
}
