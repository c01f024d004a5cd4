/** Schema of an Event or Task that a caller writes (RFC 8984 section 4 and 5; where it differs, the names of
 *  draft-ietf-calext-jscalendarbis, JSCalendar 2.0). Names with a vendor's domain (`example.com:foo`) are kept as they are (RFC 8984
 *  section 3.3); other unknown names are refused. An object that is read from a stored text is valid by this schema, so no
 *  bound here is smaller than that of a stored text. */
import { z } from "zod";
import { attendeeCommentMax, calendarObjectBytesMax } from "#/src/model/limits.ts";
import { parseDuration } from "../icalendar/duration.ts";
import { findNamedZone } from "../icalendar/find-time-zone.ts";
import { isArray, isObject, type Json } from "../jscontact/json.ts";
import { timeSchema } from "../jscontact/time-places.ts";
import { parseLocal, parseUtc } from "./local-time.ts";
import { addedByMember, participationWords, proposalMember } from "./participants.ts";
import { parseProposedTimes } from "./proposed-times.ts";
import { progressWords, statusWords } from "./singles.ts";

const text = z.string().max(calendarObjectBytesMax);
const line = text.regex(/^\P{Cc}+$/u, "Text without control characters.");
const uri = text.regex(/^[^\s\p{Cc}]+$/u, "A URI has no white space.");
/** RFC 8984 section 1.4.1. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,255}$/, "1 to 255 of A-Z, a-z, 0-9, - and _.");
/** RFC 8984 section 3.3. */
const vendorName = /^[A-Za-z0-9.-]{1,255}:[^\p{Cc}]{1,255}$/u;
const word = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,99}$/, "A word in lower case.");

/** What a caller has written otherwise has been converted before (`written-times.ts`). */
const local = timeSchema(
  "local",
  z
    .string()
    .refine(
      (value) => parseLocal(value) !== undefined,
      "A time that the event's clock shows once: 2026-01-31T12:00:00, or with a zone 2026-01-31T11:00:00Z.",
    ),
);
const utc = timeSchema(
  "utc",
  z.string().refine((value) => parseUtc(value) !== undefined, "A time: 2026-01-31T12:00:00Z."),
);
const signedDuration = z
  .string()
  .refine((value) => parseDuration(value) !== undefined, "A duration: PT1H30M, P1D, -PT15M.");
const duration = z
  .string()
  .regex(/^P/, "A duration: PT1H30M, P1D.")
  .refine((value) => parseDuration(value) !== undefined, "A duration: PT1H30M, P1D.");
const zone = z
  .string()
  .refine(
    (name) =>
      name.startsWith("/") || name === "UTC" || findNamedZone(name)?.id === name || name === "Etc/UTC",
    "A name of the IANA time zone database: Europe/Berlin.",
  );
const count = z.int().min(0).max(999_999_999);

type Shape = Readonly<Record<string, z.ZodType>>;

/** An object of these properties, and of others whose names have a vendor's domain. */
function open<T extends Shape>(type: string, shape: T) {
  return z.looseObject({ "@type": z.literal(type).optional(), ...shape }).superRefine((value, context) => {
    for (const key of Object.keys(value))
      if (key !== "@type" && !Object.hasOwn(shape, key) && !vendorName.test(key))
        context.addIssue({ code: "unrecognized_keys", keys: [key], input: value });
  });
}

const truths = (key: z.ZodType<string, string> = line) => z.record(key, z.literal(true));
const entries = <T extends z.ZodType>(entry: T) => z.record(id, entry).optional();

const jcalProperty = z
  .tuple([
    z.string().regex(/^(?!begin$|end$)[a-z0-9_-]{1,100}$/i),
    z.record(z.string().regex(/^[A-Za-z0-9_-]{1,100}$/), z.union([text, z.array(text)])),
    z.string().regex(/^[A-Za-z0-9-]{1,100}$/),
    text,
  ])
  .describe("A property of iCalendar as jCal writes it: name, parameters, type, value.");
const jcalComponent = z.tuple([
  z.string().regex(/^[a-z0-9-]{1,100}$/i),
  z.array(jcalProperty),
  z.array(z.json()),
]);
const left = z
  .strictObject({
    name: z.string().max(100).optional(),
    properties: z.array(jcalProperty).optional(),
    components: z.array(jcalComponent).optional(),
  })
  .optional()
  .describe("Properties and components of iCalendar that JSCalendar does not have.");

const dayOfWeek = z.enum(["mo", "tu", "we", "th", "fr", "sa", "su"]);
const numbersWithin = (min: number, max: number) => z.array(z.int().min(min).max(max)).min(1).optional();
const signedWithin = (max: number) =>
  z
    .array(
      z
        .int()
        .min(-max)
        .max(max)
        .refine((number) => number !== 0),
    )
    .min(1)
    .optional();
export const recurrenceRuleSchema = open("RecurrenceRule", {
  frequency: z.enum(["yearly", "monthly", "weekly", "daily", "hourly", "minutely", "secondly"]),
  interval: z.int().min(1).max(999_999_999).optional(),
  rscale: z.literal("gregorian").optional(),
  skip: z.literal("omit").optional(),
  firstDayOfWeek: dayOfWeek.optional(),
  byDay: z
    .array(
      open("NDay", {
        day: dayOfWeek,
        nthOfPeriod: z
          .int()
          .min(-53)
          .max(53)
          .refine((nth) => nth !== 0)
          .optional(),
      }),
    )
    .min(1)
    .optional(),
  byMonth: z
    .array(z.string().regex(/^(?:[1-9]|1[0-2])$/))
    .min(1)
    .optional(),
  byMonthDay: signedWithin(31),
  byYearDay: signedWithin(366),
  byWeekNo: signedWithin(53),
  byHour: numbersWithin(0, 23),
  byMinute: numbersWithin(0, 59),
  bySecond: numbersWithin(0, 59),
  bySetPosition: signedWithin(366),
  count: z.int().min(1).max(9_999_999_999).optional(),
  until: local.optional(),
});

