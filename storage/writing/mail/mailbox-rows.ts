/** Rows of `mailbox` and `subscription`. */
import { WaypostError } from "#/src/model/errors.ts";
import { folderProperties, type StoredOfFolder } from "#/src/model/folder-properties.ts";
import { mailboxesMax } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { hierarchyDelimiter, holdsName, isHoldRole, type MailboxRole } from "#/src/model/roles.ts";
import { childNameRange } from "../../mailbox-name.ts";
import { insertion } from "../../schema/insertion.ts";
import { paddedList, placesFor, type Sql } from "../../sql.ts";
import type { MailWrite } from "./mail-write.ts";

export async function insertMailbox(
  mail: MailWrite,
  row: {
    mailbox: MailboxNumber;
    name: string;
    role: MailboxRole | null;
    properties?: Partial<StoredOfFolder> | undefined;
  },
): Promise<{ uidValidity: number }> {
  const write = mail.transaction;
  const uidValidity = await mail.takeUidValidity();
  await write.tx.run(
    ...insertion("mailbox", {
      agent_id: write.agent,
      mailbox_id: row.mailbox,
      name: row.name,
      role: row.role,
      uid_validity: uidValidity,
      uid_next: 1,
      modseq: write.modseq,
      message_count: 0,
      unseen_count: 0,
      deleted_count: 0,
      byte_count: 0,
      version: write.modseq,
      recent_uid: 0,
      ...folderProperties.newColumns(row.properties ?? {}),
    }),
  );
  mail.mailboxChanged("add", row.mailbox);
  return { uidValidity };
}

/** Frees a name for a mailbox of the server, by renaming an older mailbox that has it. */
export async function freeName(mail: MailWrite, name: string): Promise<void> {
  const write = mail.transaction;
  const holder = await write.tx.get<{ mailbox: MailboxNumber }>(
    "select mailbox_id as mailbox from mailbox where agent_id = ? and name = ?",
    write.agent,
    name,
  );
  if (holder === undefined) return;
  await write.tx.run(
    "update mailbox set name = ? where agent_id = ? and mailbox_id = ?",
    `${name} (${holder.mailbox})`,
    write.agent,
    holder.mailbox,
  );
  mail.mailboxChanged("update", holder.mailbox);
}

/** Sets properties of a mailbox, which changes its version. */
export async function setProperties(
  mail: MailWrite,
  mailbox: MailboxNumber,
  properties: Partial<StoredOfFolder>,
): Promise<void> {
  const { tx, agent, modseq } = mail.transaction;
  const changed = folderProperties.inColumns(properties);
  if (changed.length === 0) return;
  await tx.run(
    `update mailbox
    set ${changed.map(([column]) => `${column} = ?, `).join("")}version = ?
    where agent_id = ? and mailbox_id = ?`,
    ...changed.map(([, value]) => value),
    modseq,
    agent,
    mailbox,
  );
  mail.mailboxChanged("update", mailbox);
}

/** Refuses when `more` mailboxes would be too many. */
export async function assertMailboxRoom(tx: Sql, agent: AgentNumber, more: number): Promise<void> {
  const { count } = (await tx.get<{ count: number }>(
    "select count(*) as count from mailbox where agent_id = ?",
    agent,
  ))!;
  if (count + more > mailboxesMax)
    throw new WaypostError("policy_refused", `There are at most ${mailboxesMax} mailboxes`, {
      reason: "limit_reached",
    });
}

/** The names that no mailbox has. */
export async function missingNames(tx: Sql, agent: AgentNumber, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const padded = paddedList(names);
  const rows = await tx.all<{ name: string }>(
    `select name from mailbox where agent_id = ? and name in (${placesFor(padded)})`,
    agent,
    ...padded,
  );
  const found = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !found.has(name));
}

export async function childMailboxes(
  tx: Sql,
  agent: AgentNumber,
  name: string,
): Promise<{ mailbox: MailboxNumber; name: string }[]> {
  return tx.all(
    `select mailbox_id as mailbox, name
    from mailbox
    where agent_id = ? and name >= ? and name < ?
    order by name`,
    agent,
    ...childNameRange(name),
  );
}

/** Subscribes. Gives the number of added rows: 0 if it was subscribed already. */
export function subscribe(tx: Sql, agent: AgentNumber, name: string): Promise<number> {
  return tx.run(...insertion("subscription", { agent_id: agent, name }, "on conflict do nothing"));
}

/** The version of the mailbox's name, which `folder.update` of the interface compares. */
export async function mailboxVersion(tx: Sql, agent: AgentNumber, mailbox: MailboxNumber): Promise<string> {
  const row = await tx.get<{ version: number }>(
    "select version from mailbox where agent_id = ? and mailbox_id = ?",
    agent,
    mailbox,
  );
  return String(row!.version);
}

export async function moveSubscription(tx: Sql, agent: AgentNumber, from: string, to: string): Promise<void> {
  const moved = await tx.run("delete from subscription where agent_id = ? and name = ?", agent, from);
  if (moved > 0) await subscribe(tx, agent, to);
}

/** A mailbox with a special use keeps its name and stays: clients and deliveries look for it. */
export function assertNoRole({ name, role }: { readonly name: string; readonly role: string | null }): void {
  if (role !== null)
    throw new WaypostError("policy_refused", `${name} is needed and can be neither deleted nor renamed`, {
      reason: "mailbox_is_required",
    });
}

/** Refuses names of the mailboxes of holds and names below them: only the server creates those. */
export async function assertNameIsFree(tx: Sql, agent: AgentNumber, name: string): Promise<void> {
  if (name !== holdsName && !name.startsWith(holdsName + hierarchyDelimiter)) return;
  const row = await tx.get<{ kind: string }>("select kind from agent where agent_id = ?", agent);
  if (row?.kind === "agent") throw namesAreForHolds();
}

/** Refuses to rename or delete a mailbox of holds or their parent. */
export async function assertNameMayGo(
  tx: Sql,
  agent: AgentNumber,
  { name, role }: { readonly name: string; readonly role: string | null },
): Promise<void> {
  if (isHoldRole(role)) throw namesAreForHolds();
  if (name !== holdsName) return;
  const held = await tx.get("select 1 as found from mailbox where agent_id = ? and role = 'holds'", agent);
  if (held !== undefined) throw namesAreForHolds();
}

function namesAreForHolds(): WaypostError {
  return new WaypostError(
    "policy_refused",
    `${holdsName} and what is below it are for mail that waits for approval`,
    {
      reason: "mailbox_is_required",
    },
  );
}
