/** A request for busy time (RFC 6638 section 5, RFC 5546 section 3.3.2): a VFREEBUSY with METHOD:REQUEST, answered for each ATTENDEE at
 *  once. The answer has only the busy time that the login may see. For a calendar user whose busy time the login may not see, it has
 *  the request status 3.8. */

import type { BusyReader } from "#/src/collections/busy-reader.ts";
import type { Collection } from "#/src/collections/collection.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { readFreeBusy } from "#/src/collections/free-busy.ts";
import type { Property } from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { makeFreeBusy, type Span } from "#/src/formats/icalendar/free-busy.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { attendeesOfInstanceMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CollectionReach } from "#/src/reach/collection-reach.ts";
import { type CalendarUserRooms, findCalendarUser, listOwnAddresses } from "./calendar-users.ts";
import type { FreeBusyRequestFacts } from "./free-busy-facts.ts";
import type { Schedulers } from "./schedulers.ts";

export interface FreeBusyRooms extends CalendarUserRooms {
  readonly collections: Collections;
  readonly busyTimes: BusyReader;
  readonly schedulers: Schedulers;
}

export interface FreeBusyRequest {
  /** Whose outbox it is. */
  readonly agent: AgentNumber;
  readonly reach: Pick<CollectionReach, "list">;
  readonly bytes: Uint8Array;
}

export interface FreeBusyAnswer {
  /** The address as the request has it. */
  readonly recipient: string;
  /** RFC 5545 section 3.8.8.3. */
  readonly status: string;
  readonly calendar?: Uint8Array;
}

const success = "2.0;Success";
const noUser = "3.7;Invalid calendar user";
const noAuthority = "3.8;No authority";
const notDone = "5.1;Could not complete delivery";
/** Time limit of one request in all. Attendees who are not answered by then get a failure as their request status. */
const timeMaxMs = 10_000;
const noService = "5.3;No scheduling support for user";

/** Throws `invalid` with the preconditions of RFC 6638 section 5.1. */
export async function answerFreeBusyRequest(
  rooms: FreeBusyRooms,
  { agent, reach, bytes }: FreeBusyRequest,
): Promise<readonly FreeBusyAnswer[]> {
  const { organizer, attendees, range, repeated } = await readRequest(rooms.schedulers, bytes);
  const owner = await rooms.accounts.findAgentFacts(agent);
  if (owner === undefined) throw new WaypostError("not_found", "There is no such agent.");
  const own = new Set(await listOwnAddresses(rooms, owner, [Buffer.from(organizer ?? "")]));
  if (organizer === undefined || !own.has(organizer))
    throw new WaypostError("invalid", "The ORGANIZER is not the owner of this outbox.", {
      reason: "valid-organizer",
    });
  const answers: FreeBusyAnswer[] = [];
  const startedAt = performance.now();
  for (const attendee of attendees) {
    const recipient = attendee.property.value.trim();
    if (performance.now() - startedAt > timeMaxMs) {
      answers.push({ recipient, status: notDone });
      continue;
    }
    const user = await findCalendarUser(rooms, attendee.address, owner.account);
    if (user.kind !== "local" || user.agents.length !== 1) {
      answers.push({ recipient, status: user.kind === "mail" ? noService : noUser });
      continue;
    }
    const seen = await reach.list("calendar", user.agents[0]!);
    const readable = seen.filter(({ rights, role }) => rights.has("freebusy") && role !== "inbox");
    if (readable.length === 0) answers.push({ recipient, status: noAuthority });
    else {
      const calendar = await busyTimeOf(
        rooms,
        user.agents[0]!,
        [...repeated, attendee.property],
        range,
        readable,
      );
      answers.push({ recipient, status: success, calendar });
    }
  }
  return answers;
}

async function busyTimeOf(
  rooms: FreeBusyRooms,
  agent: AgentNumber,
  extra: readonly Property[],
  range: Span,
  calendars: readonly Collection[],
): Promise<Uint8Array> {
  const facts = await rooms.accounts.findAgentFacts(agent);
  const ownAddresses = facts === undefined ? [] : await listOwnAddresses(rooms, facts, []);
  const periods = await readFreeBusy(rooms, {
    calendars,
    range,
    owner: agent,
    ownAddresses,
  });
  const calendar = makeFreeBusy(periods, range, rooms.collections.clock.now(), { extra, method: "REPLY" });
  return new Uint8Array(writeContentLines({ items: [calendar] }));
}

async function readRequest(schedulers: Schedulers, message: Uint8Array): Promise<FreeBusyRequestFacts> {
  const result = await schedulers.run({ kind: "ask", message });
  if (result.outcome === "asked") return result.request;
  if (result.outcome === "unasked" && result.reason === "valid-calendar-data")
    throw new WaypostError("invalid", "The body is not an iCalendar object.", { reason: result.reason });
  throw noMessage();
}

function noMessage(): WaypostError {
  return new WaypostError(
    "invalid",
    "The body is not one VFREEBUSY with METHOD:REQUEST, UID, DTSTART and DTEND.",
    {
      reason: "valid-scheduling-message",
      hint: `It has at most ${attendeesOfInstanceMax} attendees.`,
    },
  );
}
