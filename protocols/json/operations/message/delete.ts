/** message.delete: moves a message to Trash; a message that is in Trash is removed for good. Scheduled mail is not sent then.
 *  Compare-and-swap on the version that was read. */
import { z } from "zod";
import type { Idempotency } from "#/src/mail/write-once.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { reachMessage, reachMessageIfAny } from "#/src/reach/messages.ts";
import { withCurrent } from "../../current.ts";
import { readId } from "../../identifiers.ts";
import { listedForm } from "../../listing.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { idempotencyKey, idOf, takenBack, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "message.delete",
  verb: "put",
  summary:
    "Moves a message to Trash, so that scheduled mail does not leave; one that is in Trash is removed for good.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "own",
  example: { id: "message_…", version: "…" },
  input: z.strictObject({
    id: idOf("message").describe("The message, message_…"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({
    state: z.enum(["trashed", "removed"]).describe("removed: deleted for good."),
    taken_back: takenBack,
  }),
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed", "policy_refused"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["message"], "/id");
    const { state, modseq, isTakenBack } = await writeInOrder(context, {
      request: ["message.delete", input],
      reach: () => reachAgent(context, name.agent, "mail"),
      repeat: (once) => mail.findRepeat("deleteMessage", once),
      write: (reached, once) => remove(context, reached, name, input.version, once),
    });
    return {
      ref: input.id,
      created: false,
      version: String(modseq),
      state,
      ...(isTakenBack ? { taken_back: true as const } : {}),
    };
  },
});

async function remove(
  context: OperationContext,
  reached: ReachedData,
  name: ObjectName,
  version: string | undefined,
  once: Idempotency | undefined,
) {
  const number = name.object as MessageNumber;
  await reachMessage(context, reached, number);
  return withCurrent(
    context,
    name.agent,
    () => context.rooms.mail.deleteMessage(reached.actor, name.agent, number, version, once),
    async () => {
      const message = await reachMessageIfAny(context, reached, number);
      return (
        message && { version: message.version, content: { ...(await listedForm(context, reached, message)) } }
      );
    },
  );
}
