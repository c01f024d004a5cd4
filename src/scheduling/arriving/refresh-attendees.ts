/** Shows an answer to the other attendees (RFC 6638 section 4.2). Their Schedule-Tags do not change, and their scheduling inboxes get
 *  no message. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import { mailAddressOf } from "../calendar-address.ts";
import { findCalendarUser, listOwnAddresses } from "../calendar-users.ts";
import type { AnsweredObject, LocalCopies, LocalRooms } from "../outgoing/local-copies.ts";

/** Calendars that see an answer of somebody else at once; more of them see it with the organizer's next change. */
const refreshedMax = 50;

/** After an answer was applied to the organizer's object, the other attendees of the account see it in their copies. `without`: who has
 *  it already. */
export async function refreshAttendees(
  rooms: LocalRooms,
  copies: LocalCopies,
  organizer: AgentNumber,
  answered: AnsweredObject,
  without: ReadonlySet<AgentNumber>,
): Promise<void> {
  const owner = await rooms.accounts.findAgentFacts(organizer);
  if (owner === undefined) return;
  const who = await listOwnAddresses(rooms, owner, [answered.now]);
  const result = await rooms.schedulers.run({ kind: "others", now: answered.now, who });
  if (result.outcome !== "named") return;
  for (const to of result.addresses.slice(0, refreshedMax)) {
    const user = await findCalendarUser(rooms, to, owner.account);
    if (user.kind !== "local") continue;
    const known = mailAddressOf(to);
    for (const agent of user.agents)
      if (agent !== organizer && !without.has(agent))
        await copies.show(agent, answered, known === undefined ? [] : [known]);
  }
}
