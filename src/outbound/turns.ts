/** Work that is done one after the other for each key: what one looks at, the next has not changed meanwhile. */
export class Turns<K> {
  readonly #last = new Map<K, Promise<void>>();

  /** Resolves when it is one's turn, which lasts until the answer is disposed of. */
  async take(key: K): Promise<Disposable> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    const last = before === undefined ? promise : before.then(() => promise);
    this.#last.set(key, last);
    await before;
    return {
      [Symbol.dispose]: () => {
        resolve();
        if (this.#last.get(key) === last) this.#last.delete(key);
      },
    };
  }
}
