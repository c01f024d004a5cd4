/** hold.create: asks a person whether a mail may be sent, whatever the policy says: `send` with `hold: "always"`. */
import { z } from "zod";
import { holdStates } from "#/src/model/holds.ts";
import { sentAtField, shownSendAt } from "../../compose/send-at.ts";
import { mailFields, sendMail } from "../../compose/send-mail.ts";
import { operation } from "../../operation.ts";
import { addressWarnings, writeResult } from "../../schemas.ts";

export default operation({
  name: "hold.create",
  verb: "put",
  summary: "Asks a person whether a mail, or a draft, may be sent.",
  scope: "send",
  effect: "writes",
  version: "optional",
  putsMail: true,
  reaches: "others",
  example: { draft: "draft_…", version: "…" },
  input: z.strictObject(mailFields),
  output: writeResult.extend({
    state: z.enum(holdStates).describe("waiting; of a tool's repeat without a key, the state of now."),
    message: z.string().describe("The mail that waits, message_…"),
    ...sentAtField,
    warnings: addressWarnings,
  }),
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed", "policy_refused", "paused"],
  async run(context, input) {
    const { ids } = context.rooms.mail;
    const { mailbox, result } = await sendMail(context, input, "always", { request: ["hold.create", input] });
    const isSame = result.isReplayed && input.idempotency_key === undefined;
    const hold = isSame ? await context.rooms.holds.findHold(mailbox, result.hold!) : undefined;
    return {
      ref: ids.encode("hold", mailbox, result.hold!),
      created: true,
      version: String(result.modseq),
      state: hold?.state ?? ("waiting" as const),
      message: ids.encode("message", mailbox, result.message),
      ...shownSendAt(result.sendAt),
      ...(result.warnings === undefined ? {} : { warnings: [...result.warnings] }),
    };
  },
});
