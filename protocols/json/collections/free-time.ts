/** search {kind: "freetime"}: the first gaps that are free for a mailbox and for others whose busy time the caller may see. */
import { z } from "zod";
import { type BusyRooms, readBusyPeriods } from "#/src/collections/free-busy.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { parseDuration } from "#/src/formats/icalendar/duration.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import type { BusyPeriod, Span } from "#/src/formats/icalendar/free-busy.ts";
import { findGaps, weekdays } from "#/src/formats/icalendar/free-time.ts";
import { localOfUtc } from "#/src/formats/icalendar/time-zone.ts";
import { formatLocal, formatUtc } from "#/src/formats/jscalendar/local-time.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { parseNamedAddress } from "#/src/outbound/mail-address.ts";
import { reachAgent, reachesScope } from "#/src/reach/agents.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import { scopeOfRight } from "#/src/reach/collection-rights.ts";
import { unknownObject } from "../errors.ts";
import { defaultZone, readTime } from "../given-time.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { timeZone } from "./container.ts";

const daysMax = 62;
const dayMs = 24 * 3_600_000;
const peopleMax = 20;
const gapsDefault = 10;
/** Periods of all people: what is sorted at once. */
const periodsMax = 20_000;

export const freeTimeFields = {
  with: z
    .array(z.string().min(1).max(400))
    .max(peopleMax)
    .optional()
    .describe("Of freetime: addresses of the others. Whose busy time you may not see is named in unknown."),
  duration: z.string().max(20).optional().describe("Of freetime: how long a gap is at least, PT1H or PT30M."),
  hours: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/)
    .optional()
    .describe("Of freetime: hours of the day in zone, 09:00-17:00."),
  days: z.array(z.enum(weekdays)).min(1).max(7).optional().describe("Of freetime: days of the week in zone."),
  zone: timeZone
    .optional()
    .describe("Of freetime: Europe/Berlin; absent: that of the default calendar, else UTC."),
} as const;

export interface FreeTimeSearch extends Readonly<Record<string, unknown>> {
  readonly with?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly duration?: string | undefined;
  readonly hours?: string | undefined;
  readonly days?: readonly (typeof weekdays)[number][] | undefined;
  readonly zone?: string | undefined;
  readonly limit?: number | undefined;
}

const fields: readonly string[] = ["in", "kind", "since", "before", "limit", ...Object.keys(freeTimeFields)];

export async function searchFreeTime(
  context: OperationContext,
  agent: AgentNumber,
  request: FreeTimeSearch,
): Promise<ReadResult> {
  assertFields(request);
  const range = await rangeOf(context, request);
  const durationMs = durationOf(request.duration);
  const zone =
    (request.zone === undefined ? undefined : findNamedZone(request.zone)) ?? (await defaultZone(context));
  const hours = hoursOf(request.hours);
  await reachAgent(context, agent, scopeOfRight("calendar", "freebusy"));
  const { known, unknown } = await whoIsAsked(context, agent, request.with ?? []);
  const periods = await readAll(context, known, range);
  const gaps = findGaps({
    range,
    busy: periods.filter(({ isUnanswered }) => isUnanswered !== true),
    tentative: periods.filter(({ isUnanswered }) => isUnanswered === true),
    durationMs,
    hours,
    days: request.days,
    zone,
    limit: request.limit ?? gapsDefault,
  });
  return {
    ref: context.rooms.collections.ids.encode("agent", agent, 0),
    kind: "listing",
    content: {
      ...(unknown.length === 0 ? {} : { unknown }),
      time_zone: zone.id,
      items: gaps.map(({ startMs, endMs, isTentative }) => ({
        start: formatUtc(startMs),
        end: formatUtc(endMs),
        local_start: formatLocal(localOfUtc(zone, startMs)),
        ...(isTentative ? { tentative: true } : {}),
      })),
    },
  };
}

function assertFields(request: FreeTimeSearch): void {
  const other = Object.keys(request).find((field) => request[field] !== undefined && !fields.includes(field));
  if (other === undefined) return;
  throw new WaypostError("invalid", `The field ${other} cannot be used with freetime.`, {
    field: `/${other}`,
    hint: `Of freetime: ${fields.join(", ")}.`,
  });
}

