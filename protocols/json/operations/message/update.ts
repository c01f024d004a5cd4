/** message.update: changes read state, flag, labels and folder of up to 100 messages, without a version ("Versioning", exception 4),
 *  or the time of scheduled mail, with a version. `labels` replaces all labels of a message. */
import { z } from "zod";
import type { Idempotency } from "#/src/mail/write-once.ts";
import type { MessagesUpdated } from "#/src/mail/writes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { forEachMark } from "#/src/model/marks.ts";
import { messageDeclarations } from "#/src/model/message-properties.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { onlyScheduled } from "#/src/model/scheduled.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { reachMessage, reachMessageIfAny } from "#/src/reach/messages.ts";
import { readSendAt, sendAtText, sentAtField, shownSendAt } from "../../compose/send-at.ts";
import { type Current, withCurrent } from "../../current.ts";
import { givenFields, givenProperties } from "../../declared-fields.ts";
import { errorObject, noSuchObject } from "../../errors.ts";
import {
  type MessagePlace,
  namingPlace,
  type ReachedMailboxes,
  reachMailboxes,
  reachPlaces,
  readPlaces,
} from "../../folders/message-places.ts";
import { listedForm } from "../../listing.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { reachFolder } from "../../reach.ts";
import {
  folderName,
  idempotencyKey,
  idOf,
  label,
  takenBack,
  versionText,
  writeResult,
} from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

const labels = z.array(label).max(100);
const labelForm =
  "A label is 1 to 100 printable ASCII characters without space, parentheses, braces, quotes, %, * and \\.";

const request = z.strictObject({
  id: idOf("message").optional().describe("A message, message_…; or several as ids."),
  ids: z
    .array(idOf("message"))
    .min(1)
    .max(100)
    .optional()
    .describe("1 to 100 messages of one mailbox, message_…"),
  ...forEachMark(() => z.boolean().optional().describe("true or false.")),
  ...givenFields(messageDeclarations),
  labels: labels.optional().describe(`Replaces all labels. ${labelForm}`),
  add_labels: labels.optional().describe(labelForm),
  remove_labels: labels.optional().describe(labelForm),
  folder: folderName.optional().describe("folder_…, a role (inbox, archive, …) or the IMAP path."),
  version: versionText.describe("The version that was read; needed with send_at, and only for one message."),
  send_at: sendAtText
    .optional()
    .describe(
      "A new time to send scheduled mail, as 2026-05-04T09:00:00Z; with id and version and nothing else.",
    ),
  idempotency_key: idempotencyKey,
});
type Input = z.infer<typeof request>;
const updateResult = writeResult.extend({ taken_back: takenBack, ...sentAtField });

export default operation({
  name: "message.update",
  verb: "put",
  summary: "Sets read state, flag, labels and folder of messages.",
  scope: "mail",
  effect: "writes",
  version: "optional",
  putsMail: true,
  reaches: "own",
  example: { ids: ["message_…"], unread: false, add_labels: ["done"], folder: "archive" },
  input: request,
  output: z.union([
    updateResult,
    z.strictObject({
      results: z.array(updateResult).describe("One for each of ids, in their order."),
    }),
  ]),
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed", "policy_refused"],
  async run(context, input) {
    const { mail } = context.rooms;
    const places = readPlaces(context, input);
    if (input.labels !== undefined && (input.add_labels !== undefined || input.remove_labels !== undefined))
      throw new WaypostError(
        "invalid",
        "labels replaces all labels, so nothing can be added or removed beside it.",
        {
          field: "/labels",
          hint: "Send labels, or add_labels and remove_labels.",
        },
      );
    assertVersionIsOfOne(input);
    if (input.send_at !== undefined) return reschedule(context, places[0]!, input);
    const { versions, takenBack: gone } = await writeInOrder(context, {
      request: ["message.update", input],
      reach: () => reachMailboxes(context, places, input.ids !== undefined),
      async repeat(once, reached) {
        const repeat = await mail.findRepeat("updateMessages", once);
        if (repeat === undefined) return undefined;
        // Of several, those in a mailbox that is no longer reached are refused, as the others of it are.
        const versions = repeat.versions.map((version, index) => (places[index]!.refusal ? null : version));
        if (versions.includes(null)) await reachPlaces(context, reached, places);
        return { ...repeat, versions };
      },
      write: (reached, once) => update(context, reached, places, input, once),
    });
    const results = places.map(({ id, name, refusal = noSuchObject }, index) => {
      const version = versions[index];
      return version == null
        ? { ref: id, created: false, error: errorObject(refusal) }
        : {
            ref: id,
            created: false,
            version: String(version),
            ...(gone?.includes(name!.object as MessageNumber) ? { taken_back: true as const } : {}),
          };
    });
    return input.ids === undefined ? results[0]! : { results };
  },
});

