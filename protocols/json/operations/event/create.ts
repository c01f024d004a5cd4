/** event.create: stores a JSCalendar Event or Task as iCalendar text. Calendar clients show it at once. */
import { z } from "zod";
import { attach, withBlobs } from "../../collections/attached-blobs.ts";
import { putNewItem } from "../../collections/item-writes.ts";
import { reachCollectionIn } from "../../collections/reach.ts";
import { eventBody, eventResult, invite, newEvent } from "../../collections/written-event.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf } from "../../schemas.ts";

export default operation({
  name: "event.create",
  verb: "put",
  summary: "Adds an event or a task to a calendar.",
  scope: "calendar",
  effect: "writes",
  version: "none",
  putsMail: true,
  reaches: "others",
  example: {
    body: {
      title: "Review",
      start: "2026-03-02T10:00:00",
      timeZone: "Europe/Berlin",
      duration: "PT1H",
      participants: ["ann@example.com"],
    },
    invite: "send",
  },
  input: z.strictObject({
    in: idOf("calendar").optional().describe("The calendar, calendar_…; absent: the default one."),
    body: eventBody,
    attach,
    invite,
    idempotency_key: idempotencyKey,
  }),
  output: eventResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "paused"],
  run: (context, input) =>
    putNewItem(
      context,
      "calendar",
      "event.create",
      input,
      () => reachCollectionIn(context, "calendar", input.in, "write"),
      async (calendar) => {
        const made = await newEvent(context, input.body, calendar, input.invite === "send");
        return { ...made, ...(await withBlobs(context, made.bytes, input.attach, undefined)) };
      },
    ),
});
