// A server that speaks the viewer protocol without the simulator: for work on the page and for its tests.

import { createReadStream, existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer, type WebSocket } from "ws";
import { octahedronBytes, terrainBytes } from "./crowd.ts";
import { Refusal, Session, type Viewer } from "./session.ts";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TICK_MS = 8;
const STATUS_MS = 100;
/// A viewer with more than this still to be sent is too slow for another frame.
const MOST_WAITING_BYTES = 256 * 1024;

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export interface Mock {
  address: string;
  close(): Promise<void>;
}

export async function startMock(options: { port?: number; scenario?: string }): Promise<Mock> {
  const session = new Session();
  if (options.scenario) session.open(options.scenario);
  const http = createServer(serveFile);
  const sockets = new WebSocketServer({ server: http, path: "/ws", maxPayload: 4 << 20 });
  sockets.on("connection", (socket) => serveViewer(session, socket));

  let last = performance.now();
  const tick = setInterval(() => {
    const now = performance.now();
    session.tick((now - last) / 1000);
    last = now;
  }, TICK_MS);
  const status = setInterval(() => session.pushStatus(), STATUS_MS);

  await new Promise<void>((resolve) => http.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        clearInterval(tick);
        clearInterval(status);
        for (const socket of sockets.clients) socket.terminate();
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}

function serveViewer(session: Session, socket: WebSocket): void {
  const viewer: Viewer = {
    subscription: { signals: [], poses: false, contacts: false, rays: false, rate: 60 },
    sentStep: -1,
    isStale: false,
    push: (push) => socket.send(JSON.stringify(push)),
  };
  session.viewers.add(viewer);
  let lastFrame = 0;
  const frames = setInterval(() => {
    const now = performance.now();
    // Half a tick early is nearer to the rate than half a tick late.
    if (now - lastFrame < 1000 / viewer.subscription.rate - TICK_MS / 2) return;
    if (socket.bufferedAmount > MOST_WAITING_BYTES) return;
    const frame = session.frame(viewer);
    if (!frame) return;
    lastFrame = now;
    socket.send(frame);
  }, TICK_MS);
  socket.on("message", (data) => {
    const { id, do: what, ...fields } = JSON.parse(String(data)) as { id: number; do: string };
    try {
      socket.send(JSON.stringify({ ...session.handle(viewer, what, fields), id, ok: true }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const diagnostics = error.diagnostics.length > 0 ? { diagnostics: error.diagnostics, text: error.text } : {};
      socket.send(JSON.stringify({ id, ok: false, error: error.message, ...diagnostics }));
    }
  });
  socket.on("close", () => {
    clearInterval(frames);
    session.viewers.delete(viewer);
  });
}

function serveFile(request: IncomingMessage, response: ServerResponse): void {
  const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://mock").pathname));
  const made = madeFile(path);
  if (made) {
    response.writeHead(200, { "content-type": made.type }).end(made.bytes);
    return;
  }
  const file = join(DIST, path === "/" ? "index.html" : path);
  if (!file.startsWith(DIST) || !existsSync(file)) {
    response.writeHead(404).end("not found");
    return;
  }
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
}

function madeFile(path: string): { type: string; bytes: string | Buffer } | null {
  if (path === "/assets-of/crowd/0.mesh") return { type: "application/octet-stream", bytes: octahedronBytes() };
  if (path === "/assets-of/crowd/0.heights") return { type: "application/octet-stream", bytes: terrainBytes() };
  if (path.startsWith("/thumbnails/")) return { type: "image/svg+xml", bytes: thumbnail(path.includes("crowd")) };
  if (path.startsWith("/downloads/")) return { type: "application/octet-stream", bytes: `${path}\n` };
  return null;
}

function thumbnail(isCrowd: boolean): string {
  const dots = Array.from({ length: 40 }, (_, i) => {
    const x = 30 + (i % 10) * 29;
    const y = 40 + Math.floor(i / 10) * 32 + 8 * Math.sin(i);
    return `<circle cx="${x}" cy="${y}" r="8" fill="hsl(${i * 9} 50% 55%)"/>`;
  });
  const pendulum = `<path d="M160 20 L230 130" stroke="#e67a22" stroke-width="9" stroke-linecap="round"/>
    <circle cx="230" cy="130" r="16" fill="#d8332c"/><rect x="130" y="8" width="60" height="14" fill="#667"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180"><rect width="320" height="180" fill="#dfe5ec"/>
    ${isCrowd ? dots.join("") : pendulum}</svg>`;
}
