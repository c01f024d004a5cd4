/** Schemas that operations share. Their descriptions appear in OpenAPI and in the hints of refusals. */
import { z } from "zod";
import { authorKinds } from "#/src/model/author.ts";
import { eventTypes, unaskedTypes } from "#/src/model/changes.ts";
import { deliveryReasons, deliveryStates } from "#/src/model/delivery.ts";
import { errorCodes } from "#/src/model/errors.ts";
import { keywordForm } from "#/src/model/flags.ts";
import { declineWords } from "#/src/model/holds.ts";
import type { ObjectKind } from "#/src/model/ids.ts";
import { keywordBytesMax } from "#/src/model/limits.ts";
import { type Pause, pauseReasons } from "#/src/model/pause.ts";
import { doubts, removals } from "#/src/model/removal.ts";
import { isoTime } from "#/src/render/iso-time.ts";

/** Fields that name an object, with the kinds of objects that they take. */
export const namingFields = z.registry<{ readonly kinds: readonly ObjectKind[] }>();

declare const namedKind: unique symbol;
/** Of a field's schema: the kinds, for the compiler. */
export interface Naming<Kind extends ObjectKind> {
  readonly [namedKind]: Kind;
}

/** Declares that a field names an object of one of the kinds. Who may name which is in the table of rights, which has a row for each. */
export function naming<Schema extends z.ZodType, const Kinds extends readonly ObjectKind[]>(
  schema: Schema,
  ...kinds: Kinds
): Schema & Naming<Kinds[number]> {
  const named = schema.clone();
  namingFields.add(named, { kinds });
  return named as Schema & Naming<Kinds[number]>;
}

/** An identifier of an object of one of the kinds. */
export function idOf<const Kinds extends readonly ObjectKind[]>(
  ...kinds: Kinds
): z.ZodString & Naming<Kinds[number]> {
  return naming(z.string().max(400), ...kinds);
}

export const cursorText = z.string().max(20_000);

export const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/)
  .describe(
    "1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once.",
  )
  .optional();

/** A keyword of IMAP. */
export const label = z.string().min(1).max(keywordBytesMax).regex(keywordForm);

/** The version of a stored object. If it is absent, the refusal is `precondition_failed` with the version to retry with, not
 *  `invalid`. */
export const versionText = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe("The version that was read. Without it, or with an older one, 409 says the version to use.");

export const folderName = naming(z.string().min(1).max(500), "folder");

export const folderPathText = z
  .string()
  .min(1)
  .max(500)
  // Without \p{…}, which readers of JSON Schema in other languages do not know.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff\\]+$/)
  .refine((path) => path.isWellFormed())
  .describe(
    'A path of Unicode text without control characters and \\, levels divided by "/": Projects/2026.',
  );

/** A file name that a header field can carry. */
export const fileName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name))
  .describe("A file name of 1 to 255 characters without control characters.");

export const mediaType = z
  .string()
  .max(200)
  .regex(/^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; ?charset=[\w.:-]{1,40})?$/)
  .describe("A media type, such as text/plain; charset=utf-8 or image/png.");

export const maxChars = z
  .int()
  .min(200)
  .max(200_000)
  .optional()
  .describe("Characters of the rendering at most, 200 to 200000; 20000 when it is left out.");

export const kinds = [
  "agent",
  "message",
  "body",
  "attachment",
  "headers",
  "structure",
  "agent_part",
  "thread",
  "draft",
  "hold",
  "calendar",
  "event",
  "calendarMonth",
  "addressbook",
  "contact",
  "blob",
  "listing",
  "grammar",
  "catalog",
] as const;
export type ResultKind = (typeof kinds)[number];

export const errorSchema = z
  .strictObject({
    code: z.enum(errorCodes),
    message: z.string().describe("What went wrong, one sentence."),
    hint: z.string().optional().describe("What to do about it."),
    field: z.string().optional().describe("JSON pointer to the wrong field, on invalid."),
    reason: z
      .string()
      .optional()
      .describe("On policy_refused: why, in one word, such as already_sent. On invalid: mark_in_text."),
    request_id: z.string().optional().describe("The same as the header X-Request-Id."),
    retry_after_ms: z.int().optional().describe("On rate_limited."),
    version: z.string().optional().describe("On precondition_failed: the version to retry with."),
    current: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Sometimes on precondition_failed: the stored object."),
  })
  .meta({ id: "Error" });

const provenanceSchema = z
  .strictObject({
    authenticated: z
      .boolean()
      .describe("Whether the sender's identity was verified when the message was received."),
    removed: z
      .array(z.enum(removals))
      .describe(
        "What the rendering left out. doubtful: text of HTML of which it is not known whether a person sees it.",
      ),
    source: z.string().optional().describe("The protocol by which it came."),
    from_domain: z.string().optional(),
    checks: z.record(z.string(), z.unknown()).optional(),
    addressed: z.literal(false).optional().describe("The mailbox stands in no To or Cc of the mail."),
    removed_detail: z
      .array(
        z.strictObject({
          what: z.enum(removals),
          count: z.int(),
          where: z.string(),
          why: z
            .enum(doubts)
            .optional()
            .describe(
              "For doubtful: why it is not known to be visible. order-may-differ and font-of-signs: a person compares the words with what is drawn; of all others a person looks at the mail in a mail program.",
            ),
        }),
      )
      .optional(),
    received_at: z.string().optional(),
  })
  .meta({ id: "Provenance" });

