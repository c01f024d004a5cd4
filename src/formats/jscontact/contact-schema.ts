/** Schema of a Card that a caller writes (RFC 9553 section 2). Properties of RFC 9553 have its types; names with a vendor's domain
 *  (`example.com:foo`) are kept unchanged (section 1.8); other unknown names are refused, unless the stored card has them. */
import { z } from "zod";
import type { Json, Path } from "./json.ts";
import { timePlacesOf, timeSchema } from "./time-places.ts";

const text = z.string().max(100_000);
const uri = z
  .string()
  .min(1)
  .max(16 * 1024 * 1024);
/** RFC 9553 section 1.4.1. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,255}$/);
/** RFC 9553 section 1.8. */
const vendorName = /^[A-Za-z0-9.-]{1,255}:.{1,255}$/s;
/** What a caller has written otherwise has been converted before. */
const utcTime = timeSchema(
  "utc",
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    .refine((time) => !Number.isNaN(Date.parse(time)))
    .describe("A time: 2026-01-31T12:00:00Z."),
);
const languageTag = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8})*$/);

/** Bounds the cost of reading a card. */
const entriesMax = 1000;

function isBounded(value: object): boolean {
  return Object.keys(value).length <= entriesMax;
}

const truths = z.record(z.string().min(1).max(1000), z.literal(true)).refine(isBounded);
const types = <T extends string>(name: T) => z.literal(name).optional();

/** `vCardParams` and `vCardName` (RFC 9555 section 2.15). */
const carried = {
  vCardParams: z
    .record(z.string().regex(/^[A-Za-z0-9_-]{1,100}$/), z.union([text, z.array(text).max(100)]))
    .optional(),
  vCardName: z.string().max(100).optional(),
};

type Shape = Readonly<Record<string, z.ZodType>>;

/** An object of these properties, and of others whose names have a vendor's domain. */
function open<T extends Shape>(shape: T) {
  return z.looseObject({ ...shape, ...carried }).superRefine((value, context) => {
    for (const key of Object.keys(value))
      if (
        !Object.hasOwn(shape, key) &&
        !Object.hasOwn(carried, key) &&
        !vendorName.test(key) &&
        key !== "@type"
      )
        context.addIssue({ code: "unrecognized_keys", keys: [key], input: value });
  });
}

function entries<T extends z.ZodType>(entry: T) {
  return z.record(id, entry).refine(isBounded, `At most ${entriesMax} entries.`).optional();
}

const pref = z.int().min(1).max(100).optional();
const shared = { pref, contexts: truths.optional(), label: text.optional() };

const component = open({
  "@type": types("NameComponent").or(types("AddressComponent")),
  kind: z.string().max(100),
  value: text,
  phonetic: text.optional(),
});
const componentFields = {
  components: z.array(component).max(entriesMax).optional(),
  isOrdered: z.boolean().optional(),
  defaultSeparator: text.optional(),
  full: text.optional(),
  phoneticScript: z.string().max(100).optional(),
  phoneticSystem: z.string().max(100).optional(),
};
const address = open({
  "@type": types("Address"),
  ...componentFields,
  countryCode: z
    .string()
    .regex(/^[A-Za-z]{2}$/)
    .optional(),
  coordinates: z.string().max(1000).regex(/^geo:/i).optional().describe("A geo: URI."),
  timeZone: z.string().max(100).optional(),
  ...shared,
});
const resource = {
  kind: z.string().max(100).optional(),
  uri,
  mediaType: z.string().max(200).optional(),
  ...shared,
};
const partialDate = open({
  "@type": types("PartialDate"),
  year: z.int().min(0).max(9999).optional(),
  month: z.int().min(1).max(12).optional(),
  day: z.int().min(1).max(31).optional(),
  calendarScale: z.string().max(100).optional(),
});
const timestamp = open({ "@type": types("Timestamp"), utc: utcTime });
const unit = open({ "@type": types("OrgUnit"), name: text, sortAs: text.optional() });
const relation = open({ "@type": types("Relation"), relation: truths.optional() });

const cardProperty = z
  .tuple([
    z.string().regex(/^[A-Za-z0-9_-]{1,100}$/),
    z.record(z.string().regex(/^[A-Za-z0-9_-]{1,100}$/), z.union([text, z.array(text).max(100)])),
    z.string().regex(/^[A-Za-z0-9-]{1,100}$/),
    z.union([uri.or(z.literal("")), z.array(text).max(entriesMax)]),
  ])
  .describe("A property of the vCard as jCard writes it: name, parameters, type, value.");

