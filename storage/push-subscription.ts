import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";

/** The changes of a collection that are told: of its items, of its properties, or both. */
export type PushTriggers = "content-update" | "property-update" | "content-update property-update";

/** Who is told by Web Push, and of what: of mail that waits, or of changes of a collection. */
export interface PushSubscriptionRow {
  readonly subscription: number;
  readonly agent: AgentNumber;
  /** Of a browser: the session with which it ends. */
  readonly session: number | null;
  /** Of a program: the app password with which it ends. */
  readonly password: number | null;
  /** Of a program: what it follows, and which changes of it are told. */
  readonly collectionAgent: AgentNumber | null;
  readonly collection: CollectionNumber | null;
  readonly triggers: PushTriggers | null;
  readonly endpoint: string;
  /** A point of P-256, uncompressed (RFC 8291 section 3.1). */
  readonly publicKey: Uint8Array;
  readonly authSecret: Uint8Array;
  readonly language: string;
  /** What was told last, in words of whoever tells. */
  readonly told: string;
  readonly expiresAt: number;
  readonly failureCount: number;
  readonly failingSince: number | null;
  readonly nextAttemptAt: number;
}
