/** search: lists messages of a mailbox, newest first, or items of a calendar or an addressbook. */
import { z } from "zod";
import { doubtfulKey, signsKey } from "#/src/mail/search/search-document.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import { claimedKind } from "#/src/model/ids.ts";
import type { CollectionNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { searchFreeBusy } from "../collections/free-busy.ts";
import { freeTimeFields, searchFreeTime } from "../collections/free-time.ts";
import { assertFieldsOf, searchCollection } from "../collections/search-collection.ts";
import { defaultCharacters } from "../describe/limits.ts";
import { givenMoment, givenMomentForm, readTime } from "../given-time.ts";
import { readId } from "../identifiers.ts";
import { allOf, listedContent, listMessages } from "../listing.ts";
import { type OperationContext, operation } from "../operation.ts";
import { assertInMailbox, reachFolder } from "../reach.ts";
import { cursorText, folderName, idOf, label, maxChars, readResult } from "../schemas.ts";
import { searchedWords, wordsThatNarrow } from "../searched-words.ts";

const defaultLimit = 20;
const whereIds = "part.describe of the mailbox that health names has their ids.";

const input = z.strictObject({
  in: idOf("agent", "calendar", "addressbook")
    .optional()
    .describe(
      "What to list within: a mailbox ag_…, calendar_… or addressbook_…; absent: the mailbox of the credential.",
    ),
  kind: z
    .enum(["freebusy", "freetime"])
    .optional()
    .describe(
      "For a mailbox: freebusy: when its owner is busy between since and before. freetime: the first gaps that are free for its owner and for with. Absent: its messages, or what is in the calendar or addressbook that in names. " +
        whereIds,
    ),
  ...freeTimeFields,
  folder: folderName.optional().describe("folder_…, a role (inbox, archive, …) or the IMAP path."),
  unread: z.boolean().optional().describe("true: only unread messages; false: only read ones."),
  flagged: z.boolean().optional().describe("Whether it is flagged."),
  labels: z.array(label).min(1).max(20).optional().describe("Only messages with all of these labels."),
  agent: z
    .boolean()
    .optional()
    .describe("true: only messages with a machine-readable part; false: only others."),
  doubtful: z
    .boolean()
    .optional()
    .describe(
      "true: only messages with text of HTML of which it is not known whether a person sees it; false: only others.",
    ),
  signs: z.boolean().optional().describe("Whether the body has content.signs."),
  resembles: z.boolean().optional().describe("Whether author_facts or reply_to_facts has resembles."),
  since: givenMoment
    .optional()
    .describe(`Received at this time or later, of events, going on then or later: ${givenMomentForm}`),
  before: givenMoment
    .optional()
    .describe(`Received before this time, of events, begun before it: ${givenMomentForm}`),
  from: z.string().min(1).max(320).optional().describe("Part of the sender's address or name."),
  thread: idOf("thread").optional().describe("Only this conversation, thread_…"),
  q: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Words that all stand in a message (subject, names, addresses, body as read), contact or event, in any case and order; in double quotes text as it stands: "\\"due on Friday\\"". Of messages 16 words count, of one or two small letters only in quotes.',
    ),
  limit: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("Messages, contacts or events of one answer, 1 to 100; 20 when it is left out."),
  cursor: cursorText.optional().describe("Continues the listing that gave the cursor."),
  max_chars: maxChars,
});