const relation = open("Relation", { relation: truths(word).optional() });
const link = open("Link", {
  href: uri,
  rel: z
    .string()
    .max(1000)
    .regex(/^[^\p{Cc}]+$/u)
    .optional(),
  contentType: z
    .string()
    .max(1000)
    .regex(/^[^\p{Cc}]+$/u)
    .optional(),
  size: z.int().min(0).max(999_999_999_999_999).optional(),
  title: text.optional(),
  display: truths(word).optional(),
});
const location = open("Location", {
  name: text.min(1).optional(),
  description: text.optional(),
  locationTypes: truths().optional(),
  coordinates: text.regex(/^geo:/i).optional(),
  iCalendar: left,
});
const virtualLocation = open("VirtualLocation", {
  uri,
  name: text.optional(),
  features: truths(word).optional(),
});
const trigger = z.union([
  open("OffsetTrigger", { offset: signedDuration, relativeTo: z.enum(["start", "end"]).optional() }),
  open("AbsoluteTrigger", { when: utc }),
]);
const alert = open("Alert", {
  trigger,
  action: z.enum(["display", "email"]).optional(),
  acknowledged: utc.optional(),
  iCalendar: left,
});
export const participant = open("Participant", {
  calendarAddress: uri,
  name: text.min(1).optional(),
  email: text.min(1).optional(),
  kind: z.enum(["individual", "group", "resource", "location"]).optional(),
  roles: z
    .partialRecord(
      z.enum(["owner", "attendee", "required", "optional", "informational", "chair"]),
      z.literal(true),
    )
    .optional(),
  participationStatus: z.enum(participationWords).optional(),
  participationComment: text.min(1).max(attendeeCommentMax).optional(),
  progress: z.enum(["completed", "in-process"]).optional(),
  expectReply: z.boolean().optional(),
  language: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/)
    .optional(),
  sentBy: text.min(1).optional(),
  scheduleAgent: z.enum(["server", "client", "none"]).optional(),
  scheduleForceSend: z.boolean().optional(),
  scheduleStatus: z.array(text).min(1).optional(),
  delegatedTo: truths(id).optional(),
  delegatedFrom: truths(id).optional(),
  memberOf: truths(id).optional(),
  [proposalMember]: timeSchema(
    "proposed",
    z
      .string()
      .refine(
        (times) => parseProposedTimes(times) !== undefined,
        "One or two times: 2026-03-02T10:00:00Z/2026-03-02T11:00:00Z.",
      ),
  ).optional(),
  [addedByMember]: text.min(1).optional(),
});

const shared = {
  uid: line.optional(),
  prodId: text.optional(),
  method: z.string().max(100).optional(),
  created: utc.optional(),
  updated: utc.optional(),
  sequence: count.optional(),
  title: text.optional(),
  description: text.optional(),
  descriptionContentType: z
    .string()
    .regex(/^text\/[a-z0-9.+-]{1,100}$/)
    .optional(),
  start: local.optional(),
  timeZone: zone.nullable().optional(),
  showWithoutTime: z.boolean().optional(),
  freeBusyStatus: z.enum(["free", "busy"]).optional(),
  privacy: z.enum(["public", "private", "secret"]).optional(),
  priority: z.int().min(0).max(9).optional(),
  color: z
    .string()
    .regex(/^(?:[A-Za-z]{1,40}|#[0-9A-Fa-f]{6})$/, "A colour: navy, #1e90ff.")
    .optional(),
  locale: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/)
    .optional(),
  keywords: truths(text.min(1)).optional(),
  categories: truths(uri).optional(),
  locations: entries(location),
  virtualLocations: entries(virtualLocation),
  links: entries(link),
  relatedTo: z.record(line, relation).optional(),
  participants: entries(participant),
  organizerCalendarAddress: uri.optional(),
  alerts: entries(alert),
  useDefaultAlerts: z.boolean().optional(),
  recurrenceRule: recurrenceRuleSchema.optional(),
  recurrenceOverrides: z.record(local, z.record(z.string().min(1), z.json())).optional(),
  recurrenceId: local.optional(),
  recurrenceIdTimeZone: zone.optional(),
  timeZones: z.record(z.string().startsWith("/"), z.json()).optional(),
  iCalendar: left,
};

export const eventSchema = open("Event", {
  ...shared,
  duration: duration.optional(),
  endTimeZone: zone.optional(),
  status: z.enum(statusWords).optional(),
});
export const taskSchema = open("Task", {
  ...shared,
  due: local.optional(),
  estimatedDuration: duration.optional(),
  progress: z.enum(progressWords).optional(),
  progressUpdated: utc.optional(),
  percentComplete: z.int().min(0).max(100).optional(),
});

/** Whether a caller may write the member. */
export function mayBeMember(isTask: boolean, name: string, value: Json): boolean {
  const shape: Shape = isTask ? taskSchema.shape : eventSchema.shape;
  if (!Object.hasOwn(shape, name)) return vendorName.test(name);
  return !hasPrototype(value) && shape[name]!.safeParse(value).success;
}

/** Whether there is a member `__proto__`, over which schemas pass, but below the names of vendors. */
function hasPrototype(value: Json): boolean {
  if (isArray(value)) return value.some(hasPrototype);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, inner]) => key === "__proto__" || (!vendorName.test(key) && hasPrototype(inner)),
  );
}
