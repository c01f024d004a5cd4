/** Three daemons on one PostgreSQL with `fsync` on, in a temporary folder. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ObjectPlace } from "#/storage/objects/objects.ts";
import { openStore } from "#/storage/open-store.ts";
import type { Store } from "#/storage/store.ts";
import { type PostgresServer, startPostgres } from "../postgres/postgres-server.ts";
import { type ChildDaemon, type DaemonOptions, startChildDaemon } from "../support/daemon.ts";

export interface SharedStore {
  readonly server: PostgresServer;
  readonly daemons: readonly ChildDaemon[];
  /** Daemons that are not being killed now. */
  readonly alive: Set<ChildDaemon>;
  /** A store that the suite opens itself, only to read. */
  readonly store: Store;
  /** A random daemon of `alive`. */
  anyDaemon(): ChildDaemon;
  /** Stops the daemons, checks the store and stops the server. Returns the faults of the store. */
  end(): Promise<string[]>;
}

/** Undefined when there is no PostgreSQL. */
export async function startSharedStore(
  options: DaemonOptions,
  objects?: ObjectPlace,
): Promise<SharedStore | undefined> {
  const server = await startPostgres({ isDurable: true });
  if (server === undefined) return undefined;
  const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-shared-store-"));
  const daemons: ChildDaemon[] = [];
  for (const name of ["one", "two", "three"])
    daemons.push(
      await startChildDaemon({
        ...options,
        data: path.join(base, name),
        set: [...(options.set ?? []), `storage.url=${server.url}`],
      }),
    );
  const alive = new Set(daemons);
  const store = await openStore({
    folder: path.join(base, "onlooker"),
    database: { url: server.url },
    objects,
    isOnlooker: true,
  });
  return {
    server,
    daemons,
    alive,
    store,
    anyDaemon: () => [...alive][Math.floor(Math.random() * alive.size)]!,
    async end() {
      for (const daemon of daemons) await daemon.stop();
      const faults = await store.check();
      await store.close();
      await server.stop();
      fs.rmSync(base, { recursive: true });
      return faults;
    },
  };
}
