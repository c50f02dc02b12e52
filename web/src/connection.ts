// The one WebSocket of the page: typed requests and answers, pushes, state messages, and reconnecting.

import { decodeState, type StateMessage } from "./state_message.ts";
import { RequestError, type Diagnostic, type Push, type Requests } from "./protocol.ts";

export type ConnectionState = "connecting" | "open" | "lost";

export interface ConnectionHandlers {
  /// The socket is open. The server has no state of this viewer yet: subscribe again.
  opened(): void;
  pushed(push: Push): void;
  stateCame(state: StateMessage): void;
  /// `retryAt` (as of performance.now()) is when the next attempt starts, while the state is "lost".
  changed(state: ConnectionState, retryAt: number): void;
  /// A message that is not part of the protocol.
  damaged(error: Error): void;
}

export type Request = <K extends keyof Requests>(
  what: K,
  ...fields: Record<never, never> extends Requests[K]["fields"] ? [Requests[K]["fields"]?] : [Requests[K]["fields"]]
) => Promise<Requests[K]["answer"]>;

interface Answer {
  id: number;
  ok: boolean;
  error?: string;
  diagnostics?: Diagnostic[];
  text?: string;
}

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
}

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

/// Delay before the n-th reconnection attempt: exponential backoff with an upper bound and jitter.
export function calcRetryDelay(attempt: number, random: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt) * (0.75 + 0.25 * random);
}

export class Connection {
  readonly #url: string;
  readonly #handlers: ConnectionHandlers;
  #socket: WebSocket | undefined;
  #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, handlers: ConnectionHandlers) {
    this.#url = url;
    this.#handlers = handlers;
  }

  /// Connects now, without waiting for the next scheduled attempt.
  connect(): void {
    clearTimeout(this.#timer);
    this.#handlers.changed("connecting", 0);
    const socket = new WebSocket(this.#url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#attempt = 0;
      this.#handlers.changed("open", 0);
      this.#handlers.opened();
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.#receive(event.data);
    socket.onclose = () => this.#lose(socket);
    this.#socket = socket;
  }

  readonly request: Request = (what, ...fields) => {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) {
        reject(new RequestError("not connected to the server"));
        return;
      }
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ ...fields[0], id, do: what }));
    });
  };

  #receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data !== "string") {
        this.#handlers.stateCame(decodeState(data));
        return;
      }
      const message = JSON.parse(data) as Answer | Push;
      if ("push" in message) this.#handlers.pushed(message);
      else this.#settle(message);
    } catch (error) {
      this.#handlers.damaged(error as Error);
    }
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) throw new Error(`answer to unknown request ${answer.id}`);
    this.#waiting.delete(answer.id);
    if (answer.ok) waiting.resolve(answer as never);
    else waiting.reject(new RequestError(answer.error ?? "rejected", answer.diagnostics, answer.text));
  }

  #lose(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of lost) waiting.reject(new RequestError("connection to the server lost"));
    const delay = calcRetryDelay(this.#attempt++, Math.random());
    this.#handlers.changed("lost", performance.now() + delay);
    this.#timer = setTimeout(() => this.connect(), delay);
  }
}
