/** search {in: "ag_…", kind: "freebusy"}: when somebody is busy, without any details. */
import { readFreeBusy } from "#/src/collections/free-busy.ts";
import { formatUtc } from "#/src/formats/jscalendar/local-time.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import { scopeOfRight } from "#/src/reach/collection-rights.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";

export interface FreeBusySearch {
  readonly since?: string | undefined;
  readonly before?: string | undefined;
}

/** Days of one request. */
const daysMax = 366;
const dayMs = 24 * 3_600_000;

const types = {
  BUSY: "busy",
  "BUSY-TENTATIVE": "tentative",
  "BUSY-UNAVAILABLE": "unavailable",
} as const;

const fields: readonly string[] = ["in", "kind", "since", "before"];

export async function searchFreeBusy(
  context: OperationContext,
  agent: AgentNumber,
  request: FreeBusySearch & Readonly<Record<string, unknown>>,
): Promise<ReadResult> {
  const other = Object.keys(request).find((field) => request[field] !== undefined && !fields.includes(field));
  if (other !== undefined)
    throw new WaypostError("invalid", `The field ${other} cannot be used with freebusy.`, {
      field: `/${other}`,
      hint: `Of free-busy: ${fields.join(", ")}.`,
    });
  const [startMs, endMs] = (["since", "before"] as const).map((field) => timeOf(request, field));
  if (endMs! <= startMs! || endMs! - startMs! > daysMax * dayMs)
    throw new WaypostError("invalid", "The range of time is not valid.", {
      field: "/before",
      hint: `before is later than since, by at most ${daysMax} days.`,
    });
  const { accounts, collections } = context.rooms;
  await reachAgent(context, agent, scopeOfRight("calendar", "freebusy"));
  const calendars = (await createCollectionReach(context).list("calendar", agent)).filter(
    ({ role, rights }) => role !== "inbox" && rights.has("freebusy"),
  );
  const owner = (await accounts.findAgentFacts(agent)) ?? unknownObject();
  const periods = await atBefore(() =>
    readFreeBusy(context.rooms, {
      calendars,
      range: { startMs: startMs!, endMs: endMs! },
      owner: agent,
      ownAddresses: owner.addresses.map((address) => `mailto:${address}`),
    }),
  );
  return {
    ref: collections.ids.encode("agent", agent, 0),
    kind: "listing",
    content: {
      items: periods.map((period) => ({
        busy: types[period.type],
        start: formatUtc(period.startMs),
        end: formatUtc(period.endMs),
      })),
    },
  };
}

function timeOf(request: FreeBusySearch, field: "since" | "before"): number {
  const text = request[field];
  if (text !== undefined) return Date.parse(text);
  throw new WaypostError("invalid", `Free-busy needs ${field}.`, {
    field: `/${field}`,
    hint: 'search {in: "ag_…", kind: "freebusy", since: "…", before: "…"}',
  });
}

async function atBefore<R>(read: () => Promise<R>): Promise<R> {
  try {
    return await read();
  } catch (error) {
    if (!isWaypostError(error) || error.details.reason !== "limit_reached") throw error;
    throw new WaypostError("invalid", error.message, { field: "/before", hint: "Ask for a shorter range." });
  }
}
