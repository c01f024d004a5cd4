/** What several daemons on one store share out. A file has one daemon, which has everything; on PostgreSQL `LeaseKeeper` keeps this. */

/** What one daemon does for all of them. */
export const leaseNames = ["holds", "webhooks", "maintenance", "calendar mail", "reports"] as const;
export type LeaseName = (typeof leaseNames)[number];

export interface Leases {
  /** The name of this daemon, another one for each start. */
  readonly daemon: string;
  /** False: there is no other daemon on this store. */
  readonly isShared: boolean;
  /** Changes when the others have taken this daemon for dead: what it had may be theirs now. */
  readonly term: number;
  /** Whether no other daemon can have taken this one for dead. */
  isAlive(): boolean;
  isHeld(name: LeaseName): boolean;
  /** Called when leases were won or lost, and when another daemon has ended. Answers how to stop listening. */
  onChange(listener: () => void): () => void;
}

export interface LeaseTimes {
  /** Between two signs of life. */
  readonly lookMs: number;
  /** Who did not look for so long has seen nothing. */
  readonly gapMs: number;
  readonly trustMs: number;
  /** More than `trustMs`. With two looks it is the time in which others take over. */
  readonly deadMs: number;
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

/** For who reads and writes beside the daemons, and takes over nothing of their work. */
export function onlooker(): Leases {
  return { ...nobodyElse, isShared: true, isAlive: () => false, isHeld: () => false };
}
