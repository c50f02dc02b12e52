// Stroke icons on a 16 × 16 grid, in the current text colour.

const PATHS = {
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M5 3v10M11 3v10",
  step: "M3.5 3v10L10 8zM12.5 3v10",
  reset: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3",
  open: "M1.5 4v9h11l2-6.5h-10L3 11M1.5 4h4l1.5 1.5h6v1",
  reload: "M13 5A5.5 5.5 0 1 0 13.5 8.5M13.5 2v3.5H10",
  save: "M2.5 2.5h8.5l2.5 2.5v8.5h-11zM5 2.5v4h5v-4M5 13.5v-4h6v4",
  loop: "M4 5.5h7a2.5 2.5 0 0 1 0 6H4.5M6.5 3 4 5.5 6.5 8M7 9l-2.5 2.5L7 14",
  ruler: "M1.5 5.5h13v5h-13zM4 5.5v2M6.5 5.5v3M9 5.5v2M11.5 5.5v3",
  record: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  splitRight: "M2 3h12v10H2zM8 3v10",
  splitDown: "M2 3h12v10H2zM2 8h12",
  flag: "M4 14V2.5M4 3h8l-2 2.75 2 2.75H4",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.3 10.3 14 14",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  hidden:
    "M2 2l12 12M4 4.6C2.4 5.9 1.5 8 1.5 8S4 12.5 8 12.5c1.3 0 2.4-.4 3.4-1M6.5 3.7C7 3.6 7.5 3.5 8 3.5c4 0 6.5 4.5 6.5 4.5s-.6 1.1-1.7 2.2",
  camera: "M1.5 4.5h3L6 2.5h4l1.5 2h3v8.5h-13zM8 6a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5",
  video: "M1.5 4h8.5v8H1.5zM10 7l4.5-2.5v7L10 9",
  layers: "M8 2 14.5 5.5 8 9 1.5 5.5zM2 8.5 8 11.8l6-3.3M2 11.2l6 3.3 6-3.3",
  wire: "M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6",
  hand: "M5 8.5v-5a1 1 0 0 1 2 0V7M7 7V2.5a1 1 0 0 1 2 0V7M9 7V3.5a1 1 0 0 1 2 0v5M11 7.5V6a1 1 0 0 1 2 0v4.5a4 4 0 0 1-4 4H8.5c-1.5 0-2.6-.8-3.3-2L3 9.2a1 1 0 0 1 1.7-1L5 8.5",
  focus: "M2 5.5V2h3.5M10.5 2H14v3.5M14 10.5V14h-3.5M5.5 14H2v-3.5M8 6.5v3M6.5 8h3",
  follow: "M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3M8 5.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 0 1 0-5",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13",
  moon: "M13.5 9.5A6 6 0 1 1 6.5 2.5a4.8 4.8 0 0 0 7 7",
  help: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M6 6.2C6 5 6.9 4.3 8 4.3s2 .7 2 1.8C10 7.6 8 7.7 8 9.3M8 11.5v.3",
  plus: "M8 3v10M3 8h10",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  chart: "M2 2v12h12M4.5 10.5 7 7l2.5 2L13 4.5",
  table: "M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10",
  image: "M2 3h12v10H2zM2 11l3.5-3.5 3 3L11 8l3 3M10.5 5.5h.2",
  right: "M6 3.5 10.5 8 6 12.5",
  down: "M3.5 6 8 10.5 12.5 6",
  cube: "M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6",
  joint: "M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5M8 1.5v4M8 10.5v4",
  device: "M4 4h8v8H4zM6.5 1.5V4M9.5 1.5V4M6.5 12v2.5M9.5 12v2.5M1.5 6.5H4M1.5 9.5H4M12 6.5h2.5M12 9.5h2.5",
  robot: "M3 6h10v7.5H3zM8 6V3M8 1.8h.1M6 9h.1M10 9h.1M6 11.5h4M1.5 8.5v2.5M14.5 8.5v2.5",
  globe: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M1.5 8h13M8 1.5c4 4 4 9 0 13M8 1.5c-4 4-4 9 0 13",
  trace: "M2 13c3 0 2-5 5-5s2-5 5.5-5M12.5 3h.1M2 13h.1",
  upload: "M8 10.5V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3",
  download: "M8 2.5v8M4.5 7 8 10.5 11.5 7M2.5 11v2.5h11V11",
  warning: "M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.1",
  branch:
    "M4.5 5v6M4.5 2.5a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6M4.5 11a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6M11.5 4.5a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6M11.5 7c0 3-7 1.5-7 4",
} as const;

export type IconName = keyof typeof PATHS;

const FILLED: readonly IconName[] = ["play"];

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", FILLED.includes(name) ? "icon filled" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
