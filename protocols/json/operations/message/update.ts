/** message.update: read state, flag, labels and folder of one message or of up to 100, without a version ("Versioning",
 *  exception 4). Labels given as `labels` replace the message's labels whole. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { errorObject } from "../../errors.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { readId } from "../../identifiers.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { reachAgent, reachFolder, reachMessage, reachMessageIfAny } from "../../reach.ts";
import { idempotencyKey, idText, label, writeResult } from "../../schemas.ts";

const labels = z.array(label).max(100);
const labelForm =
  "A label is 1 to 100 printable ASCII characters without space, parentheses, braces, quotes, %, * and \\.";

export default operation({
  name: "message.update",
  verb: "put",
  summary: "Sets read state, flag, labels and folder of messages.",
  scope: "mail",
  effect: "writes",
  input: z.strictObject({
    id: idText.optional().describe("A message, message_…; or several as ids."),
    ids: z.array(idText).min(1).max(100).optional().describe("1 to 100 messages of one mailbox."),
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
  }),
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
    const reached = await reachAgent(context, agent, "mail");
    const numbers = named.map((one) => one.object as MessageNumber);
    const idempotency = idempotencyOf(context, "message.update", input);
    // One of several that has gone is told of in its own result; a repeat is answered from its key.
    const isNeeded = input.ids === undefined && idempotency === undefined;
    const reach = isNeeded ? reachMessage : reachMessageIfAny;
    for (const number of numbers) await reach(context, reached, number);
    const folder =
      input.folder === undefined ? undefined : await reachFolder(context, reached, input.folder, "/folder");
    const { missing, modseq } = await mail.updateMessages(
      agent,
      {
        messages: numbers,
        ...(input.unread === undefined ? {} : { isUnread: input.unread }),
        ...(input.flagged === undefined ? {} : { isFlagged: input.flagged }),
        ...(input.labels === undefined ? {} : { labels: input.labels }),
        ...(input.add_labels === undefined ? {} : { addLabels: input.add_labels }),
        ...(input.remove_labels === undefined ? {} : { removeLabels: input.remove_labels }),
        ...(folder === undefined ? {} : { mailbox: folder.number }),
      },
      idempotency,
    );
    const results = [];
    for (const number of numbers) {
      const ref = mail.ids.encode("message", agent, number);
      if (missing.includes(number))
        results.push({ ref, created: false, error: errorObject(noSuchMessage()) });
      else {
        const message = await mail.findMessage(agent, number);
        results.push({ ref, created: false, version: message?.version ?? String(modseq) });
      }
    }
    if (input.ids !== undefined) return { results };
    if (missing.length > 0) throw noSuchMessage();
    return results[0]!;
  },
});

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
