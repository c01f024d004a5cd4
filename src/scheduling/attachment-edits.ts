/** Runs edits of attachments as scheduling jobs, within their time limit. */
import { WaypostError } from "#/src/model/errors.ts";
import type { Scheduling, SchedulingRooms } from "./scheduling.ts";

const explanations = {
  "valid-rid-parameter": "The object has no such instance.",
  "valid-managed-id-parameter": "The object, or the instance, has no such attachment.",
  "valid-calendar-data": "The object is not an event, task or journal entry.",
} as const;

export function createAttachmentEdits({ schedulers }: SchedulingRooms): Pick<Scheduling, "editAttachments"> {
  return {
    async editAttachments(bytes, edit) {
      const result = await schedulers.run({ kind: "attach", now: bytes, edit });
      if (result.outcome === "changed") return result.bytes;
      if (result.outcome === "beyond_limits")
        throw new WaypostError("policy_refused", "The object takes too much work.", {
          reason: "limit_reached",
        });
      const reason = result.outcome === "unattached" ? result.reason : "valid-calendar-data";
      throw new WaypostError("invalid", explanations[reason], { reason });
    },
  };
}
