/** Rows of `calendar_message`: what each recipient was really told about an event, and what waits or was refused.
 *
 *  A message that leaves supersedes for its recipients earlier ones about the same instances; one about the whole event supersedes those
 *  about its instances, never the reverse. A cancellation of the whole event ends what its recipients were told. A message that waits or
 *  is refused leaves alone what was told. */
import type { CalendarMessage, CalendarMessageRow, CalendarMessageState } from "../../calendar-messages.ts";
import type { HoldRow } from "../../holds.ts";
import { listCalendarMessages } from "../../queries/collections/calendar-messages.ts";
import { insertion } from "../../schema/insertion.ts";
import type { AgentTransaction } from "../agent-transaction.ts";

/** Messages that change what a recipient knows of the event. */
const telling: ReadonlySet<string> = new Set(["REQUEST", "CANCEL", "REPLY"]);

/** `before`: the message was made when rows up to this one were there. */
export async function noteCalendarMessage(
  write: AgentTransaction,
  message: CalendarMessage,
  state: CalendarMessageState,
  { hold = 0, before = Number.POSITIVE_INFINITY }: { readonly hold?: number; readonly before?: number } = {},
): Promise<void> {
  if (state === "left" && !telling.has(message.method)) return;
  const { tx, agent, at } = write;
  const rows = await listCalendarMessages(tx, agent, message.uid);
  const isEnd = state === "left" && message.method === "CANCEL" && isWhole(message);
  const to = new Set(message.recipients.map(([calendarUser]) => calendarUser));
  const isOver = (row: CalendarMessageRow): boolean => {
    const isNewer = state === "left" && (isEnd || covers(message, row));
    switch (row.state) {
      case "waiting":
        return false;
      case "refused":
        return true;
      case "left":
        return isNewer;
      case "unapproved":
        return state === "unapproved" || (isNewer && row.number < before);
    }
  };
  for (const row of rows)
    if (isOver(row)) await keepRecipients(write, row, (calendarUser) => !to.has(calendarUser));
  if (isEnd || message.recipients.length === 0) return;
  await tx.run(
    ...insertion("calendar_message", {
      agent_id: agent,
      uid: message.uid,
      message_number: (rows.at(-1)?.number ?? 0) + 1,
      state,
      hold_id: hold,
      method: message.method,
      instances: JSON.stringify(message.instances),
      recipients: JSON.stringify(message.recipients),
      octets: state === "left" || state === "waiting" ? message.octets : null,
      told_at: at,
    }),
  );
}

/** The message of a hold has left, for those whom the envelope still names; it never will; or another one takes its place. The last
 *  message of an event that is gone takes its rows with it. */
export async function endWaitingMessages(
  write: AgentTransaction,
  { hold, envelope }: Pick<HoldRow, "hold" | "envelope">,
  end: "left" | "refused" | "superseded",
): Promise<void> {
  if (envelope.calendarUid === undefined) return;
  const named = new Set(end === "left" ? envelope.recipients.map(({ address }) => address) : []);
  for (const row of await listCalendarMessages(write.tx, write.agent, envelope.calendarUid)) {
    if (row.state !== "waiting" || row.hold !== hold) continue;
    await keepRecipients(write, row, () => false);
    const [gone, left] = [false, true].map((isLeft) => ({
      ...row,
      recipients: row.recipients.filter(([, mail]) => named.has(mail) === isLeft),
    }));
    if (end !== "superseded") await noteCalendarMessage(write, gone!, "refused");
    // What was written after the mail was made is not approved with it.
    if (left!.recipients.length > 0) await noteCalendarMessage(write, left!, "left", { before: row.number });
  }
  if (end !== "superseded" && !(await isInCalendar(write, envelope.calendarUid)))
    await forgetCalendarMessages(write, envelope.calendarUid);
}

/** Forgets an event that is deleted, unless a message about it waits. */
export async function forgetCalendarMessages(write: AgentTransaction, uid: string): Promise<void> {
  const { tx, agent } = write;
  const rows = await listCalendarMessages(tx, agent, uid);
  if (rows.some(({ state }) => state === "waiting")) return;
  await tx.run("delete from calendar_message where agent_id = ? and uid = ?", agent, uid);
}

async function isInCalendar({ tx, agent }: AgentTransaction, uid: string): Promise<boolean> {
  const row = await tx.get(
    "select 1 as found from item where agent_id = ? and uid = ? and schedule_tag is not null limit 1",
    agent,
    uid,
  );
  return row !== undefined;
}

function isWhole({ instances }: CalendarMessage): boolean {
  return instances.includes("");
}

function covers(message: CalendarMessage, row: CalendarMessage): boolean {
  return isWhole(message) || row.instances.every((instance) => message.instances.includes(instance));
}

async function keepRecipients(
  { tx, agent }: AgentTransaction,
  { uid, number, recipients }: CalendarMessageRow,
  isKept: (calendarUser: string) => boolean,
): Promise<void> {
  const kept = recipients.filter(([calendarUser]) => isKept(calendarUser));
  if (kept.length === recipients.length) return;
  if (kept.length === 0)
    await tx.run(
      "delete from calendar_message where agent_id = ? and uid = ? and message_number = ?",
      agent,
      uid,
      number,
    );
  else
    await tx.run(
      "update calendar_message set recipients = ? where agent_id = ? and uid = ? and message_number = ?",
      JSON.stringify(kept),
      agent,
      uid,
      number,
    );
}
