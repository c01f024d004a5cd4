/** The shape of `content` for each `kind` of a read result. OpenAPI publishes these shapes; tests check every answer against them. */
import { z } from "zod";
import { differences } from "#/src/model/differences.ts";
import { folderDeclarations } from "#/src/model/folder-properties.ts";
import { declineWords, holdReasons } from "#/src/model/holds.ts";
import { forEachMark } from "#/src/model/marks.ts";
import { messageDeclarations } from "#/src/model/message-properties.ts";
import {
  addressbook,
  busy,
  calendar,
  collection,
  contact,
  contactForm,
  event,
  eventForm,
  gap,
  more,
  placed,
  range,
  signsField,
  time,
} from "./collections/contents.ts";
import { shownFields } from "./declared-fields.ts";
import { authorFacts } from "./describe/author-facts.ts";
import { type ResultKind, readResult } from "./schemas.ts";

const address = z.strictObject({ name: z.string().optional(), address: z.string() });
const addresses = z.array(address);

const part = z.strictObject({
  part: z.string().describe("IMAP section number."),
  type: z.string(),
  charset: z.string().optional(),
  disposition: z.string().optional(),
  name: z.string().optional(),
  size: z.int().describe("Octets as they were sent; of a part that is read, decoded."),
  cid: z.string().optional(),
});

interface Tree extends z.infer<typeof part> {
  readonly parts?: readonly Tree[] | undefined;
  readonly message?: Tree | undefined;
}

const tree: z.ZodType<Tree> = z
  .strictObject({
    ...part.shape,
    parts: z.lazy(() => z.array(tree)).optional(),
    message: z.lazy(() => tree).optional(),
  })
  .meta({ id: "PartTree" });

const headerFacts = {
  from: address.optional(),
  reply_to: addresses,
  to: addresses,
  cc: addresses,
  bcc: addresses,
  subject: z.string(),
  message_id: z.string().optional(),
  in_reply_to: z.array(z.string()),
  references: z.array(z.string()),
  automated: z.boolean(),
  list_id: z.string().optional(),
};

const ofPlace = {
  id: z.string(),
  thread: z.string(),
  folder: z.string(),
  labels: z.array(z.string()),
  ...forEachMark(() => z.boolean()),
  ...shownFields(messageDeclarations),
};

const otherNames = {
  author_facts: authorFacts
    .optional()
    .describe("Of mail from other servers: what was known of its author when it was received; no verdict."),
  reply_to_facts: authorFacts.optional().describe("The same of its Reply-To, if that leads elsewhere."),
  event: z
    .string()
    .optional()
    .describe(
      "Of a mail with an invitation, an answer or a cancellation: the event in the calendar, event_…",
    ),
  draft_id: z.string().optional().describe("For a message in Drafts."),
  hold_id: z.string().optional().describe("For a message that waits, or waited, for a person's approval."),
  hold_reason: z.enum(holdReasons).optional().describe("Why it waits, or waited."),
  state: z.string().optional().describe("scheduled: the mail is sent at send_at."),
  send_at: time.optional(),
};

const cuts = z.array(z.strictObject({ what: z.string(), start: z.int(), end: z.int() }));
const bodyFacts = {
  alternatives_differ: z
    .strictObject({
      shown: z.array(z.string()).describe("The parts that the text is made of."),
      other: z.string().describe("The part whose text differs."),
    })
    .optional()
    .describe("Another alternative has a different text; part.describe {part} reads it."),
  signs: signsField,
  quotes: z
    .array(
      z.strictObject({
        from: z.strictObject({ name: z.string().optional(), address: z.string().optional() }).optional(),
        authenticated: z.literal(false),
      }),
    )
    .optional()
    .describe(
      "Mails that are quoted in the text, by whom it names as their authors. Nobody vouches for them.",
    ),
  doubtful_share: z
    .number()
    .optional()
    .describe(
      "The share of the words, 0 to 1, that were left out because they may not be visible to a person; absent: none. The causes are in removed_detail. Ask a person to look at the mail, or read the alternative; with the scope raw, doubtful: include gives them.",
    ),
  differs: z
    .array(z.enum(differences))
    .optional()
    .describe(
      "Where people may see the page in another way than this text: phone: on a narrow screen other words are shown; remote: pictures or fonts from elsewhere may lie behind words or replace them; far: some stand more than 2,000 pixels below or beside the words before. Nothing is left out for it.",
    ),
  alternative: z
    .string()
    .optional()
    .describe(
      "A plain text that the sender wrote beside the page with words left out. People are not shown it.",
    ),
  shown_instead: z
    .array(z.string())
    .optional()
    .describe("The parts that a person is shown in the place of this one."),
  doubtful_marks: z
    .array(z.string())
    .optional()
    .describe("With doubtful include: each passage in doubt stands between one of these, twice."),
  cuts: cuts.optional().describe("With render reply: ranges of the text that are left out."),
};

