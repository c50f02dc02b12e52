/// Sends the newest of many values, one at a time: the next leaves when the answer to the last has come.
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
      await this.#send(value).catch(() => undefined); // whoever sends reports; the next value is tried all the same
    }
    this.#isSending = false;
  }
}
