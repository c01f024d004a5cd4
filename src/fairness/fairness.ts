/** The gates of one process: one for each row of the table, whoever asks for it. */
import type { Owner } from "#/src/model/owner.ts";
import { Gate } from "./gate.ts";
import { createRefusals, type RefusalCount, type RefusalLine, type RefusalReason } from "./refusals.ts";
import { type Share, type ShareName, shares } from "./shares.ts";

/** What the row does not say as numbers. */
export interface Amounts {
  readonly total?: number;
  readonly share?: number;
  readonly mailboxShare?: number;
  readonly accountShare?: number;
  /** Of who tells the gate of a place only when it has been in use for as long as the row says. */
  readonly idleMs?: number;
}

/** For the rows of threads: one owner leaves a thread to the others where there are several. */
export function jobsOf(threads: number): Amounts {
  return { total: threads, share: Math.max(1, threads - 1) };
}

export interface ShareUsage {
  readonly share: ShareName;
  readonly taken: number;
  readonly waiting: number;
}

export interface Fairness {
  /** The first that asks says the numbers that the row leaves open. */
  gate(name: ShareName, amounts?: Amounts): Gate;
  /** A refusal for a share that no gate sees. */
  note(name: ShareName, owner: Owner, reason: RefusalReason): void;
  /** How much of each share is in use, and how many wait for it; of those that were asked for. */
  usage(): readonly ShareUsage[];
  /** What was refused since the start. */
  refused(): readonly RefusalCount[];
}

/** `write`: told once a minute of each share and owner that is refused. */
export function createFairness(write: (line: RefusalLine) => void = () => {}): Fairness {
  const gates = new Map<ShareName, Gate>();
  const refusals = createRefusals(write);

  function note(name: ShareName, owner: Owner, reason: RefusalReason): void {
    refusals.note(name, shares[name].what, owner, reason);
  }

  function open(name: ShareName, amounts: Amounts): Gate {
    const row: Share = shares[name];
    const amountOf = (key: Exclude<keyof Amounts, "idleMs">): number | undefined => {
      const amount = amounts[key] ?? row[key];
      if (typeof amount === "string") throw new TypeError(`${name} is opened without its ${key}`);
      return amount;
    };
    const { what, spare, waiting } = row;
    const total = amountOf("total")!;
    return new Gate({
      what,
      total,
      share: amountOf("share")!,
      mailboxShare: amountOf("mailboxShare"),
      accountShare: amountOf("accountShare"),
      spare,
      waiting,
      idleMs: amounts.idleMs ?? row.idleMs,
      note: (owner, reason) => note(name, owner, reason),
    });
  }

  return {
    gate(name, amounts = {}) {
      const gate = gates.get(name) ?? open(name, amounts);
      gates.set(name, gate);
      return gate;
    },
    note,
    usage: () => [...gates].map(([share, { taken, waiting }]) => ({ share, taken, waiting })),
    refused: refusals.counts,
  };
}
