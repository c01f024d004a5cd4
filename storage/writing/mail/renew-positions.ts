/** After a restore of an earlier state, the store would assign numbers a second time. So each mailbox gets another UIDVALIDITY, each
 *  collection another sync-token, and each log continues at a position that the lost state cannot have reached.
 *
 *  Bodies in an object store are the same objects as those of the original, which another store may use: this store never removes them. */
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { sharedMark } from "../../objects/objects.ts";
import type { Sql } from "../../sql.ts";
import { logChanges } from "../change-log.ts";

/** More changes than a store makes between two backups, and small enough for two million restores below 2 ** 53. */
const modseqJump = 2 ** 32;

/** Mail that was queued at the time of the backup was probably sent since then; the operator has this time to cancel it. */
const queueWaitMs = 3_600_000;

/** Runs in one transaction, before any other write. */
export async function renewPositions(sql: Sql, now: number): Promise<void> {
  const agents = await sql.all<{ agent: AgentNumber; modseq: Modseq; lastUidValidity: number }>(
    `select agent_id as agent, modseq, last_uid_validity as "lastUidValidity" from agent`,
  );
  for (const { agent, modseq, lastUidValidity } of agents) {
    let uidValidity = Math.max(Math.floor(now / 1000), lastUidValidity);
    const mailboxes = await sql.all<{ mailbox: MailboxNumber }>(
      "select mailbox_id as mailbox from mailbox where agent_id = ? order by mailbox_id",
      agent,
    );
    for (const { mailbox } of mailboxes)
      await sql.run(
        "update mailbox set uid_validity = ? where agent_id = ? and mailbox_id = ?",
        ++uidValidity,
        agent,
        mailbox,
      );
    const floor = modseq + modseqJump;
    // A sync-token of the lost state is then below the floor and is refused.
    await sql.run("update collection set modseq = ? where agent_id = ?", floor + 1, agent);
    await sql.run("delete from change where agent_id = ?", agent);
    await sql.run(
      "update agent set modseq = ?, log_floor = ?, last_uid_validity = ? where agent_id = ?",
      floor + 1,
      floor,
      uidValidity,
      agent,
    );
    // The position of a webhook in the log is stored here: events that were not sent yet are lost.
    const restored = {
      kind: "event",
      parent: 0,
      operation: "add",
      ids: "0",
      event: "mailbox.restored",
    } as const;
    await logChanges(sql, undefined, agent, (floor + 1) as Modseq, now, [restored]);
  }
  await sql.run(
    `update blob set object = '${sharedMark}' || object where object is not null and substr(object, 1, 1) <> '${sharedMark}'`,
  );
  await sql.run("delete from freed_object");
  await sql.run(
    "update submission_recipient set next_attempt_at = ? where state in ('queued', 'scheduled') and next_attempt_at < ?",
    now + queueWaitMs,
    now + queueWaitMs,
  );
}
