/** Sessions, passkeys and invitations of people. The caller has to check whether a session has expired. */

import type { AgentNumber } from "#/src/model/numbers.ts";
import type { PageSessionRow, PageSettingsRow, PasskeyRow, UsedInvitationRow } from "../../rows.ts";
import { expression, selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

const selectSession = `
  select ${selectList<PageSessionRow, "page_session">({
    session: "page_session.page_session_id",
    agent: "page_session.agent_id",
    device: "page_session.device",
    network: "page_session.network",
    proof: "page_session.proof",
    createdAt: "page_session.created_at",
    seenAt: "page_session.seen_at",
    endedAt: "page_session.ended_at",
  })}
  from page_session`;

/** By the SHA-256 of its token. */
export function findPageSession(reader: Reader, hash: Uint8Array): Promise<PageSessionRow | undefined> {
  return reader.get(`${selectSession} where hash = ?`, hash);
}

export function findPageSessionByNumber(
  reader: Reader,
  session: number,
): Promise<PageSessionRow | undefined> {
  return reader.get(`${selectSession} where page_session_id = ?`, session);
}

/** The newest first, also those that have ended. */
export function listPageSessions(reader: Reader, agent: AgentNumber): Promise<PageSessionRow[]> {
  return reader.all(`${selectSession} where agent_id = ? order by page_session_id desc`, agent);
}

const selectPasskey = `
  select ${selectList<StoredPasskey, "passkey">({
    passkey: "passkey.passkey_id",
    agent: "passkey.agent_id",
    credential: "passkey.credential",
    publicKey: "passkey.public_key",
    signCount: "passkey.sign_count",
    transports: "passkey.transports",
    host: "passkey.host",
    name: "passkey.name",
    createdAt: "passkey.created_at",
    usedAt: "passkey.used_at",
  })}
  from passkey`;

type StoredPasskey = Omit<PasskeyRow, "transports"> & { readonly transports: string };

function passkeyOf(row: StoredPasskey): PasskeyRow {
  return { ...row, transports: JSON.parse(row.transports) as string[] };
}

export async function findPasskey(reader: Reader, credential: Uint8Array): Promise<PasskeyRow | undefined> {
  const row = await reader.get<StoredPasskey>(`${selectPasskey} where credential = ?`, credential);
  return row && passkeyOf(row);
}

export async function listPasskeys(reader: Reader, agent: AgentNumber): Promise<PasskeyRow[]> {
  const rows = await reader.all<StoredPasskey>(
    `${selectPasskey} where agent_id = ? order by passkey_id`,
    agent,
  );
  return rows.map(passkeyOf);
}

/** How many passkeys of people and operators were made for another host name. */
export async function countPasskeysOfOtherHosts(reader: Reader, host: string): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `select count(*) as count
    from (
      select host from passkey
      union all
      select host from operator_passkey) as made
    where host <> ?`,
    host,
  );
  return row!.count;
}

/** Whom an invitation is for that can be used. */
export async function findInvited(
  reader: Reader,
  hash: Uint8Array,
  now: number,
): Promise<AgentNumber | undefined> {
  const row = await reader.get<{ agent: AgentNumber }>(
    "select agent_id as agent from invitation where hash = ? and used_at is null and expires_at > ?",
    hash,
    now,
  );
  return row?.agent;
}

/** Invitations that were used since a time by somebody who had a passkey, the newest first. */
export function listUsedInvitations(
  reader: Reader,
  agent: AgentNumber,
  since: number,
): Promise<UsedInvitationRow[]> {
  return reader.all(
    `select ${selectList<UsedInvitationRow, "invitation">({
      usedAt: expression("used_at"),
      device: expression("device"),
    })}
    from invitation
    where agent_id = ? and used_at >= ? and had_passkey = 1
    order by used_at desc`,
    agent,
    since,
  );
}

/** Of a person who has chosen nothing. */
export const defaultPageSettings: PageSettingsRow = { approvesWith: "proof", timeZone: null };

export function findPageSettings(reader: Reader, agent: AgentNumber): Promise<PageSettingsRow | undefined> {
  return reader.get(
    `select ${selectList<PageSettingsRow, "page_settings">({
      approvesWith: "page_settings.approves_with",
      timeZone: "page_settings.time_zone",
    })}
    from page_settings where agent_id = ?`,
    agent,
  );
}