async function rangeOf(context: OperationContext, { since, before }: FreeTimeSearch): Promise<Span> {
  const [startMs, endMs] = await Promise.all(
    [since, before].map(async (text) => (text === undefined ? undefined : readTime(context, text))),
  );
  if (startMs === undefined || endMs === undefined) throw missing(startMs === undefined ? "since" : "before");
  if (endMs > startMs && endMs - startMs <= daysMax * dayMs) return { startMs, endMs };
  throw new WaypostError("invalid", "The range of time is not valid.", {
    field: "/before",
    hint: `before is later than since, by at most ${daysMax} days.`,
  });
}

function durationOf(text: string | undefined): number {
  if (text === undefined) throw missing("duration");
  const duration = parseDuration(text);
  const ms = duration === undefined ? 0 : duration.days * dayMs + duration.ms;
  if (ms > 0) return ms;
  throw new WaypostError("invalid", "This is not a length of time.", {
    field: "/duration",
    hint: "PT1H for an hour, PT30M for half of one, PT1H30M.",
  });
}

function missing(field: string): WaypostError {
  return new WaypostError("invalid", `Free time needs ${field}.`, {
    field: `/${field}`,
    hint: 'search {kind: "freetime", with: ["ann@example.com"], since: "…", before: "…", duration: "PT1H", hours: "09:00-17:00"}',
  });
}

function hoursOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const [fromMs, toMs] = text.split("-").map((time) => {
    const [hour, minute] = time.split(":").map(Number);
    return (hour! * 60 + minute!) * 60_000;
  });
  if (fromMs! < toMs!) return { fromMs: fromMs!, toMs: toMs! };
  throw new WaypostError("invalid", "The hours end before they begin.", {
    field: "/hours",
    hint: "09:00-17:00; a night is asked for as two questions.",
  });
}

/** Whether an address is of nobody, of somebody elsewhere or of somebody who has not granted it is one answer. */
async function whoIsAsked(context: OperationContext, agent: AgentNumber, named: readonly string[]) {
  const known = new Set([agent]);
  const unknown: string[] = [];
  for (const [index, text] of named.entries()) {
    const address = parseNamedAddress(text)?.address;
    if (address === undefined)
      throw new WaypostError("invalid", "This is not a mail address.", {
        field: `/with/${index}`,
        hint: 'with: ["ann@example.com"]',
      });
    const owner = (await context.rooms.accounts.findOwner(address))?.agent;
    const isSeen =
      owner !== undefined && (await reachesScope(context, owner, scopeOfRight("calendar", "freebusy")));
    if (isSeen) known.add(owner);
    else unknown.push(address);
  }
  return { known: [...known], unknown };
}

async function readAll(
  context: OperationContext,
  agents: readonly AgentNumber[],
  range: Span,
): Promise<readonly BusyPeriod[]> {
  const meter = new WorkMeter();
  const periods: BusyPeriod[] = [];
  for (const agent of agents) {
    for (const period of await periodsOf(context, agent, range, meter)) periods.push(period);
    if (periods.length > periodsMax) throw tooMuch();
  }
  return periods;
}

async function periodsOf(
  context: OperationContext,
  agent: AgentNumber,
  range: Span,
  meter: WorkMeter,
): Promise<readonly BusyPeriod[]> {
  const owner = (await context.rooms.accounts.findAgentFacts(agent)) ?? unknownObject();
  const calendars = (await createCollectionReach(context).list("calendar", agent)).filter(
    ({ role, rights }) => role !== "inbox" && rights.has("freebusy"),
  );
  const ownAddresses = owner.addresses.map((address) => `mailto:${address}`);
  const rooms: BusyRooms = context.rooms;
  try {
    return await readBusyPeriods(rooms, { calendars, range, owner: agent, ownAddresses }, meter);
  } catch (error) {
    if (isWaypostError(error) && error.details.reason === "limit_reached") throw tooMuch();
    throw error;
  }
}

function tooMuch(): WaypostError {
  return new WaypostError("invalid", "The busy time of this range is too much for one answer.", {
    field: "/before",
    hint: "Ask for a shorter range, or for fewer people.",
  });
}
