/** The event that stands in the calendar of a mail's owner because of that mail, if the caller reads that calendar. */
import type { Message } from "#/src/mail/messages.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import type { OperationContext } from "../operation.ts";

export async function eventOfMail(
  context: OperationContext,
  { agent, provenance: { calendarUid } }: Message,
): Promise<{ readonly event?: string }> {
  if (calendarUid === undefined) return {};
  const { collections } = context.rooms;
  const [event] = await collections.findItemsByUid(agent, calendarUid, { kind: "calendar" });
  if (event === undefined) return {};
  const calendars = await createCollectionReach(context).list("calendar", agent);
  const isRead = calendars.some(({ number, rights }) => number === event.collection && rights.has("read"));
  return isRead ? { event: collections.ids.encode("event", agent, event.number) } : {};
}
