/** A message that came by mail, and what it changes in calendars (RFC 6047): planned before the delivery, written with it. */

import type { AgentActions } from "#/src/collections/collections.ts";
import { nobody } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { isPublicProvider } from "#/src/outbound/public-providers.ts";
import type { ItemsOfAgent } from "#/storage/transactions/collections/change-items.ts";
import { readCalendarAddress } from "../calendar-address.ts";
import { createLocalCopies, type LocalRooms } from "../outgoing/local-copies.ts";
import type { ArrivingMail } from "./arriving-mail.ts";
import { refreshAttendees } from "./refresh-attendees.ts";
import { answerRefreshMail, type RefreshRooms } from "./refresh-mail.ts";

export interface ArrivalPlanning {
  /** For mail whose author is authenticated only. Returns the changes in the calendars of its recipients, and of the attendees who see
   *  an answer to their organizer; often none. */
  planArrival(mail: ArrivingMail): Promise<readonly ItemsOfAgent[]>;
  /** Called for the same mail after its delivery: answers a REFRESH. */
  answerArrival(mail: Omit<ArrivingMail, "provenance">): Promise<void>;
}

/** No changes if calendars refuse the object (such as one with an invalid DTSTART): it is only delivered as mail. */
async function prepareIfKept(
  { collections }: LocalRooms,
  actions: AgentActions,
): Promise<readonly ItemsOfAgent[]> {
  try {
    return await collections.prepareChanges([actions]);
  } catch (error) {
    if (isWaypostError(error) && (error.code === "invalid" || error.code === "policy_refused")) return [];
    throw error;
  }
}

/** Mail proves a domain. At a public provider its people are strangers to each other, and mailboxes here act for each other by grants. */
async function mayBeAssistant({ accounts }: LocalRooms, author: string): Promise<boolean> {
  const domain = author.slice(author.lastIndexOf("@") + 1);
  return !isPublicProvider(domain) && (await accounts.resolveRecipient(author)).kind === "remote";
}

export function createArrivalPlanning(rooms: RefreshRooms): ArrivalPlanning {
  return {
    answerArrival: (mail) => answerRefreshMail(rooms, mail),
    async planArrival({ calendar, author, recipients, provenance }) {
      const copies = createLocalCopies(rooms, calendar.uid);
      const content = { method: calendar.method, bytes: calendar.bytes };
      const sender = readCalendarAddress(`mailto:${author}`);
      const mayAssist = await mayBeAssistant(rooms, author);
      for (const { agent, addresses } of recipients) {
        const arriving = { content, author: sender, known: addresses, isSignificant: true, mayAssist };
        const { outcome, old, now } = await copies.apply(agent, arriving);
        const isAnswer = calendar.method === "REPLY" && outcome === "changed";
        if (isAnswer && old !== undefined && now !== undefined)
          await refreshAttendees(rooms, copies, agent, { old, now }, new Set([agent]));
      }
      const planned: ItemsOfAgent[] = [];
      // Arriving mail does not approve anything.
      const arriving = { ...nobody, agent: recipients[0]!.agent };
      for (const actions of await copies.listActions(arriving, provenance))
        planned.push(
          ...(await prepareIfKept(rooms, { ...actions, actor: { ...nobody, agent: actions.agent } })),
        );
      return planned;
    },
  };
}