/** Why and since when a mailbox is paused. */
export const pauseSchema = z
  .strictObject({
    reason: z
      .enum(pauseReasons)
      .describe("operator; approver: on the pages; or breaker: too many of its last mails failed."),
    since: z.string().optional(),
  })
  .meta({ id: "Pause" });

export function shownPause(pause: Pause): z.infer<typeof pauseSchema> {
  const { reason, since } = pause;
  return { reason, ...(since === undefined ? {} : { since: isoTime(since) }) };
}

export const readResult = z
  .strictObject({
    ref: z.string().describe("The reference that was read."),
    kind: z.enum(kinds).describe("The shape of content."),
    text: z.string().optional().describe("The rendering, for kinds that have one."),
    content: z.record(z.string(), z.unknown()).optional().describe("The structured form."),
    provenance: provenanceSchema.optional(),
    version: z.string().optional().describe("The version of a stored object."),
    cursor: z.string().optional().describe("Present when there is more to read."),
    cursor_before: z
      .string()
      .optional()
      .describe("Of around, offset and end: present when there is more to read before it."),
  })
  .meta({ id: "ReadResult" });
export type ReadResult = z.infer<typeof readResult>;

export const takenBack = z
  .literal(true)
  .optional()
  .describe("The mail was scheduled; its sending is cancelled.");

export const writeResult = z
  .strictObject({
    ref: z.string().describe("Reference of the object."),
    created: z.boolean(),
    version: z.string().optional().describe("Version of the object after the write."),
    error: errorSchema.optional(),
    replayed: z
      .literal(true)
      .optional()
      .describe(
        "This is the result of an earlier request: of send with its key, of a tool with the same input.",
      ),
    hint: z.string().optional().describe("With replayed, of a tool: how it is done again."),
  })
  .meta({ id: "WriteResult" });

export const addressWarnings = z
  .array(z.strictObject({ address: z.string(), reason: z.enum(deliveryReasons) }))
  .optional()
  .describe(
    "Recipients at whom the last mail of this mailbox failed for good: it is sent all the same. For credentials that read the whole mailbox.",
  );

export const eventSchema = z
  .strictObject({
    type: z.enum(eventTypes),
    mailbox: z.string(),
    message: z
      .string()
      .optional()
      .describe("Absent if the event is about the mailbox: agent.… and mailbox.…"),
    cursor: z.string().describe("Store it after acting on the event; watch and wait continue after it."),
    at: z.string(),
    by: z
      .strictObject({
        kind: z.enum(authorKinds),
        self: z.boolean().optional().describe("Whether it was your own credential. Webhooks do not have it."),
      })
      .describe("Who caused it. A program need not act on what it has done itself."),
    folder: z.string().optional(),
    thread: z.string().optional(),
    authenticated: z.boolean().optional(),
    agent_part: z.boolean().optional(),
    hold: z.string().optional().describe("For mail that waits or was declined: hold_…"),
    reason: z
      .string()
      .optional()
      .describe(
        `Why it waits or was declined; of agent.paused ${pauseReasons.join(", ")}; of mail.delayed and mail.bounced one of ${deliveryReasons.join(", ")}.`,
      ),
    why: z
      .enum(declineWords)
      .optional()
      .describe(
        "Of mail.declined, what the person chose: facts, recipient (not to this one), self (the person answers).",
      ),
    note: z
      .string()
      .optional()
      .describe("Of mail.declined, what the person wrote to the agent, on one line."),
    recipient: z.string().optional().describe("For the delivery of a sent message: the recipient."),
    outcome: z
      .strictObject({
        status: z.enum(deliveryStates).describe("The state of the delivery, as in content.delivery."),
        code: z.string().describe("Enhanced status code (RFC 3463)."),
      })
      .optional(),
  })
  .meta({ id: "Event" });

/** The common input of `wait` and `watch`. */
export const watchRequest = z
  .strictObject({
    cursor: cursorText.optional().describe("Where to continue; empty or absent: at the latest event."),
    mailbox: idOf("agent")
      .optional()
      .describe("Only this mailbox, ag_…; empty or absent: every mailbox in reach."),
    timeout_s: z
      .int()
      .min(1)
      .max(25)
      .optional()
      .describe("Seconds, 1 to 25: of quiet before a keepalive (watch), or to wait for an event (wait)."),
    types: z
      .array(z.enum(eventTypes))
      .max(50)
      .optional()
      .describe(`Only these event types; empty or absent: all of ${unaskedTypes.join(", ")}.`),
    agent_part: z.boolean().optional().describe("true: only messages with a machine-readable part."),
    doubtful: z
      .boolean()
      .optional()
      .describe(
        "true: only messages whose body has text of HTML of which it is not known whether a person sees it; false: only others.",
      ),
  })
  .meta({ id: "WatchRequest" });
export type WatchRequest = z.infer<typeof watchRequest>;
