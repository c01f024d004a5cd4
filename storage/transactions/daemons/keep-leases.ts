import { insertion } from "../../schema/insertion.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Transaction } from "../../sql.ts";

/** A daemon as another one has seen it. */
export interface SeenDaemon {
  readonly daemon: string;
  /** Changes with each heartbeat. */
  readonly beat: number;
}

export interface KeepLeases extends SeenDaemon {
  /** Leases that it takes when no daemon has them. */
  readonly wants: readonly string[];
  /** Daemons that are considered dead, with the beat that was seen: if it is still the same, their leases and claims are deleted. */
  readonly gone: readonly SeenDaemon[];
}

export interface KeptLeases {
  /** The daemon had no row: this is its first heartbeat, or the others have considered it dead. */
  readonly isNew: boolean;
  readonly held: readonly string[];
  readonly daemons: readonly SeenDaemon[];
}

/** The heartbeat of a daemon, which keeps its leases and claims and takes free leases. Clocks of different machines are never
 *  compared. */
export async function keepLeases(tx: Transaction, args: KeepLeases): Promise<KeptLeases> {
  for (const { daemon, beat } of args.gone)
    if ((await tx.run("delete from daemon where daemon = ? and beat = ?", daemon, beat)) > 0)
      await freeAll(tx, daemon);
  const { daemon, beat } = args;
  const isNew = (await tx.run("update daemon set beat = ? where daemon = ?", beat, daemon)) === 0;
  if (isNew) await tx.run(...insertion("daemon", { daemon, beat }));
  for (const name of args.wants)
    await tx.run(...insertion("lease", { name, daemon }, "on conflict do nothing"));
  return {
    isNew,
    held: await tx.column<string>("select name from lease where daemon = ? order by name", daemon),
    daemons: await tx.all<SeenDaemon>(`select ${selectList<SeenDaemon, "daemon">({
      daemon: "daemon.daemon",
      beat: "daemon.beat",
    })}
      from daemon order by daemon`),
  };
}

/** Deletes the rows of a daemon that has ended. */
export async function freeAll(tx: Transaction, daemon: string): Promise<void> {
  await tx.run("delete from lease where daemon = ?", daemon);
  await tx.run("delete from delivery_claim where daemon = ?", daemon);
}
