/** The shapes of calendars, addressbooks and what is in them, for the `content` of read results. */
import { z } from "zod";
import { signs } from "#/src/formats/text/signs.ts";
import { authorFacts } from "../describe/author-facts.ts";

export const time = z.string().describe("ISO 8601, in UTC.");

export const range = z.strictObject({ start: z.int(), end: z.int(), total: z.int().optional() });

/** Of a text whose page the request has placed. */
export const placed = { chars_total: z.int().optional(), range: range.optional() };

export const more = z
  .enum(["limit", "max_chars"])
  .optional()
  .describe("What cut the listing; cursor goes on.");

export const collection = {
  id: z.string(),
  version: z.string(),
  name: z.string(),
  description: z.string().optional(),
  color: z.string().optional().describe("#rrggbb or #rrggbbaa."),
  order: z.number().optional(),
  default: z.literal(true).optional().describe("Objects that are created without in are put there."),
  total: z.int(),
  size: z.int(),
  rights: z.array(z.string()).optional(),
  owner: z
    .strictObject({ id: z.string(), name: z.string(), address: z.string() })
    .optional()
    .describe("Of one that another mailbox shares with you."),
};

export const contactForm = z
  .strictObject({
    id: z.string(),
    version: z.string(),
    uid: z.string(),
    kind: z.enum(["individual", "group", "org"]),
    name: z.string(),
    emails: z.array(z.string()).describe("The first ones."),
    phones: z.array(z.string()).describe("The first ones."),
    organization: z.string().optional(),
    updated_at: time,
    size: z.int(),
    authenticated: z.boolean(),
  })
  .meta({ id: "ContactForm" });

const linked = z.array(
  z.strictObject({
    part: z.string().describe("Of part.describe: <id>#<part>."),
    type: z.string().optional(),
    size: z.int().describe("Octets of data, characters of text."),
  }),
);

const eventFacts = {
  author_facts: authorFacts
    .optional()
    .describe("Of an event that came by mail: what was known of its author; no verdict."),
};

/** Names of events and instances. */
const overlaps = z.array(z.string()).optional();

export const eventForm = z
  .strictObject({
    id: z.string().describe("event_…, of an instance of a series event_…#<recurrence id>."),
    version: z.string(),
    uid: z.string(),
    kind: z.enum(["event", "task", "journal", "freebusy", "availability"]),
    title: z.string(),
    location: z.string().optional(),
    start: z
      .string()
      .optional()
      .describe("Local time in time_zone; without time_zone, the local time of the reader."),
    end: z
      .string()
      .optional()
      .describe("On the same clock as start; of whole days the day after the last one."),
    time_zone: z.string().optional(),
    all_day: z.literal(true).optional(),
    overlaps: overlaps.describe(
      "In a month: the first five others at the same time, without what is free, cancelled or declined.",
    ),
    utc_start: time.optional(),
    utc_end: time.optional(),
    status: z.string().optional(),
    recurring: z.literal(true).optional(),
    recurrence_id: z.string().optional(),
    dense: z
      .literal(true)
      .optional()
      .describe("In a month: the series has too many instances to list each; this stands for all of them."),
    organizer: z.string().optional(),
    participants: z.int().optional(),
    updated_at: time,
    size: z.int(),
    authenticated: z.boolean(),
    ...eventFacts,
  })
  .meta({ id: "EventForm" });

export const busy = z
  .strictObject({ busy: z.enum(["busy", "tentative", "unavailable"]), start: time, end: time })
  .meta({ id: "BusyTime" });

export const gap = z
  .strictObject({
    start: time,
    end: time,
    local_start: z.string().describe("On the clock of content.time_zone."),
    tentative: z.literal(true).optional().describe("Somebody is invited then and has not answered."),
  })
  .meta({ id: "FreeTime" });

export const calendar = z
  .strictObject({ ...collection, time_zone: z.string().optional() })
  .meta({ id: "Calendar" });

export const signsField = z
  .array(z.enum(signs))
  .optional()
  .describe(
    "How the text addresses a program instead of a person: tokens of a model's conversation, another mail that seems to begin, closing tags, characters that write unseen. A sign is no verdict; absent: none.",
  );

export const event = z.strictObject({
  event: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("A JSCalendar Event or Task (RFC 8984, version 2.0), cleaned as texts of mail are."),
  component: z.string().describe("VEVENT, VTODO, VJOURNAL, VFREEBUSY, VAVAILABILITY."),
  uid: z.string(),
  calendar: z.string(),
  recurrence_id: z.string().optional(),
  start: z.string().optional(),
  end: z
    .string()
    .optional()
    .describe("On the same clock as start; of whole days the day after the last one."),
  time_zone: z.string().optional(),
  all_day: z.literal(true).optional(),
  utc_start: time.optional(),
  utc_end: time.optional(),
  overlaps: overlaps.describe(
    "The first five others at the same time in the calendars that you read, without what is free, cancelled or declined. Of a series, ask for an instance.",
  ),
  linked: linked.optional().describe("Attachments and long texts; the event has links in their place."),
  signs: signsField,
  ...eventFacts,
  ...placed,
});

export const addressbook = z.strictObject(collection).meta({ id: "Addressbook" });

export const contact = z.strictObject({
  card: z
    .record(z.string(), z.unknown())
    .describe("A JSContact Card (RFC 9553), cleaned as texts of mail are."),
  uid: z.string(),
  addressbook: z.string(),
  linked: linked.optional().describe("Photos and long texts; the card has links in their place."),
  signs: signsField,
  ...placed,
});
