/** MOVE of an event into a calendar of another owner (RFC 6638 section 3.2.3.4). The event still exists, so no messages are sent. */
import type { ItemExpectation, MoveTarget } from "#/src/collections/collections.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { changeCalendars } from "#/src/outbound/gate/gate.ts";
import { findAdder } from "./calendar-users.ts";
import { assertOnlyOne, decideChange } from "./decide-change.ts";
import { takeBack } from "./outgoing/departure.ts";
import type { CalendarWriter, Scheduling, SchedulingRooms } from "./scheduling.ts";
import { inTurn } from "./turns.ts";

export function createMoves(rooms: SchedulingRooms): Pick<Scheduling, "moveToOther"> {
  const { accounts, collections } = rooms;
  return {
    async moveToOther(from, item, to, target, expected) {
      const { agent } = from;
      const uid = (await collections.findItem(agent, item))?.uid;
      await inTurn(accounts, { agent, uid }, () => move(rooms, from, item, to, target, expected));
    },
  };
}

async function move(
  rooms: SchedulingRooms,
  from: CalendarWriter,
  item: ItemNumber,
  to: CalendarWriter,
  { collection, segment, overwrite }: MoveTarget,
  expected: ItemExpectation | undefined,
): Promise<void> {
  const { collections, outbound } = rooms;
  const [held] = await collections.readItems(from.agent, [item]);
  if (held === undefined) throw new WaypostError("not_found", "There is no such item.");
  const { bytes, provenance, isAuthenticated, modseq } = held;
  const standing =
    segment === undefined ? undefined : await collections.findItemBySegment(to.agent, collection, segment);
  const isScheduled = held.scheduleTag !== undefined;
  const addedBy = await findAdder(rooms, to, from.agent);
  const decided =
    isScheduled || addedBy !== undefined
      ? await decideChange(rooms, to, undefined, bytes, { isTelling: false, addedBy })
      : undefined;
  const hasRole = decided !== undefined && decided.role !== "none";
  if (hasRole) await assertOnlyOne(rooms, to.agent, decided.uid, standing, collection);
  const deadProperties = await collections.listItemDeadProperties(from.agent, item);
  const put = {
    kind: "put" as const,
    collection,
    segment,
    bytes: addedBy === undefined ? bytes : (decided?.stored ?? bytes),
    provenance,
    isAuthenticated,
    expected: overwrite ? {} : { version: "absent" as const },
    deadProperties,
    hasUniqueUid: hasRole,
    attachments: { attachmentsOf: [from.agent] },
  };
  const remove = { kind: "remove" as const, item, expected: { version: String(modseq), ...expected } };
  // What has not left is taken back from the former owner.
  const leaving = takeBack(from.agent, held.uid, await outbound.readTold(from.agent, held.uid));
  const agents = [
    { agent: to.agent, actor: to.actor, actions: [put] },
    { agent: from.agent, actor: from.actor, actions: [remove] },
  ];
  await changeCalendars(collections, to.actor, agents, { leaving });
}
