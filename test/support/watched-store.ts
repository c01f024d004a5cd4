/** A store whose reads a test sees, and can hold up. */
import type { Store } from "#/storage/store.ts";

export interface WatchedStore {
  /** The store to be given to the house. */
  readonly store: Store;
  /** Reads that were answered. */
  readonly reads: number;
  /** Round trips to a store that is a server: reads that begin while another one is under way are in the same one. */
  readonly rounds: number;
  /** Called before each read, which waits for it. */
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
