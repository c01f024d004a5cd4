/** calendarMonth.list: the events of a month, each instance of a series separately, in the order of their starts. */
import { z } from "zod";
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import { listMonth } from "../../collections/month.ts";
import { collectionId, reachCollectionIn } from "../../collections/reach.ts";
import { listedContent } from "../../listing.ts";
import { operation } from "../../operation.ts";
import { cursorText, idOf, maxChars, readResult } from "../../schemas.ts";

export default operation({
  name: "calendarMonth.list",
  verb: "read",
  summary: "Lists the events of a month, each instance of a series separately.",
  scope: "calendar:read",
  effect: "reads",
  reaches: "others",
  example: { month: "2026-03" },
  input: z.strictObject({
    in: idOf("calendar").optional().describe("The calendar, calendar_…; absent: the default one."),
    month: z
      .string()
      .regex(/^(?!0000)\d{4}-(?:0[1-9]|1[0-2])$/)
      .describe("2026-03, in the time zone of the calendar; in UTC if it has none."),
    max_chars: maxChars,
    cursor: cursorText.optional().describe("Continues the listing that gave the cursor."),
  }),
  output: readResult,
  errors: ["not_billable", "forbidden_scope", "not_found"],
  async run(context, input) {
    const collection = await reachCollectionIn(context, "calendar", input.in, "read");
    const zone = calendarZoneName(collection.timeZone);
    const listing = await listMonth(context, collection, zone, input);
    return {
      ref: collectionId(context, collection),
      kind: "calendarMonth" as const,
      content: {
        calendar: collectionId(context, collection),
        month: input.month,
        time_zone: zone ?? "Etc/UTC",
        ...listedContent(listing),
      },
      ...(listing.cursor === undefined ? {} : { cursor: listing.cursor }),
    };
  },
});
