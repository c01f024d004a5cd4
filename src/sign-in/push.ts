import type { PushSubscriptionRow } from "#/storage/push-subscription.ts";

/** One push that is due. */
export interface Push {
  readonly subscription: PushSubscriptionRow;
  /** For a browser JSON: how many mails wait, and its language. */
  readonly text: string;
  readonly type: string;
  readonly urgency: "normal" | "high";
  /** A later one takes the place of one with the same topic that was not delivered yet (RFC 8030 section 5.4). */
  readonly topic: string;
  /** What the receiver knows once it has it; undefined: there will be nothing more to tell. */
  readonly told: string | undefined;
  /** The least time until the next one. */
  readonly pauseMs: number;
}

export interface DuePushes {
  readonly pushes: readonly Push[];
  /** When to look again, if nothing is heard before. */
  readonly nextAt: number;
}
