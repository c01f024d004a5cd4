/** Tokens, app passwords and grants. Expiry and revocation are the reader's to look at: rows are answered as they are. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { GrantRow, PasswordRow, TokenRow } from "../rows.ts";
import type { Reader } from "../sql.ts";

type Stored<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

const selectToken = `
  select token_id as token, agent_id as agent, name, scopes, created_at as "createdAt", expires_at as "expiresAt",
    revoked_at as "revokedAt"
  from token`;

/** By the SHA-256 of the token. */
export async function findToken(reader: Reader, hash: Uint8Array): Promise<TokenRow | undefined> {
  const row = await reader.get<Stored<TokenRow, "scopes">>(`${selectToken} where hash = ?`, hash);
  return row && tokenOf(row);
}

export async function findTokenByNumber(reader: Reader, token: number): Promise<TokenRow | undefined> {
  const row = await reader.get<Stored<TokenRow, "scopes">>(`${selectToken} where token_id = ?`, token);
  return row && tokenOf(row);
}

export async function listTokens(reader: Reader, agent: AgentNumber): Promise<TokenRow[]> {
  const rows = await reader.all<Stored<TokenRow, "scopes">>(
    `${selectToken} where agent_id = ? order by token_id`,
    agent,
  );
  return rows.map(tokenOf);
}

function tokenOf(row: Stored<TokenRow, "scopes">): TokenRow {
  return { ...row, scopes: JSON.parse(row.scopes) as string[] };
}

const selectPassword = `
  select password_id as password, agent_id as agent, name, stored_key as "storedKey", server_key as "serverKey",
    created_at as "createdAt", revoked_at as "revokedAt"
  from app_password`;

export function findPassword(reader: Reader, password: number): Promise<PasswordRow | undefined> {
  return reader.get(`${selectPassword} where password_id = ?`, password);
}

export function listPasswords(reader: Reader, agent: AgentNumber): Promise<PasswordRow[]> {
  return reader.all(`${selectPassword} where agent_id = ? order by password_id`, agent);
}

const selectGrant = `
  select grant_id as "grant", agent_id as agent, target_agent_id as "targetAgent", scopes, mailboxes,
    created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"
  from agent_grant`;

type StoredGrant = Omit<GrantRow, "scopes" | "mailboxes"> & { scopes: string; mailboxes: string | null };

/** What an agent may reach of others. */
export async function listGrants(reader: Reader, agent: AgentNumber): Promise<GrantRow[]> {
  const rows = await reader.all<StoredGrant>(`${selectGrant} where agent_id = ? order by grant_id`, agent);
  return rows.map(grantOf);
}

/** Who may reach an agent's data. */
export async function listGrantsOn(reader: Reader, targetAgent: AgentNumber): Promise<GrantRow[]> {
  const rows = await reader.all<StoredGrant>(
    `${selectGrant} where target_agent_id = ? order by grant_id`,
    targetAgent,
  );
  return rows.map(grantOf);
}

function grantOf(row: StoredGrant): GrantRow {
  return {
    ...row,
    scopes: JSON.parse(row.scopes) as string[],
    mailboxes: row.mailboxes === null ? null : (JSON.parse(row.mailboxes) as string[]),
  };
}