export default operation({
  name: "search",
  verb: "read",
  summary:
    "Lists messages of a mailbox, the newest first; contacts of an addressbook, events of a calendar, busy time.",
  scope: "kind",
  effect: "reads",
  reaches: "others",
  example: { folder: "inbox", unread: true, q: "invoice", limit: 10 },
  input,
  output: readResult,
  errors: ["not_billable", "forbidden_scope", "not_found"],
  async run(context, given) {
    const { mail } = context.rooms;
    const request = { ...given, ...(await instantsOf(context, given)) };
    if (request.in) assertNoFolder(request.in);
    const agent = request.in
      ? readId(context, request.in, ["agent", "calendar", "addressbook"], "/in")
      : { kind: "agent" as const, agent: context.principal.agent, object: 0 };
    if (agent.kind === "calendar" || agent.kind === "addressbook") {
      const { limit = defaultLimit, max_chars: charactersMax = defaultCharacters, ...asked } = request;
      assertFieldsOf(agent.kind, request);
      const number = agent.object as CollectionNumber;
      return searchCollection(context, agent.kind, agent.agent, number, { ...asked, limit, charactersMax });
    }
    if (request.kind === "freetime") return searchFreeTime(context, agent.agent, request);
    assertNoneOf(request);
    if (request.kind === "freebusy") return searchFreeBusy(context, agent.agent, request);
    const reached = await reachAgent(context, agent.agent, "mail:read");
    const mailbox =
      request.folder === undefined
        ? undefined
        : await reachFolder(context, reached, request.folder, "/folder");
    const keys = await keysOf(context, reached, request);
    const thread = keys.length === 1 && keys[0]!.kind === "thread" ? keys[0]!.thread : undefined;
    const { limit, cursor, max_chars: charactersMax, ...asked } = request;
    const listing = await listMessages(context, reached, {
      key: allOf(keys),
      thread,
      mailbox: mailbox?.number,
      words: request.q === undefined ? undefined : searchedWords(request.q).join(" "),
      limit: limit ?? defaultLimit,
      cursor,
      charactersMax,
      scope: JSON.stringify({ ...asked, in: "", folder: mailbox?.number ?? "" }, Object.keys(asked).sort()),
    });
    return {
      ref: mail.ids.encode("agent", reached.agent),
      kind: "listing" as const,
      content: {
        ...listedContent(listing),
        // Without a filter the total is known already.
        ...(mailbox === undefined || keys.length > 0 ? {} : { total: mailbox.messageCount }),
      },
      ...(listing.cursor === undefined ? {} : { cursor: listing.cursor }),
    };
  },
});

async function instantsOf(
  context: OperationContext,
  { since, before }: { readonly since?: string | undefined; readonly before?: string | undefined },
) {
  const inUtc = async (text: string): Promise<string> =>
    new Date(await readTime(context, text)).toISOString();
  return {
    ...(since === undefined ? {} : { since: await inUtc(since) }),
    ...(before === undefined ? {} : { before: await inUtc(before) }),
  };
}

/** Fields of freetime alone. */
function assertNoneOf(request: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(freeTimeFields).find((field) => request[field] !== undefined);
  if (other === undefined) return;
  throw new WaypostError("invalid", `The field ${other} is one of freetime.`, {
    field: `/${other}`,
    hint: 'Send kind: "freetime" beside it.',
  });
}

/** Programs often name the folder to list in `in`. */
function assertNoFolder(within: string): void {
  const kind = claimedKind(within);
  if (kind !== undefined && kind !== "folder") return;
  throw new WaypostError("invalid", "in names a mailbox, a calendar or an addressbook.", {
    field: "/in",
    hint: `Accepted: ag_…, calendar_…, addressbook_…: ${whereIds} A folder is named in folder: {"folder": "inbox"}.`,
  });
}

async function keysOf(
  context: OperationContext,
  reached: ReachedData,
  request: z.infer<typeof input>,
): Promise<SearchKey[]> {
  const keys: SearchKey[] = [];
  const need = (key: SearchKey, isWanted: boolean): void =>
    void keys.push(isWanted ? key : { kind: "not", key });
  if (request.unread !== undefined) need({ kind: "flags", mask: seenFlag }, !request.unread);
  if (request.agent !== undefined) need({ kind: "agentPart" }, request.agent);
  if (request.doubtful !== undefined) need(doubtfulKey, request.doubtful);
  if (request.signs !== undefined) need(signsKey, request.signs);
  if (request.resembles !== undefined) need({ kind: "resembles" }, request.resembles);
  if (request.since !== undefined || request.before !== undefined)
    keys.push({
      kind: "date",
      field: "internal",
      ...(request.since === undefined ? {} : { from: Date.parse(request.since) }),
      ...(request.before === undefined ? {} : { until: Date.parse(request.before) }),
    });
  if (request.from !== undefined) keys.push({ kind: "header", name: "from", text: request.from });
  if (request.flagged !== undefined) need({ kind: "flags", mask: flaggedFlag }, request.flagged);
  for (const name of request.labels ?? []) keys.push({ kind: "keyword", name });
  if (request.q !== undefined) keys.push(...wordsThatNarrow(request.q).map(anywhere));
  if (request.thread !== undefined) {
    const name = readId(context, request.thread, ["thread"], "/thread");
    await assertInMailbox(context, name, reached.agent, "mail:read", {
      field: "/thread",
      hint: "Search within the mailbox that the conversation is in.",
    });
    keys.push({ kind: "thread", thread: name.object as ThreadNumber });
  }
  return keys;
}

/** A key that searches where people see text; fields that servers write for each other are left out. */
function anywhere(text: string): SearchKey {
  const fields = ["subject", "from", "to", "cc", "bcc", "reply-to"] as const;
  return {
    kind: "or",
    keys: [...fields.map((name) => ({ kind: "header" as const, name, text })), { kind: "body", text }],
  };
}