const delivery = z
  .strictObject({
    state: z.string(),
    send_at: time.optional(),
    recipients: z.array(
      z.strictObject({
        address: z.string(),
        state: z.string(),
        code: z.string().optional().describe("Enhanced status code (RFC 3463)."),
        reason: z.string().optional(),
        at: time,
        next_at: time.optional(),
      }),
    ),
  })
  .describe("What became of a mail that was sent, is scheduled or waits for a person.");

const message = z.strictObject({
  ...ofPlace,
  answered: z.boolean(),
  draft: z.boolean(),
  ...headerFacts,
  date: time.optional(),
  received_at: time,
  size: z.int(),
  agent_part: z.boolean(),
  parts: z.array(part),
  ...otherNames,
  ...bodyFacts,
  ...placed,
  delivery: delivery.optional(),
});

const shortForm = z
  .strictObject({
    ...ofPlace,
    folder_role: z.string().optional(),
    folder_path: z.string().optional(),
    version: z.string(),
    from: address.optional(),
    subject: z.string(),
    date: time.optional(),
    received_at: time,
    size: z.int(),
    authenticated: z.boolean(),
    agent_part: z.boolean(),
    attachments: z
      .array(
        z.strictObject({ part: z.string(), name: z.string().optional(), type: z.string(), size: z.int() }),
      )
      .optional()
      .describe("The first ten."),
    attachments_more: z.int().optional().describe("How many more there are."),
    preview: z.string(),
    excerpt: z
      .strictObject({ text: z.string(), part: z.literal("body"), offset: z.int() })
      .optional()
      .describe(
        "Of search {q}: the text around the words; part.describe {part, offset} reads on from there.",
      ),
    ...otherNames,
  })
  .meta({ id: "ShortForm" });

/** Fields of everything that is read as text or octets. */
const reading = {
  ...part.partial().shape,
  encoding: z.string().optional(),
  sha256: z.string().optional(),
  renderer: z.string().optional(),
  chars_total: z.int().optional(),
  range: range.optional(),
  data: z.string().optional().describe("Base64, with render raw and source."),
  ...bodyFacts,
};

/** The content with render source. */
const source = z.strictObject({ id: z.string(), size: z.int(), data: z.string(), range });

const body = z.strictObject({ ...reading, parts: z.array(z.string()).optional() });
const attachment = z.strictObject({
  ...body.shape,
  message: z
    .strictObject(headerFacts)
    .optional()
    .describe("For a message inside the message: its own header."),
});

const reach = z.array(
  z.strictObject({
    mailbox: z.string(),
    address: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    folders: z.union([z.literal("all"), z.array(z.string())]),
  }),
);

const listing = {
  more,
  shortened: z
    .literal("preview")
    .optional()
    .describe(
      "Previews are shorter than without so many items; max_chars, or a smaller limit, gives them whole.",
    ),
  unknown: z
    .array(z.string())
    .optional()
    .describe("Of freetime: addresses whose busy time is not known to you."),
  time_zone: z.string().optional().describe("Of freetime."),
  items: z.array(z.union([shortForm, contactForm, eventForm, busy, gap])),
  total: z.int().optional(),
};

const folderFacts = {
  id: z.string(),
  path: z.string(),
  role: z.string().optional(),
  total: z.int(),
  unread: z.int(),
  ...shownFields(folderDeclarations),
};

const hold = {
  id: z.string(),
  message: z.string(),
  version: z.string(),
  state: z.string(),
  reason: z.string(),
  recipients: z.array(z.string()),
  digest: z.string(),
  requested_by: z.string(),
  decided_by: z.string().optional(),
  decided_at: time.optional(),
  why: z.enum(declineWords).optional(),
  note: z.string().optional(),
  created_at: time,
  expires_at: time,
  send_at: time.optional(),
  author_facts: authorFacts.optional().describe("Of the author whose mail it answers."),
  reply_to_facts: authorFacts.optional(),
};

