/** The gates of one process: one for each row of the table, shared by all callers. */
import type { Owner } from "#/src/model/owner.ts";
import { Gate, type Holder } from "./gate.ts";
import { createRefusals, type RefusalCount, type RefusalLine, type RefusalReason } from "./refusals.ts";
import { type Share, type ShareName, shares } from "./shares.ts";

/** Numbers that the row does not have itself. */
export interface Amounts {
  readonly total?: number;
  readonly share?: number;
  readonly mailboxShare?: number;
  readonly accountShare?: number;
  /** For callers that let a place give way only after it was idle for the row's `idleMs`. */
  readonly idleMs?: number;
}

export interface ShareUsage {
  readonly share: ShareName;
  readonly taken: number;
  readonly waiting: number;
}

export interface Fairness {
  /** The first caller gives the numbers that the row leaves open. */
  gate(name: ShareName, amounts?: Amounts): Gate;
  /** Records a refusal for a share that has no gate. */
  note(name: ShareName, owner: Owner, reason: RefusalReason): void;
  /** The amount in use and the number of waiting callers, for each gate that exists. */
  usage(): readonly ShareUsage[];
  /** Who uses the resource of a gate, and how much of it. */
  holders(name: ShareName): readonly Holder[];
  /** The refusals since the start. */
  refused(): readonly RefusalCount[];
}

/** `write` is called once a minute for each share and owner with refusals. */
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
    holders: (name) => gates.get(name)?.holders() ?? [],
    refused: refusals.counts,
  };
}
