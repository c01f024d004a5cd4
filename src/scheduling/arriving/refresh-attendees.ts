/** Shows an answer to the other attendees (RFC 6638 section 4.2). Their Schedule-Tags do not change, and their scheduling inboxes get
 *  no message. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import { mailAddressOf } from "../calendar-address.ts";
import { findCalendarUser, listOwnAddresses } from "../calendar-users.ts";
import type { LocalCopies, LocalRooms } from "../outgoing/local-copies.ts";

/** Calendars that see an answer of somebody else at once; more of them see it with the organizer's next change. */
const refreshedMax = 50;

/** After an answer was applied to the organizer's object, the other attendees of the account see it in their copies. `without`: who has
 *  it already. */
export async function refreshAttendees(
  rooms: LocalRooms,
  copies: LocalCopies,
  organizer: AgentNumber,
  change: { readonly old: Uint8Array; readonly now: Uint8Array },
  without: ReadonlySet<AgentNumber>,
): Promise<void> {
  const owner = await rooms.accounts.findAgentFacts(organizer);
  if (owner === undefined) return;
  const who = await listOwnAddresses(rooms, owner, [change.now]);
  const nowMs = rooms.collections.clock.now();
  const result = await rooms.schedulers.run({ kind: "refresh", ...change, who, nowMs });
  if (result.outcome !== "decided") return;
  for (const { from, to, content } of result.messages.slice(0, refreshedMax)) {
    const user = await findCalendarUser(rooms, to, owner.account);
    if (user.kind !== "local") continue;
    const known = mailAddressOf(to);
    const arriving = {
      content,
      author: from,
      known: known === undefined ? [] : [known],
      isSignificant: false,
    };
    for (const agent of user.agents)
      if (agent !== organizer && !without.has(agent)) await copies.apply(agent, arriving);
  }
}
