import { createArrivalPlanning } from "./arrival-plan.ts";
import { createSchedulingWrites } from "./change-plan.ts";
import type { Scheduling, SchedulingRooms } from "./scheduling.ts";

export function createScheduling(rooms: SchedulingRooms): Scheduling {
  return { ...createSchedulingWrites(rooms), ...createArrivalPlanning(rooms) };
}
