/** The input of part.describe: an object or a part of it, and the rendering. */
import { z } from "zod";
import { idPrefix, objectKinds } from "#/src/model/ids.ts";
import { cursorText, idOf, maxChars } from "../schemas.ts";

const names = objectKinds.map((kind) => `${idPrefix(kind)}…`);

export const partRequest = z.strictObject({
  id: idOf(...objectKinds)
    .min(1)
    .describe(
      `${names.slice(0, -1).join(", ")} or ${names.at(-1)}; message_…#1.2 names a part, calendar_…#<uid> an event, event_…#2026-03-02T10:00:00 an instance, addressbook_…#<uid> a contact.`,
    ),
  part: z
    .string()
    .max(200)
    .optional()
    .describe(
      "Of a message: body, headers, structure, agent, or an IMAP section such as 1.2, HEADER, 2.MIME.",
    ),
  uid: z.string().max(1000).optional().describe("Of a calendar: which event."),
  contact: z.string().max(1000).optional().describe("Of an addressbook: which contact."),
  render: z
    .string()
    .max(40)
    .optional()
    .describe(
      "text (the default), reply, markdown, html, json, headers, structure, agenda, ical, vcard, raw or source. Of a calendar, agenda is what comes in a year.",
    ),
  around: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      "Words: the text around their first place, about 2000 characters or max_chars; cursor_before goes back from there.",
    ),
  offset: z.int().min(0).optional().describe("The character at which the text begins, as excerpts name it."),
  end: z.boolean().optional().describe("true: the end of the text."),
  doubtful: z
    .literal("include")
    .optional()
    .describe(
      "Of messages, with the scope raw: text that may not be visible to a person stands in text, reply and markdown, each passage between one of content.doubtful_marks, twice.",
    ),
  max_chars: maxChars,
  cursor: cursorText.optional().describe("Continues the rendering that gave the cursor."),
});
export type PartRequest = z.infer<typeof partRequest>;
