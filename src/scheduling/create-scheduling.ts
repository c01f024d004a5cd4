import { createArrivals } from "./arriving/apply-arrivals.ts";
import { createAttachmentEdits } from "./attachment-edits.ts";
import { createSchedulingWrites } from "./change-plan.ts";
import { createCopies } from "./copy-items.ts";
import { createCalendarDeletion } from "./delete-calendar.ts";
import { createMoves } from "./move-item.ts";
import type { Scheduling, SchedulingRooms } from "./scheduling.ts";

export function createScheduling(rooms: SchedulingRooms): Scheduling {
  const writes = createSchedulingWrites(rooms);
  return {
    ...writes,
    ...createCalendarDeletion(rooms),
    ...createMoves(rooms),
    ...createCopies(rooms, writes),
    ...createArrivals(rooms),
    ...createAttachmentEdits(rooms),
  };
}
