/** message.update: read state, flag, labels and folder of one message or of up to 100, without a version ("Versioning",
 *  exception 4). Labels given as `labels` replace the message's labels whole. */
import { z } from "zod";
import type { Idempotency } from "#/src/mail/write-once.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { errorObject } from "../../errors.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { readId } from "../../identifiers.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { reachAgent, reachFolder, reachMessage, reachMessageIfAny } from "../../reach.ts";
import { idempotencyKey, idText, label, writeResult } from "../../schemas.ts";

const labels = z.array(label).max(100);
const labelForm =
  "A label is 1 to 100 printable ASCII characters without space, parentheses, braces, quotes, %, * and \\.";

const request = z.strictObject({
  id: idText.optional().describe("A message, message_…; or several as ids."),
  ids: z.array(idText).min(1).max(100).optional().describe("1 to 100 messages of one mailbox, message_…"),
  unread: z.boolean().optional().describe("true or false."),
  flagged: z.boolean().optional().describe("true or false."),
  labels: labels.optional().describe(`Replaces all labels. ${labelForm}`),
  add_labels: labels.optional().describe(labelForm),
  remove_labels: labels.optional().describe(labelForm),
  folder: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("folder_…, a role (inbox, archive, …) or the IMAP path."),
  idempotency_key: idempotencyKey,
});

export default operation({
  name: "message.update",
  verb: "put",
  summary: "Sets read state, flag, labels and folder of messages.",
  scope: "mail",
  effect: "writes",
  input: request,
  output: z.union([
    writeResult,
    z.strictObject({
      results: z.array(writeResult).describe("One for each of ids, in their order."),
    }),
  ]),
  errors: ["not_billable", "forbidden_scope", "not_found"],
  async run(context, input) {
    const { mail } = context.rooms;
    const named = namedMessages(context, input);
    if (input.labels !== undefined && (input.add_labels !== undefined || input.remove_labels !== undefined))
      throw new WaypostError(
        "invalid",
        "labels replaces all labels, so nothing can be added or removed beside it.",
        {
          field: "/labels",
          hint: "Send labels, or add_labels and remove_labels.",
        },
      );
    const { agent } = named[0]!;
    const numbers = named.map((one) => one.object as MessageNumber);
    const once = idempotencyOf(context, "message.update", input);
    const { versions } =
      (await mail.findRepeat("updateMessages", once)) ?? (await update(context, agent, numbers, input, once));
    const results = numbers.map((number, index) => {
      const ref = mail.ids.encode("message", agent, number);
      const version = versions[index];
      return version == null
        ? { ref, created: false, error: errorObject(noSuchMessage()) }
        : { ref, created: false, version: String(version) };
    });
    if (input.ids !== undefined) return { results };
    return results[0]!;
  },
});

async function update(
  context: OperationContext,
  agent: AgentNumber,
  messages: readonly MessageNumber[],
  input: z.infer<typeof request>,
  once: Idempotency | undefined,
) {
  const reached = await reachAgent(context, agent, "mail");
  // One of several that has gone is told of in its own result.
  const reach = input.ids === undefined ? reachMessage : reachMessageIfAny;
  for (const number of messages) await reach(context, reached, number);
  const folder =
    input.folder === undefined ? undefined : await reachFolder(context, reached, input.folder, "/folder");
  const update = {
    messages,
    ...(input.unread === undefined ? {} : { isUnread: input.unread }),
    ...(input.flagged === undefined ? {} : { isFlagged: input.flagged }),
    ...(input.labels === undefined ? {} : { labels: input.labels }),
    ...(input.add_labels === undefined ? {} : { addLabels: input.add_labels }),
    ...(input.remove_labels === undefined ? {} : { removeLabels: input.remove_labels }),
    ...(folder === undefined ? {} : { mailbox: folder.number }),
  };
  return context.rooms.mail.updateMessages(agent, update, once, reached.actor);
}

interface Named {
  readonly id?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

function namedMessages(context: OperationContext, input: Named) {
  if ((input.id === undefined) === (input.ids === undefined))
    throw new WaypostError("invalid", "One of id and ids is needed, and not both.", {
      field: "/id",
      hint: 'Send id: "message_…", or ids with 1 to 100 of them.',
    });
  if (input.id !== undefined) return [readId(context, input.id, ["message"], "/id")];
  const named = input.ids!.map((id, index) => readId(context, id, ["message"], `/ids/${index}`));
  const other = named.findIndex((one) => one.agent !== named[0]!.agent);
  if (other > 0)
    throw new WaypostError("invalid", "The messages are of different mailboxes.", {
      field: `/ids/${other}`,
      hint: "Send one request for each mailbox.",
    });
  return named;
}

function noSuchMessage(): WaypostError {
  return new WaypostError("not_found", "There is no such message.");
}
