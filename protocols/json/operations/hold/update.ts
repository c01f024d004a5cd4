/** hold.update: approves or declines a mail that waits, with the scope approve; or replaces its body, and the new mail waits again.
 *  Compare-and-swap: an approval is bound to the version that was read. */

import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { HoldState } from "#/src/model/holds.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { composeBody } from "../../compose/composed-message.ts";
import { withCurrent } from "../../current.ts";
import { currentHold, reachHold } from "../../describe/hold.ts";
import { messageBody } from "../../describe/message-body.ts";
import { readId } from "../../identifiers.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

const actions = { approved: "approve", declined: "decline", waiting: "undo" } as const;

const input = z.strictObject({
  id: idOf("hold").describe("The hold, hold_…"),
  version: versionText,
  state: z
    .enum(["approved", "declined", "waiting"])
    .optional()
    .describe(
      "With the scope approve: approve it, decline it (final), or withdraw an approval while the mail is not sent.",
    ),
  body: messageBody
    .optional()
    .describe("Or another mail in its place, which waits again; with the scope send."),
  idempotency_key: idempotencyKey,
});
type Input = z.infer<typeof input>;

export default operation({
  name: "hold.update",
  verb: "put",
  summary: "Approves or declines a mail that waits, or replaces it.",
  scope: "kind",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "others",
  example: { id: "hold_…", version: "…", state: "approved" },
  input,
  output: writeResult.extend({
    state: z.string().describe("waiting, approved or declined."),
    message: z.string().describe("The mail as it is now, message_…; another one after each edit."),
  }),
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const name = readId(context, input.id, ["hold"], "/id");
    if ((input.state === undefined) === (input.body === undefined))
      throw new WaypostError("invalid", "Exactly one of state and body is needed.", {
        field: "/state",
        hint: 'Send state: "approved", "declined" or "waiting"; or another body.',
      });
    const { mail } = context.rooms;
    const changed =
      input.body === undefined ? await decide(context, name, input) : await edit(context, name, input);
    return {
      ref: input.id,
      created: false,
      version: String(changed.modseq),
      state: changed.state,
      message: mail.ids.encode("message", name.agent, changed.message),
    };
  },
});

async function decide(context: OperationContext, name: ObjectName, input: Input) {
  const { mail, holds } = context.rooms;
  return writeInOrder(context, {
    request: ["hold.update", input],
    reach: () => reachAgent(context, name.agent, "approve"),
    repeat: (once) => mail.findRepeat("decideHold", once),
    async write(_reached, idempotency) {
      const { hold, reached } = await reachHold(context, name, "approve");
      const { agent, actor } = reached;
      const action = actions[input.state!];
      return withCurrent(
        context,
        name.agent,
        () => holds.decide({ agent, hold: hold.hold, version: input.version, action, actor, idempotency }),
        () => currentHold(context, reached, hold.hold),
      );
    },
  });
}

async function edit(context: OperationContext, name: ObjectName, input: Input) {
  const { mail, holds } = context.rooms;
  const edited = await writeInOrder(context, {
    request: ["hold.update", input],
    reach: () => reachAgent(context, name.agent, "send"),
    repeat: (once) => mail.findRepeat("editHold", once),
    async write(_reached, idempotency) {
      const { hold, reached } = await reachHold(context, name, "send");
      const { agent, actor } = reached;
      const { bytes } = await composeBody(context, agent, input.body!, { hasBcc: true });
      return withCurrent(
        context,
        name.agent,
        () => holds.edit({ agent, hold: hold.hold, version: input.version, bytes, actor, idempotency }),
        () => currentHold(context, reached, hold.hold),
      );
    },
  });
  const state: HoldState = "waiting";
  return { ...edited, state };
}