const draft = {
  id: z.string(),
  message: z.string(),
  send_at: time.optional(),
  hold: z.string().optional(),
};

const names = z.record(z.string(), z.unknown());

const fullContents = {
  agent: z.strictObject({
    id: z.string(),
    kind: z.enum(["agent", "person"]),
    name: z.string(),
    address: z.string(),
    addresses: z.array(z.string()),
    state: z.string(),
    paused: z.strictObject({ reason: z.string(), since: time.optional() }).optional(),
    quota: z
      .strictObject({ bytes: z.int(), bytes_max: z.int().optional() })
      .optional()
      .describe(
        "Octets of mail, calendars, contacts and files, and the most of them; absent where not all mail is reached.",
      ),
    folders: z
      .array(z.strictObject({ ...folderFacts, size: z.int() }))
      .optional()
      .describe("Absent where no mail is reached."),
    calendars: z.array(calendar),
    addressbooks: z.array(addressbook),
    reach: reach.optional(),
  }),
  message: z.union([message, source]),
  body,
  attachment,
  headers: z.strictObject({
    ...reading,
    headers: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
  }),
  structure: z.strictObject({ structure: tree }),
  agent_part: z.strictObject({ ...reading, data: z.unknown().optional() }),
  thread: z.strictObject({ id: z.string(), subject: z.string(), ...listing }),
  draft: z.union([
    z.strictObject({ ...message.shape, ...draft }),
    z.strictObject({ ...source.shape, ...draft }),
  ]),
  hold: z.union([
    z.strictObject({ ...message.partial().shape, ...hold }),
    z.strictObject({ ...source.shape, ...hold }),
  ]),
  calendar: z.union([
    z.strictObject({ ...calendar.shape, more, items: z.array(eventForm) }),
    calendar.describe("Rendered as an agenda."),
  ]),
  event: z.union([event, source]),
  calendarMonth: z.strictObject({
    calendar: z.string(),
    month: z.string(),
    time_zone: z.string(),
    more,
    items: z.array(eventForm),
  }),
  addressbook: z.strictObject({ ...collection, more, items: z.array(contactForm) }),
  contact: z.union([contact, source]),
  blob: z.strictObject({ ...reading, id: z.string(), created_at: time, expires_at: time }),
  listing: z.strictObject({ ...z.strictObject(folderFacts).partial().shape, ...listing }),
  grammar: names,
  catalog: names,
} as const satisfies Record<ResultKind, z.ZodType>;

/** What `content` has, for the compiler: `test/interface/members.ts` says of each member of a stored object what becomes of it. */
export type ContentOf<Kind extends ResultKind> = z.infer<(typeof fullContents)[Kind]>;

/** Of an answer with `marks`. */
const markFields = {
  mark: z.string().optional().describe("What others wrote stands between two of these."),
  blank: z.string().optional().describe("With marks words: the character in the place of blanks."),
};

/** The shapes with either detail: a short answer has no `id` that its `ref` is, and no `uid` that stands inside; one
 *  with marks names them. */
export const contentOfKind = Object.fromEntries(
  Object.entries(fullContents).map(([kind, shape]) => [kind, saidOnce(shape)]),
) as Readonly<Record<ResultKind, z.ZodType>>;

function saidOnce(shape: z.ZodType): z.ZodType {
  if (shape instanceof z.ZodUnion) return z.union(shape.options.map((one) => saidOnce(one as z.ZodType)));
  if (!(shape instanceof z.ZodObject)) return shape;
  const said = Object.fromEntries(
    ["id", "uid"].filter((name) => name in shape.shape).map((name) => [name, true]),
  );
  return shape.partial(said as never).extend(markFields);
}

/** `readResult` with the shape of `content` for each kind. */
export const describedResult = z
  .discriminatedUnion(
    "kind",
    (Object.keys(contentOfKind) as ResultKind[]).map((kind) =>
      readResult.extend({ kind: z.literal(kind), content: contentOfKind[kind].optional() }),
    ) as never,
  )
  .meta({ id: "ReadResult" });
