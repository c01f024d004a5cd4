/** Asks for the decision about one change of a calendar object, with what its recipients were told. */
import type { Item, StoredItem } from "#/src/collections/item.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { Told } from "#/src/outbound/gate/told.ts";
import { listOwnAddresses } from "./calendar-users.ts";
import { plainKnowledge } from "./decisions/store-organizer.ts";
import { toldOf } from "./decisions/told-rows.ts";
import type { Decided, SchedulingJob } from "./jobs.ts";
import type { CalendarWriter, SchedulingRooms } from "./scheduling.ts";

type Knowledge = Partial<
  Omit<Extract<SchedulingJob, { readonly kind: "decide" }>, "kind" | "old" | "now" | "who" | "nowMs" | "told">
> & { readonly told?: Told };

/** Undefined for octets that are not a calendar, and for the deletion of a series that is too much work. */
export async function decideChange(
  rooms: SchedulingRooms,
  { agent }: CalendarWriter,
  held: StoredItem | undefined,
  now: Uint8Array | undefined,
  { told, ...knowledge }: Knowledge = {},
): Promise<Decided | undefined> {
  const { accounts, schedulers, collections } = rooms;
  const owner = await accounts.findAgentFacts(agent);
  if (owner === undefined) throw new WaypostError("not_found", "There is no such agent.");
  const old = held?.bytes;
  const who = await listOwnAddresses(rooms, owner, [old, now]);
  const nowMs = collections.clock.now();
  const result = await schedulers.run({
    kind: "decide",
    old,
    now,
    who,
    nowMs,
    ...plainKnowledge,
    ...knowledge,
    told: told && toldOf(told.messages),
  });
  switch (result.outcome) {
    case "decided":
      return result;
    case "broken":
      throw new WaypostError("policy_refused", result.rule.explanation, {
        reason: result.rule.precondition,
        ...(held === undefined ? {} : { object: held.number }),
      });
    case "beyond_limits":
      // A series that is too much work can still be deleted.
      if (now === undefined) return undefined;
      throw new WaypostError("policy_refused", "The series takes too much work to be scheduled.", {
        reason: "max-instances",
      });
    default:
      return undefined;
  }
}

/** RFC 4791 section 5.3.2.1, RFC 6638 section 3.2.4.1. The write checks it again. */
export async function assertOnlyOne(
  { collections }: SchedulingRooms,
  agent: AgentNumber,
  uid: string,
  held: Item | undefined,
  collection: CollectionNumber,
): Promise<void> {
  const items = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
  const others = items.filter((one) => one.number !== held?.number);
  const there =
    held !== undefined && held.uid !== uid ? held : others.find((one) => one.collection === collection);
  if (there !== undefined)
    throw new WaypostError("policy_refused", "The calendar has another item of this UID.", {
      reason: "no-uid-conflict",
      object: there.number,
    });
  const other = others.find((one) => one.scheduleTag !== undefined);
  if (other !== undefined)
    throw new WaypostError("policy_refused", "Another event of this UID with an organizer is there.", {
      reason: "unique-scheduling-object-resource",
      object: other.number,
    });
}

/** An event that is new may have been there before, with messages that have not left: it is decided about again with these. */
export async function decideAgainstTold(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  held: StoredItem | undefined,
  now: Uint8Array,
  knowledge: Knowledge,
): Promise<{ readonly decided: Decided | undefined; readonly told: Told }> {
  const read = (uid: string) => rooms.outbound.readTold(writer.agent, uid);
  if (held !== undefined) {
    const told = await read(held.uid);
    return { decided: await decideChange(rooms, writer, held, now, { ...knowledge, told }), told };
  }
  const plain = await decideChange(rooms, writer, held, now, knowledge);
  const told = plain === undefined || plain.role === "none" ? nothingTold : await read(plain.uid);
  if (plain === undefined || told.messages.length === 0) return { decided: plain, told };
  return { decided: await decideChange(rooms, writer, held, now, { ...knowledge, told }), told };
}

const nothingTold: Told = { messages: [], versions: new Map() };
