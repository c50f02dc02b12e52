/// Sends the newest of many values, one at a time: the next is sent when the answer to the last has arrived.
export class Latest<T> {
  readonly #send: (value: T) => Promise<unknown>;
  #isSending = false;
  #next: { value: T } | null = null;

  constructor(send: (value: T) => Promise<unknown>) {
    this.#send = send;
  }

  set(value: T): void {
    this.#next = { value };
    if (!this.#isSending) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isSending = true;
    while (this.#next) {
      const { value } = this.#next;
      this.#next = null;
      await this.#send(value).catch(() => undefined); // the sender reports errors; the next value is sent anyway
    }
    this.#isSending = false;
  }
}
