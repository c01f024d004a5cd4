/** message.delete: moves a message to Trash; a message that is in Trash is removed for good. Scheduled mail is not sent then.
 *  Compare-and-swap on the version that was read. */
import { z } from "zod";
import type { Idempotency } from "#/src/mail/write-once.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { reachMessage, reachMessageIfAny } from "#/src/reach/messages.ts";
import { withCurrent } from "../../current.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { readId } from "../../identifiers.ts";
import { listedForm } from "../../listing.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { idempotencyKey, idOf, takenBack, versionText, writeResult } from "../../schemas.ts";

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
    const once = idempotencyOf(context, "message.delete", input);
    const { state, modseq, isTakenBack } =
      (await mail.findRepeat("deleteMessage", once)) ?? (await remove(context, name, input.version, once));
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
  name: ObjectName,
  version: string | undefined,
  once: Idempotency | undefined,
) {
  const number = name.object as MessageNumber;
  const reached = await reachAgent(context, name.agent, "mail");
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