async function update(
  context: OperationContext,
  mailboxes: ReachedMailboxes,
  places: readonly MessagePlace[],
  input: Input,
  once: Idempotency | undefined,
): Promise<Pick<MessagesUpdated, "versions" | "takenBack">> {
  const reached = await reachPlaces(context, mailboxes, places);
  if (input.id !== undefined && places[0]!.refusal !== undefined) throw places[0]!.refusal;
  if (reached === undefined) return { versions: places.map(() => null), takenBack: [] };
  const { agent, actor } = reached;
  const messages = places.map(({ name, refusal }) =>
    refusal === undefined ? (name!.object as MessageNumber) : null,
  );
  const folder =
    input.folder === undefined ? undefined : await reachFolder(context, reached, input.folder, "/folder");
  if (folder?.number === 0) throw onlyScheduled();
  const update = {
    messages,
    marks: forEachMark((name) => input[name]),
    properties: await givenProperties(context, messageDeclarations, input),
    ...(input.labels === undefined ? {} : { labels: input.labels }),
    ...(input.add_labels === undefined ? {} : { addLabels: input.add_labels }),
    ...(input.remove_labels === undefined ? {} : { removeLabels: input.remove_labels }),
    ...(folder === undefined ? {} : { mailbox: folder.number }),
    ...(input.version === undefined ? {} : { version: input.version }),
  };
  const write = () => context.rooms.mail.updateMessages(actor, agent, update, once);
  if (input.id !== undefined)
    return withCurrent(context, agent, write, () => currentMessage(context, reached, messages[0]!));
  try {
    return await write();
  } catch (error) {
    throw namingPlace(error, places);
  }
}

function assertVersionIsOfOne(input: Input): void {
  const { id, ids, version, send_at: sendAt, idempotency_key: _key, ...changes } = input;
  if (ids !== undefined && version !== undefined)
    throw new WaypostError("invalid", "A version needs exactly one message.", {
      field: "/version",
      hint: "Send id with version, or ids without.",
    });
  if (sendAt !== undefined && (id === undefined || Object.values(changes).some((one) => one !== undefined)))
    throw new WaypostError("invalid", "send_at must be changed alone, for one mail.", {
      field: "/send_at",
      hint: "Send id, version and send_at, and nothing else.",
    });
}

/** Changes the time at which scheduled mail is sent. This needs the right to send. */
async function reschedule(context: OperationContext, place: MessagePlace, input: Input) {
  const { mail, outbound } = context.rooms;
  const { name } = place;
  if (name === undefined) throw noSuchObject;
  const message = name.object as MessageNumber;
  const sendAt = (await readSendAt(context, input.send_at))!;
  const { modseq, sendAt: leavesAt } = await writeInOrder(context, {
    request: ["message.update", input],
    async reach() {
      const reached = await reachAgent(context, name.agent, "mail");
      await reachAgent(context, name.agent, "send");
      return reached;
    },
    repeat: (once) => mail.findRepeat("rescheduleMessage", once),
    async write(reached, idempotency) {
      await reachMessage(context, reached, message);
      const change = { agent: name.agent, message, version: input.version, sendAt, idempotency };
      return withCurrent(
        context,
        name.agent,
        () => outbound.reschedule(context.principal.author, change),
        () => currentMessage(context, reached, message),
      );
    },
  });
  return {
    ref: mail.ids.encode("message", name.agent, message),
    created: false,
    version: String(modseq),
    ...shownSendAt(leavesAt),
  };
}

async function currentMessage(
  context: OperationContext,
  reached: ReachedData,
  number: MessageNumber,
): Promise<Current | undefined> {
  const message = await reachMessageIfAny(context, reached, number);
  return (
    message && { version: message.version, content: { ...(await listedForm(context, reached, message)) } }
  );
}
