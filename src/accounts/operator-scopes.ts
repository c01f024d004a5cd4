/** What an operator token may do. Each operation of the operator belongs to one kind. A scope of that name lets its holder call all of them,
 *  and with `:read` those that change nothing. `write` and `read` are the same for every kind. */

export const operatorKinds = {
  accounts: "accounts, agents and people, and what they may send",
  access: "tokens, app passwords and grants",
  domains: "mail domains, their keys and records",
  mail: "mail that waits or is on its way out",
  webhooks: "webhooks",
  records: "the audit log, the change logs, and the way of one mail",
  server: "status, check and backup",
  transfers: "imports and exports of everything of an owner",
} as const satisfies Record<string, string>;
export type OperatorKind = keyof typeof operatorKinds;

const kinds = Object.keys(operatorKinds) as OperatorKind[];

export type OperatorScope = "read" | "write" | OperatorKind | `${OperatorKind}:read`;
export const operatorScopes: readonly OperatorScope[] = [
  "read",
  "write",
  ...kinds.flatMap((kind) => [kind, `${kind}:read`] as const),
];

/** What an operation needs. `any`: every token may call it, and it shows a token only what belongs to that token. */
export interface OperatorNeed {
  readonly kind: OperatorKind | "any";
  readonly access: "read" | "write";
}

/** The narrowest scope that lets its holder call the operation. */
export function scopeOf({ kind, access }: OperatorNeed): string {
  if (kind === "any") return "any";
  return access === "read" ? `${kind}:read` : kind;
}

export function allowsOperation(scopes: readonly string[], need: OperatorNeed): boolean {
  const { kind, access } = need;
  return (
    kind === "any" ||
    scopes.includes("write") ||
    scopes.includes(kind) ||
    (access === "read" && (scopes.includes("read") || scopes.includes(`${kind}:read`)))
  );
}
