/** Who makes a change. Every write of the store names its author, and the change log keeps it as numbers. A write that nobody asked
 *  for, such as maintenance or a delivery, has the author `server`. */
import { randomBytes } from "node:crypto";
import type { AgentNumber } from "./numbers.ts";

/** In the order of their numbers in the store: a new one is added at the end. `session`: of a person in the pages. `program`: it holds
 *  a token of OAuth. `rule`: one that an owner has set, such as forwarding. */
export const authorKinds = ["server", "token", "password", "session", "program", "operator", "rule"] as const;
export type AuthorKind = (typeof authorKinds)[number];

/** Where the request came in, in the order of their numbers in the store: a new one is added at the end. */
export const doors = [
  "house",
  "v1",
  "mcp",
  "imap",
  "submission",
  "dav",
  "operator",
  "command",
  "pages",
] as const;
export type Door = (typeof doors)[number];

export interface Author {
  readonly kind: AuthorKind;
  /** The mailbox owner whose credential was used; 0 for the server and for operators. */
  readonly agent: AgentNumber | 0;
  /** The number of the token, password or session; 0 where there is none, as at the command line. */
  readonly credential: number;
  readonly door: Door;
  /** The request or connection, as the log lines name it; empty where there is none. */
  readonly request: string;
  /** Push subscriptions of the author that are not told of the change, because whoever has them makes it. */
  readonly quietPushes?: QuietPushes | undefined;
}

export type QuietPushes = readonly number[] | "all";

export const server: Author = { kind: "server", agent: 0, credential: 0, door: "house", request: "" };

/** Author and rights: for a write of mail, whose effect only the transaction knows. A message that is moved, copied, replaced or flagged
 *  can be one that waits for approval. */
export interface Actor extends Author {
  /** Whether it decides about what waits in the mailbox that is written to (`mayDecide`). In the own mailbox that is what an agent or a
   *  program has written there (`decides` in `holds.ts`). */
  readonly canApprove: boolean;
}

/** The operator at the command line. */
export const atCommandLine: Author = {
  kind: "operator",
  agent: 0,
  credential: 0,
  door: "command",
  request: "",
};

/** The actor of a write that may change nothing about holds. */
export function withoutApproval(by: Author): Actor {
  return { ...by, canApprove: false };
}

/** For what has no author. */
export const nobody: Actor = withoutApproval(server);

/** Hexadecimal digits of the id of a request or connection: it is stored as a number that JavaScript represents exactly. */
const requestDigits = 13;

/** Digits of some hundred requests, drawn together, because a draw costs as much for one. */
let drawn = "";
let used = 0;
const drawnBytes = 4096;

/** Names a request or a connection in log lines, answers and the change log. */
export function newRequestDigits(): string {
  if (used + requestDigits > drawn.length) {
    drawn = randomBytes(drawnBytes).toString("hex");
    used = 0;
  }
  used += requestDigits;
  return drawn.slice(used - requestDigits, used);
}

const requestIds = new RegExp(`^(?:req_)?([0-9a-f]{${requestDigits}})$`);

/** 0 for text that names no request. */
export function requestNumber(request: string): number {
  const digits = requestIds.exec(request)?.[1];
  return digits === undefined ? 0 : Number.parseInt(digits, 16);
}

/** HTTP requests have the prefix `req_`; connections have none. */
export function requestOf(number: number, door: Door): string {
  if (number === 0) return "";
  const digits = number.toString(16).padStart(requestDigits, "0");
  return door === "imap" || door === "submission" ? digits : `req_${digits}`;
}
