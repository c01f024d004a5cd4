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

/** Only a person has sessions and passkeys. */
export async function assertPerson(tx: Transaction, agent: AgentNumber): Promise<void> {
  const row = await tx.get(
    "select agent_id from agent where agent_id = ? and kind = 'person' and state <> 'deleted'",
    agent,
  );
  if (row === undefined) throw new WaypostError("unauthorized", "There is no such person.");
}

export async function insertPageSession(
  tx: Transaction,
  agent: AgentNumber,
  session: NewPageSession,
  at: number,
): Promise<number> {
  const number = await takeCounter(tx, "page_session");
  await tx.run(
    ...insertion("page_session", {
      page_session_id: number,
      agent_id: agent,
      hash: session.hash,
      device: session.device,
      network: session.network,
      proof: session.proof,
      created_at: at,
      seen_at: at,
      ended_at: null,
    }),
  );
  return number;
}

export async function insertPasskey(
  tx: Transaction,
  agent: AgentNumber,
  passkey: NewPasskey,
  at: number,
): Promise<number> {
  const taken = await tx.get("select passkey_id from passkey where credential = ?", passkey.credential);
  if (taken !== undefined) throw new WaypostError("invalid", "This passkey is known already.");
  const number = await takeCounter(tx, "passkey");
  await tx.run(
    ...insertion("passkey", {
      passkey_id: number,
      agent_id: agent,
      credential: passkey.credential,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      transports: JSON.stringify(passkey.transports),
      host: passkey.host,
      name: passkey.name,
      created_at: at,
      used_at: null,
    }),
  );
  return number;
}

export async function countPasskeys(tx: Transaction, agent: AgentNumber): Promise<number> {
  const row = await tx.get<{ count: number }>(
    "select count(*) as count from passkey where agent_id = ?",
    agent,
  );
  return row!.count;
}

export async function spendChallenge(tx: Transaction, { nonce, expiresAt }: SpentChallenge): Promise<void> {
  const spent = await tx.get("select nonce from spent_challenge where nonce = ?", nonce);
  if (spent !== undefined) throw new WaypostError("unauthorized", "This answer was given before.");
  await tx.run(...insertion("spent_challenge", { nonce, expires_at: expiresAt }));
}
