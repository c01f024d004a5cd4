import { createArrivalPlanning } from "./arrival-plan.ts";
import { createAttachmentEdits } from "./attachment-edits.ts";
import { createSchedulingWrites } from "./change-plan.ts";
import { createCalendarDeletion } from "./delete-calendar.ts";
import { createMoves } from "./move-item.ts";
import type { Scheduling, SchedulingRooms } from "./scheduling.ts";

export function createScheduling(rooms: SchedulingRooms): Scheduling {
  return {
    ...createSchedulingWrites(rooms),
    ...createCalendarDeletion(rooms),
    ...createMoves(rooms),
    ...createArrivalPlanning(rooms),
    ...createAttachmentEdits(rooms),
  };
}
