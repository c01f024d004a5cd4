/** A message that came by mail, and what it changes in calendars (RFC 6047): planned before the delivery, written with it. */
import type { AgentDeeds } from "#/src/collections/collections.ts";
import type { ItemProvenance } from "#/src/collections/item.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { ItemsOfAgent } from "#/storage/transactions/change-items.ts";
import type { ArrivingCalendar } from "./arriving-calendar.ts";
import { readCalendarAddress } from "./calendar-address.ts";
import { createLocalCopies, type LocalRooms } from "./local-copies.ts";
import { refreshAttendees } from "./refresh-attendees.ts";

export interface ArrivingMail {
  readonly calendar: ArrivingCalendar;
  /** The one address of From, which the evidence has proven. */
  readonly author: string;
  readonly recipients: readonly {
    readonly agent: AgentNumber;
    /** Under which the mail came to it. */
    readonly addresses: readonly string[];
  }[];
  readonly provenance: ItemProvenance;
}

export interface ArrivalPlanning {
  /** For mail whose author is authenticated, and for no other. What it changes in the calendars of its recipients, and of those who see
   *  their organizer's answers; often nothing. */
  planArrival(mail: ArrivingMail): Promise<readonly ItemsOfAgent[]>;
}

export function createArrivalPlanning(rooms: LocalRooms): ArrivalPlanning {
  return {
    async planArrival({ calendar, author, recipients, provenance }) {
      const copies = createLocalCopies(rooms, calendar.uid);
      const content = { method: calendar.method, bytes: calendar.bytes };
      const sender = readCalendarAddress(`mailto:${author}`);
      for (const { agent, addresses } of recipients) {
        const arriving = { content, author: sender, known: addresses, isSignificant: true };
        const { outcome, old, now } = await copies.apply(agent, arriving);
        const isAnswer = calendar.method === "REPLY" && outcome === "changed";
        if (isAnswer && old !== undefined && now !== undefined)
          await refreshAttendees(rooms, copies, agent, { old, now }, new Set([agent]));
      }
      const all: AgentDeeds[] = [];
      // No approval is given by mail that came in.
      for (const deeds of await copies.listDeeds(
        { agent: recipients[0]!.agent, canApprove: false },
        provenance,
      ))
        all.push({ ...deeds, actor: { agent: deeds.agent, canApprove: false } });
      return rooms.collections.prepareChanges(all);
    },
  };
}
