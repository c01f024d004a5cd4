/** The lists of the operator's pages, each declared once: the operation that answers it, the columns that are shown, and what can be done
 *  with a row. Names are in the catalogue of messages, below the same keys. */
import type { Words } from "../words/words.ts";
import type { Row } from "./operate.ts";

/** moment: a time of ISO 8601. state: a word with a shape. */
export type CellKind = "text" | "moment" | "size" | "count" | "state" | "code";

type W = Words["operator"];
export type ColumnName = keyof W["columns"];
export type ActName = keyof W["acts"];
export type TableName = keyof W["tables"];

export interface Act {
  readonly operation: ActName;
  /** The field of the operation, and the member of the row that goes into it. */
  readonly field: string;
  readonly from: string;
  /** It can't be undone, so it asks for a passkey (`asked-anew.ts`). */
  readonly isFinal?: boolean;
  readonly isFor?: (row: Row) => boolean;
}

export interface Table {
  readonly operation: string;
  /** The member of the answer that has the rows. */
  readonly list: string;
  /** The first one names the row. */
  readonly columns: readonly (readonly [ColumnName, CellKind?])[];
  readonly acts?: readonly Act[];
  /** Another page about a row. */
  readonly leads?: { readonly to: (row: Row) => string; readonly label: keyof W["links"] };
}

const number = { field: "number", from: "number" } as const;
const named = { field: "name", from: "name" } as const;
const isLive = ({ revokedAt }: Row): boolean => revokedAt == null;
const revoke = (operation: ActName): Act => ({ operation, ...number, isFinal: true, isFor: isLive });

function owners(kind: "person" | "agent"): readonly Act[] {
  const owner = { field: "owner", from: "id" } as const;
  return [
    { operation: `${kind}.pause`, ...owner, isFor: ({ state }) => state === "active" },
    { operation: `${kind}.resume`, ...owner, isFor: ({ state }) => state !== "active" },
    { operation: `${kind}.delete`, ...owner, isFinal: true },
  ];
}

const access = {
  to: ({ address }: Row) => `/operator/access?owner=${encodeURIComponent(String(address))}`,
  label: "access",
} as const;

export const tables: Readonly<Record<TableName, Table>> = {
  accounts: {
    operation: "account.list",
    list: "accounts",
    columns: [["name"], ["state", "state"], ["createdAt", "moment"]],
    acts: [
      { operation: "account.suspend", ...named, isFor: ({ state }) => state === "active" },
      { operation: "account.resume", ...named, isFor: ({ state }) => state !== "active" },
    ],
  },
  people: {
    operation: "person.list",
    list: "people",
    columns: [
      ["address"],
      ["name"],
      ["state", "state"],
      ["messages", "count"],
      ["bytes", "size"],
      ["quotaBytes", "size"],
    ],
    acts: owners("person"),
    leads: access,
  },
  agents: {
    operation: "agent.list",
    list: "agents",
    columns: [
      ["address"],
      ["state", "state"],
      ["holdPolicy", "code"],
      ["approver"],
      ["messages", "count"],
      ["bytes", "size"],
      ["quotaBytes", "size"],
    ],
    acts: owners("agent"),
    leads: access,
  },
  tokens: {
    operation: "token.list",
    list: "tokens",
    columns: [
      ["name"],
      ["scopes"],
      ["createdAt", "moment"],
      ["expiresAt", "moment"],
      ["revokedAt", "moment"],
    ],
    acts: [revoke("token.revoke")],
  },
  passwords: {
    operation: "password.list",
    list: "passwords",
    columns: [["name"], ["createdAt", "moment"], ["revokedAt", "moment"]],
    acts: [revoke("password.revoke")],
  },
  grants: {
    operation: "grant.list",
    list: "grants",
    columns: [["target"], ["scopes"], ["mailboxes"], ["expiresAt", "moment"], ["revokedAt", "moment"]],
    acts: [revoke("grant.revoke")],
  },
  audit: {
    operation: "audit.list",
    list: "calls",
    columns: [["at", "moment"], ["by"], ["operation", "code"], ["outcome", "state"]],
  },
  changes: {
    operation: "log.access",
    list: "changes",
    columns: [["at", "moment"], ["change"], ["owner"], ["holder"], ["object", "code"], ["by"]],
  },
  webhooks: {
    operation: "webhook.list",
    list: "webhooks",
    columns: [
      ["url", "code"],
      ["owner"],
      ["state", "state"],
      ["failures", "count"],
      ["failingSince", "moment"],
      ["nextAttemptAt", "moment"],
    ],
    acts: [
      { operation: "webhook.test", ...number },
      { operation: "webhook.resume", ...number, isFor: ({ state }) => state !== "active" },
    ],
    leads: { to: (row) => `/operator/webhooks?number=${String(row.number)}`, label: "history" },
  },
  attempts: {
    operation: "webhook.history",
    list: "attempts",
    columns: [["at", "moment"], ["status", "code"], ["error"], ["events", "count"], ["message", "code"]],
    acts: [{ operation: "webhook.resend", field: "message", from: "message" }],
  },
  jobs: {
    operation: "job.list",
    list: "jobs",
    columns: [
      ["operation", "code"],
      ["state", "state"],
      ["startedAt", "moment"],
      ["endedAt", "moment"],
    ],
    acts: [
      { operation: "job.cancel", field: "number", from: "job", isFor: ({ state }) => state === "running" },
    ],
  },
  suppressions: {
    operation: "suppression.list",
    list: "suppressions",
    columns: [["address"], ["reason"], ["createdAt", "moment"]],
  },
  dmarc: {
    operation: "domain.reports",
    list: "reports",
    columns: [
      ["reporter"],
      ["beginsAt", "moment"],
      ["endsAt", "moment"],
      ["passed", "count"],
      ["failed", "count"],
    ],
  },
  tls: {
    operation: "domain.reports",
    list: "reports",
    columns: [
      ["reporter"],
      ["beginsAt", "moment"],
      ["endsAt", "moment"],
      ["passed", "count"],
      ["failed", "count"],
    ],
  },
};

/** What a domain can be asked for. */
export const domainActs: readonly Act[] = [
  { operation: "domain.rotate-keys", ...named },
  { operation: "domain.delete", ...named, isFinal: true },
];

/** What rows and domains can be asked for by a form. Nothing else can. */
export const rowActs: readonly Act[] = [
  ...Object.values(tables).flatMap(({ acts = [] }) => acts),
  ...domainActs,
];
