/** send: composes and sends a mail, or sends a draft. It answers once the mail is durable: in the queue with its copy in Sent, or
 *  waiting for approval. For seven days, requests with the same key send one mail, whatever the repeats contain ("Limits", rules 2
 *  to 4). */
import { z } from "zod";
import { sendKeyMemoryMs } from "#/src/outbound/limits.ts";
import { mailFields, sendMail } from "../compose/send-mail.ts";
import { idempotencyOf } from "../idempotency.ts";
import { operation } from "../operation.ts";
import { writeResult } from "../schemas.ts";

export default operation({
  name: "send",
  verb: "send",
  summary: "Sends a mail, or asks a person whether it may be sent.",
  scope: "send",
  effect: "writes",
  input: z.strictObject({
    ...mailFields,
    hold: z
      .enum(["policy", "always"])
      .optional()
      .describe("always: a person has to approve it. policy (the default): if the policy says so."),
  }),
  output: writeResult.extend({
    state: z
      .enum(["queued", "scheduled", "held"])
      .describe("queued: it is being sent; events such as mail.sent and mail.bounced report the delivery."),
    hold: z.string().optional().describe("The hold that waits for approval, hold_…"),
    replayed: z.literal(true).optional().describe("This is the result of the first request with this key."),
  }),
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed", "policy_refused", "paused"],
  async run(context, { hold: holdWish, ...input }) {
    const { ids, clock } = context.rooms.mail;
    const idempotency = idempotencyOf(context, "send", input);
    const once = idempotency && {
      ...idempotency,
      expiresAt: clock.now() + sendKeyMemoryMs,
      replaysAnyRequest: true,
    };
    const { mailbox, result } = await sendMail(context, input, holdWish, once);
    return {
      ref: ids.encode("message", mailbox, result.message),
      created: true,
      version: String(result.modseq),
      state: result.state,
      ...(result.hold === undefined ? {} : { hold: ids.encode("hold", mailbox, result.hold) }),
      ...(result.isReplayed ? { replayed: true as const } : {}),
    };
  },
});
