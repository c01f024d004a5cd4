/** Rows of sessions and passkeys, which several writes insert. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { takeCounter } from "../counters.ts";

export interface NewPageSession {
  /** SHA-256 of its token. */
  readonly hash: Uint8Array;
  /** The browser, in words. */
  readonly device: string;
  /** The network from which it began. */
  readonly network: string;
  /** What proved who it is. */
  readonly proof: "invitation" | "password" | "passkey";
}

export interface NewPasskey {
  readonly credential: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly transports: readonly string[];
  /** The host name for which the browser made it. */
  readonly host: string;
  readonly name: string;
}

/** A challenge that was answered. It is never accepted again. */
export interface SpentChallenge {
  readonly nonce: Uint8Array;
  readonly expiresAt: number;
}

export interface PasskeyUse {
  readonly passkey: number;
  /** As the passkey counts its signatures; 0 where it does not count. */
  readonly signCount: number;
  readonly challenge: SpentChallenge;
  readonly at: number;
}

/** Only a person has sessions and passkeys. */
export async function assertPerson(tx: Transaction, agent: AgentNumber): Promise<void> {
  const row = await tx.get(
    "select agent_id from agent where agent_id = ? and kind = 'person' and state <> 'deleted'",
    agent,
  );
  if (row === undefined) throw new WaypostError("unauthorized", "There is no such person.");
}

/** People and operators have tables of their own, so a session or passkey of one is none of the other. */
export const personTables = { session: "page_session", passkey: "passkey", owner: "agent_id" } as const;
export const operatorTables = {
  session: "operator_session",
  passkey: "operator_passkey",
  owner: "operator_token_id",
} as const;
export type SignInTables = typeof personTables | typeof operatorTables;

export function insertPageSession(
  tx: Transaction,
  agent: AgentNumber,
  session: NewPageSession,
  at: number,
): Promise<number> {
  return insertSession(tx, personTables, agent, session, at);
}

export async function insertSession(
  tx: Transaction,
  tables: SignInTables,
  owner: number,
  session: NewPageSession,
  at: number,
): Promise<number> {
  const number = await takeCounter(tx, tables.session);
  const { hash, device, network, proof } = session;
  const row = { hash, device, network, proof, created_at: at, seen_at: at, ended_at: null };
  await tx.run(
    ...(tables.session === "page_session"
      ? insertion("page_session", { page_session_id: number, agent_id: owner, ...row })
      : insertion("operator_session", { operator_session_id: number, operator_token_id: owner, ...row })),
  );
  return number;
}

export async function insertPasskey(
  tx: Transaction,
  tables: SignInTables,
  owner: number,
  passkey: NewPasskey,
  at: number,
): Promise<number> {
  const { passkey: table } = tables;
  const taken = await tx.get(`select name from ${table} where credential = ?`, passkey.credential);
  if (taken !== undefined) throw new WaypostError("invalid", "This passkey is known already.");
  const number = await takeCounter(tx, table);
  const { credential, signCount, transports, host, name } = passkey;
  const row = {
    credential,
    public_key: passkey.publicKey,
    sign_count: signCount,
    transports: JSON.stringify(transports),
    host,
    name,
    created_at: at,
    used_at: null,
  };
  await tx.run(
    ...(tables.passkey === "passkey"
      ? insertion("passkey", { passkey_id: number, agent_id: owner, ...row })
      : insertion("operator_passkey", { operator_passkey_id: number, operator_token_id: owner, ...row })),
  );
  return number;
}

export async function countPasskeys(
  tx: Transaction,
  { passkey: table, owner: column }: SignInTables,
  owner: number,
): Promise<number> {
  const row = await tx.get<{ count: number }>(
    `select count(*) as count from ${table} where ${column} = ?`,
    owner,
  );
  return row!.count;
}

/** Notes the use of a passkey, and answers whose it is. Throws `unauthorized` for an answer that was given before, and for a passkey whose
 *  count went back: a copy of it has been used. */
export async function notePasskeyUse(
  tx: Transaction,
  { passkey: table, owner: column }: SignInTables,
  { passkey, signCount, challenge, at }: PasskeyUse,
): Promise<number> {
  const row = await tx.get<{ owner: number; signCount: number }>(
    `select ${column} as owner, sign_count as "signCount" from ${table} where ${table}_id = ?`,
    passkey,
  );
  if (row === undefined) throw new WaypostError("unauthorized", "There is no such passkey.");
  if (row.signCount > 0 && signCount <= row.signCount)
    throw new WaypostError("unauthorized", "The passkey's count of signatures went back.");
  await spendChallenge(tx, challenge);
  await tx.run(
    `update ${table} set sign_count = ?, used_at = ? where ${table}_id = ?`,
    signCount,
    at,
    passkey,
  );
  return row.owner;
}

/** Removes one of several passkeys. The last one stays, so that nobody loses the way in by a mistake. */
export async function deletePasskey(
  tx: Transaction,
  tables: SignInTables,
  owner: number,
  passkey: number,
): Promise<void> {
  const { passkey: table, owner: column } = tables;
  if ((await countPasskeys(tx, tables, owner)) < 2)
    throw new WaypostError("policy_refused", "The only passkey can't be removed.", {
      hint: "Make another one first.",
    });
  const removed = await tx.run(
    `delete from ${table} where ${table}_id = ? and ${column} = ?`,
    passkey,
    owner,
  );
  if (removed === 0) throw new WaypostError("not_found", "There is no such passkey.");
}

export interface WhichSessions {
  /** Only this one; absent: all of the owner. */
  readonly session?: number | undefined;
  /** All but this one. */
  readonly except?: number | undefined;
  readonly at: number;
}

/** Ends sessions of one owner. A session of somebody else, or one that has ended, stays as it is. */
export async function endSessions(
  tx: Transaction,
  { session: table, owner: column }: SignInTables,
  owner: number,
  { session = 0, except = 0, at }: WhichSessions,
): Promise<{ ended: number }> {
  const ended = await tx.run(
    `update ${table}
    set ended_at = ?
    where ${column} = ? and ended_at is null and (? = 0 or ${table}_id = ?) and ${table}_id <> ?`,
    at,
    owner,
    session,
    session,
    except,
  );
  if (table === "page_session") await deletePushSubscriptions(tx, owner, "page_session_id", session, except);
  return { ended };
}

/** Whom a session or an app password has had told is told no more. 0 as `only`: all that end with one of this kind. */
export async function deletePushSubscriptions(
  tx: Transaction,
  agent: number,
  column: "page_session_id" | "password_id",
  only: number,
  except = 0,
): Promise<void> {
  await tx.run(
    `delete from push_subscription
    where agent_id = ? and ${column} is not null and (? = 0 or ${column} = ?) and ${column} <> ?`,
    agent,
    only,
    only,
    except,
  );
}

/** Keeps when a session was used last. */
export async function touchSession(
  tx: Transaction,
  { session: table }: SignInTables,
  session: number,
  at: number,
): Promise<void> {
  await tx.run(
    `update ${table} set seen_at = ? where ${table}_id = ? and ended_at is null and seen_at < ?`,
    at,
    session,
    at,
  );
}

export async function spendChallenge(tx: Transaction, { nonce, expiresAt }: SpentChallenge): Promise<void> {
  const spent = await tx.get("select nonce from spent_challenge where nonce = ?", nonce);
  if (spent !== undefined) throw new WaypostError("unauthorized", "This answer was given before.");
  await tx.run(...insertion("spent_challenge", { nonce, expires_at: expiresAt }));
}
