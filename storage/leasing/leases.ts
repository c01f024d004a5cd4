/** Leases: which of several daemons on one store does which work. A file has one daemon, which has all leases; on PostgreSQL `LeaseKeeper`
 *  keeps them. */

/** Work that one daemon does for all. */
export const leaseNames = [
  "holds",
  "webhooks",
  "maintenance",
  "calendar mail",
  "reports",
  "certificates",
] as const;
export type LeaseName = (typeof leaseNames)[number];

export interface Leases {
  /** The name of this daemon, which is new at each start. */
  readonly daemon: string;
  /** False: there is no other daemon on this store. */
  readonly isShared: boolean;
  /** Changes when the others may have considered this daemon dead: they may have its leases now. */
  readonly term: number;
  /** Whether no other daemon can have considered this one dead. */
  isAlive(): boolean;
  isHeld(name: LeaseName): boolean;
  /** `listener` is called when leases were won or lost, and when another daemon has ended. Answers a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

export interface LeaseTimes {
  /** Between two heartbeats. */
  readonly lookMs: number;
  /** A daemon that has not read the database for so long starts its observation anew. */
  readonly gapMs: number;
  readonly trustMs: number;
  /** More than `trustMs`. Others take over after this time and two heartbeats. */
  readonly deadMs: number;
  /** The clock by which it is measured, in milliseconds. */
  readonly now: () => number;
}

const nobodyElse: Leases = {
  daemon: "",
  isShared: false,
  term: 0,
  isAlive: () => true,
  isHeld: () => true,
  onChange: () => () => {},
};

export function soleDaemon(): Leases {
  return nobodyElse;
}

/** The leases of a process that reads and writes beside the daemons, and takes over none of their work. */
export function onlooker(): Leases {
  return { ...nobodyElse, isShared: true, isAlive: () => false, isHeld: () => false };
}