const known = {
  "@type": types("Card"),
  version: z.literal("1.0").optional(),
  uid: z
    .string()
    .max(1000)
    .refine((value) => /[^\s\p{Cc}]/u.test(value), "A text that is not blank.")
    .optional(),
  kind: z.string().min(1).max(100).optional(),
  created: utcTime.optional(),
  updated: utcTime.optional(),
  language: languageTag.optional(),
  prodId: text.optional(),
  members: z.record(z.string().min(1).max(1000), z.literal(true)).refine(isBounded).optional(),
  relatedTo: z.record(z.string().min(1).max(1000), relation).refine(isBounded).optional(),
  name: open({
    "@type": types("Name"),
    ...componentFields,
    sortAs: z.record(z.string(), text).optional(),
  }).optional(),
  nicknames: entries(open({ "@type": types("Nickname"), name: text, ...shared })),
  organizations: entries(
    open({
      "@type": types("Organization"),
      name: text.optional(),
      units: z.array(unit).max(entriesMax).optional(),
      sortAs: text.optional(),
      contexts: truths.optional(),
    }),
  ),
  speakToAs: open({
    "@type": types("SpeakToAs"),
    grammaticalGender: z.string().max(100).optional(),
    pronouns: entries(open({ "@type": types("Pronouns"), pronouns: text, ...shared })),
  }).optional(),
  titles: entries(
    open({
      "@type": types("Title"),
      name: text,
      kind: z.string().max(100).optional(),
      organizationId: id.optional(),
    }),
  ),
  emails: entries(open({ "@type": types("EmailAddress"), address: z.string().min(1).max(1000), ...shared })),
  onlineServices: entries(
    open({
      "@type": types("OnlineService"),
      service: text.optional(),
      uri: uri.optional(),
      user: text.optional(),
      ...shared,
    }),
  ),
  phones: entries(
    open({
      "@type": types("Phone"),
      number: z.string().min(1).max(1000),
      features: truths.optional(),
      ...shared,
    }),
  ),
  preferredLanguages: entries(
    open({ "@type": types("LanguagePref"), language: languageTag, pref, contexts: truths.optional() }),
  ),
  calendars: entries(open({ "@type": types("Calendar"), ...resource })),
  schedulingAddresses: entries(open({ "@type": types("SchedulingAddress"), uri, ...shared })),
  addresses: entries(address),
  cryptoKeys: entries(open({ "@type": types("CryptoKey"), ...resource })),
  directories: entries(open({ "@type": types("Directory"), ...resource, listAs: z.int().min(1).optional() })),
  links: entries(open({ "@type": types("Link"), ...resource })),
  media: entries(open({ "@type": types("Media"), ...resource })),
  localizations: z
    .record(languageTag, z.record(z.string().min(1).max(2000), z.json()).refine(isBounded))
    .refine(isBounded)
    .optional(),
  anniversaries: entries(
    open({
      "@type": types("Anniversary"),
      kind: z.string().max(100),
      date: z.union([timestamp, partialDate]),
      place: address.optional(),
      contexts: truths.optional(),
    }),
  ),
  keywords: truths.optional(),
  notes: entries(
    open({
      "@type": types("Note"),
      note: text,
      created: utcTime.optional(),
      author: open({ "@type": types("Author"), name: text.optional(), uri: uri.optional() }).optional(),
    }),
  ),
  personalInfo: entries(
    open({
      "@type": types("PersonalInfo"),
      kind: z.string().max(100),
      value: text,
      level: z.enum(["high", "medium", "low"]).optional(),
      listAs: z.int().min(1).optional(),
      label: text.optional(),
    }),
  ),
  vCardProps: z.array(cardProperty).max(entriesMax).optional(),
};

export const cardSchema = open(known);
export type Card = z.infer<typeof cardSchema>;

/** Whether the value is of the kind that the member has, or the entry in it. Of other names nothing is known. */
export function isOfKind([top, ...entry]: Path, value: Json): boolean {
  if (!Object.hasOwn(known, top!)) return true;
  const whole = entry.reduceRight<Json>((inner, step) => ({ [step]: inner }), value);
  const { issues = [] } = known[top as keyof typeof known].safeParse(whole).error ?? {};
  return issues.every(({ code }) => code === "unrecognized_keys");
}

/** All times of a Card. */
export const cardTimes = timePlacesOf(cardSchema)!;
