import type { Transaction } from "../../sql.ts";

/** A daemon as another one has seen it. */
export interface SeenDaemon {
  readonly daemon: string;
  /** Changes with each sign of life. */
  readonly beat: number;
}

export interface KeepLeases extends SeenDaemon {
  /** Leases that it takes where nobody has them. */
  readonly wants: readonly string[];
  /** Daemons whose beat has not changed for so long that they are dead: what they had becomes free, if the beat is still the same. */
  readonly gone: readonly SeenDaemon[];
}

export interface KeptLeases {
  /** It was not known: this is its first sign of life, or the others have taken it for dead. */
  readonly isNew: boolean;
  readonly held: readonly string[];
  readonly daemons: readonly SeenDaemon[];
}

/** A sign of life of a daemon, by which it keeps its leases and its claims, and takes what is free. No clock of one machine is compared with
 *  that of another. */
export async function keepLeases(tx: Transaction, args: KeepLeases): Promise<KeptLeases> {
  for (const { daemon, beat } of args.gone)
    if ((await tx.run("delete from daemon where daemon = ? and beat = ?", daemon, beat)) > 0)
      await freeAll(tx, daemon);
  const { daemon, beat } = args;
  const isNew = (await tx.run("update daemon set beat = ? where daemon = ?", beat, daemon)) === 0;
  if (isNew) await tx.run("insert into daemon (daemon, beat) values (?, ?)", daemon, beat);
  for (const name of args.wants)
    await tx.run("insert into lease (name, daemon) values (?, ?) on conflict do nothing", name, daemon);
  return {
    isNew,
    held: await tx.column<string>("select name from lease where daemon = ? order by name", daemon),
    daemons: await tx.all<SeenDaemon>("select daemon, beat from daemon order by daemon"),
  };
}

/** What a daemon has that is not there any more. */
export async function freeAll(tx: Transaction, daemon: string): Promise<void> {
  await tx.run("delete from lease where daemon = ?", daemon);
  await tx.run("delete from delivery_claim where daemon = ?", daemon);
}
