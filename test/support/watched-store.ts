/** A store that counts its reads. A test can delay each read. */
import type { Store } from "#/storage/store.ts";

export interface WatchedStore {
  /** The store that the code under test uses. */
  readonly store: Store;
  /** The number of reads that were answered. */
  readonly reads: number;
  /** The number of round trips to a database server. Reads that begin while another read is under way share its round trip. */
  readonly rounds: number;
  /** Called before each read. The read waits for it. */
  onRead: ((reads: number) => void | Promise<void>) | undefined;
}

const readNames: ReadonlySet<string | symbol> = new Set(["get", "all", "column", "scan"]);

export function watchStore(store: Store): WatchedStore {
  let pending = 0;
  const watched = {
    reads: 0,
    rounds: 0,
    onRead: undefined as WatchedStore["onRead"],
    store: new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const method = member.bind(target) as (...args: unknown[]) => unknown;
        if (!readNames.has(name)) return method;
        return async (...args: unknown[]) => {
          if (pending++ === 0) watched.rounds++;
          try {
            await watched.onRead?.(watched.reads);
            const answer = await method(...args);
            watched.reads++;
            return answer;
          } finally {
            pending--;
          }
        };
      },
    }),
  };
  return watched;
}
