/** The principal of a request: a mailbox owner, the credential of the login, and the rights of that credential. */
import { type Actor, type Author, atCommandLine } from "#/src/model/author.ts";
import {
  type GrantedKind,
  type GrantRight,
  grantRights,
  hasRight,
  ofGrantedKinds,
} from "#/src/model/grants.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { type Scope, scopes } from "#/src/model/roles.ts";
import type { AgentRow, PasswordRow } from "#/storage/rows.ts";
import type { OwnerRow } from "./access.ts";
import { formatAddress } from "./address.ts";

export interface Credential {
  /** session: a person in a browser. */
  readonly kind: "token" | "password" | "session" | "operator";
  /** 0 for the operator. */
  readonly number: number;
  /** Only for a token that expires. */
  readonly expiresAt?: number;
}

export interface Principal {
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly kind: "agent" | "person";
  /** The primary address. */
  readonly address: string;
  readonly name: string;
  /** The state at the login. A paused mailbox sends no mail. */
  readonly state: "active" | "paused";
  readonly isBillable: boolean;
  readonly credential: Credential;
  readonly scopes: ReadonlySet<Scope>;
  /** Of what it changes: the credential, and the request or connection that it came with. */
  readonly author: Author;
}

/** Data that a principal reaches. */
export interface Reach {
  readonly agent: AgentNumber;
  readonly kind: "agent" | "person";
  readonly address: string;
  readonly name: string;
  readonly scopes: ReadonlySet<GrantRight>;
  readonly objects: ReachedObjects;
}

/** For each kind: all objects, or those with some numbers. */
export type ReachedObjects = Readonly<Record<GrantedKind, "all" | ReadonlySet<number>>>;
export const allObjects: ReachedObjects = ofGrantedKinds(() => "all");

/** Everything a mail client does with its owner's mail. Approving is for people: no credential of an agent has it. */
const clientScopes: readonly Scope[] = ["mail", "send", "calendar", "contacts", "raw"];
const passwordScopes = { agent: new Set(clientScopes), person: new Set<Scope>([...clientScopes, "approve"]) };

export function principalOf(
  row: OwnerRow,
  credential: Credential,
  tokenScopes?: readonly string[],
): Principal {
  const { kind, number } = credential;
  return {
    author: { kind, agent: row.agent, credential: number, door: "house", request: "" },
    agent: row.agent,
    account: row.account,
    kind: row.kind,
    address: primaryAddress(row),
    name: row.name,
    state: row.state,
    isBillable: row.accountState === "active",
    credential,
    scopes: tokenScopes === undefined ? passwordScopes[row.kind] : new Set(tokenScopes.filter(isScope)),
  };
}

/** The address of a row as text: rows have the local part without quotes. */
export function primaryAddress({ address }: { readonly address: string }): string {
  const at = address.lastIndexOf("@");
  return formatAddress({ localPart: address.slice(0, at), domain: address.slice(at + 1) });
}

/** The principal of an app password. Its scopes, if it has some, bound what a mail client may do. */
export function principalOfPassword(
  row: Parameters<typeof principalOf>[0],
  { password, scopes: own }: Pick<PasswordRow, "password" | "scopes">,
): Principal {
  const credential = { kind: "password", number: password } as const;
  const granted = own?.filter((scope) => isScope(scope) && hasRight(passwordScopes[row.kind], scope));
  return principalOf(row, credential, granted);
}

/** The operator at the command line, who acts for an agent. */
export function operatorPrincipal(row: AgentRow): Principal {
  const all = scopes.filter((scope) => scope !== "approve" || row.kind === "person");
  return { ...principalOf(row, { kind: "operator", number: 0 }, all), author: atCommandLine };
}

/** Whether a credential decides what leaves a mailbox: of an agent's mailbox its mail, of the own one what an agent or a program has written
 *  there in the owner's name. Every door asks it here: mail programs, calendars, `/v1`, pages. In the own mailbox only a person decides, with
 *  a credential that has the scope `approve` itself: an app password without bounds, a session of the pages, a token that was given it. */
export function mayDecide(
  principal: Pick<Principal, "agent" | "kind" | "author" | "scopes">,
  target: AgentNumber,
  reaches: readonly Pick<Reach, "scopes">[] = [],
): boolean {
  if (target !== principal.agent) return reaches.some(({ scopes }) => scopes.has("approve"));
  const { kind, author, scopes } = principal;
  return kind === "person" && author.kind !== "program" && scopes.has("approve");
}

/** Whether an app password may do all that its owner does in a mail program. No other opens the pages or makes another credential, both of
 *  which may do that much. */
export function isUnbounded({ kind, scopes }: Pick<Principal, "kind" | "scopes">): boolean {
  return passwordScopes[kind].isSubsetOf(scopes);
}

/** The actor of a write to a mailbox. */
export function actorOf(
  principal: Principal,
  target: AgentNumber,
  reaches: readonly Pick<Reach, "scopes">[],
): Actor {
  const canApprove = mayDecide(principal, target, reaches);
  return { ...principal.author, agent: principal.agent, canApprove };
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

/** Whether the scopes include a scope, or a wider one that includes it: `mail` includes `mail:read`. */
export const hasScope: (owned: ReadonlySet<GrantRight>, scope: GrantRight) => boolean = hasRight;

/** The scopes that both the credential and the grant allow. `calendar:freebusy` is listed only if no wider calendar scope is. */
export function commonScopes(
  owned: ReadonlySet<Scope>,
  granted: ReadonlySet<GrantRight>,
): ReadonlySet<GrantRight> {
  const common = grantRights.filter((right) => hasRight(owned, right) && hasRight(granted, right));
  const isWider = common.includes("calendar:read");
  return new Set(common.filter((right) => right !== "calendar:freebusy" || !isWider));
}
