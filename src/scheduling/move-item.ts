/** MOVE of an event into a calendar of another owner (RFC 6638 section 3.2.3.4). The event still exists, so no messages are sent. */
import { WaypostError } from "#/src/model/errors.ts";
import { assertOnlyOne, decideChange } from "./change-plan.ts";
import type { Scheduling, SchedulingRooms } from "./scheduling.ts";

export function createMoves(rooms: SchedulingRooms): Pick<Scheduling, "moveToOther"> {
  const { collections } = rooms;
  return {
    async moveToOther(from, item, to, { collection, segment, overwrite }, expected) {
      const [held] = await collections.readItems(from.agent, [item]);
      if (held === undefined) throw new WaypostError("not_found", "There is no such item.");
      const { bytes, provenance, isAuthenticated, modseq } = held;
      const standing =
        segment === undefined
          ? undefined
          : await collections.findItemBySegment(to.agent, collection, segment);
      const isScheduled = held.scheduleTag !== undefined;
      const decided = isScheduled ? await decideChange(rooms, to, undefined, bytes) : undefined;
      const hasRole = decided !== undefined && decided.role !== "none";
      if (hasRole) await assertOnlyOne(rooms, to.agent, decided.uid, standing, collection);
      const deadProperties = await collections.listItemDeadProperties(from.agent, item);
      const put = {
        kind: "put" as const,
        collection,
        segment,
        bytes,
        provenance,
        isAuthenticated,
        expected: overwrite ? {} : { version: "absent" as const },
        deadProperties,
        hasUniqueUid: hasRole,
        attachments: { attachmentsOf: [from.agent] },
      };
      const remove = { kind: "remove" as const, item, expected: { version: String(modseq), ...expected } };
      await collections.changeItems(to.actor, [
        { agent: to.agent, actor: to.actor, actions: [put] },
        { agent: from.agent, actor: from.actor, actions: [remove] },
      ]);
    },
  };
}
