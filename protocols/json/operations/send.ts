/** send: composes and sends a mail, or sends a draft. It answers once the mail is durable: in the queue with its copy in Sent, or
 *  waiting for approval. For seven days, requests with the same key send one mail, whatever the repeats contain ("Limits", rules 2
 *  to 4). */
import { z } from "zod";
import { mailStates } from "#/src/model/delivery.ts";
import { holdReasons } from "#/src/model/holds.ts";
import { sendKeyMemoryMs } from "#/src/outbound/limits.ts";
import { sentAtField, shownSendAt } from "../compose/send-at.ts";
import { mailFields, sendMail, stateNow, unsentStates } from "../compose/send-mail.ts";
import { operation } from "../operation.ts";
import { addressWarnings, writeResult } from "../schemas.ts";

export default operation({
  name: "send",
  verb: "send",
  summary: "Sends a mail, or asks a person whether it may be sent.",
  scope: "send",
  effect: "writes",
  version: "optional",
  putsMail: true,
  reaches: "others",
  example: {
    body: { to: ["Ann <ann@example.com>"], subject: "Offer", text: "Good morning." },
    idempotency_key: "offer-1",
  },
  input: z.strictObject({
    ...mailFields,
    hold: z
      .enum(["policy", "always"])
      .optional()
      .describe("always: a person has to approve it. policy (the default): if the policy says so."),
  }),
  output: writeResult.extend({
    state: z
      .enum([...mailStates, ...unsentStates])
      .describe(
        "queued, scheduled or held. queued: it is being sent; events such as mail.sent and mail.bounced report the delivery. Of a tool's repeat without a key, the state of now, any of them.",
      ),
    hold: z.string().optional().describe("The hold that waits for approval, hold_…"),
    hold_reason: z.enum(holdReasons).optional().describe("Why it waits."),
    ...sentAtField,
    warnings: addressWarnings,
  }),
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed", "policy_refused", "paused"],
  async run(context, { hold: holdWish, ...input }) {
    const { ids, clock } = context.rooms.mail;
    const isKeyed = input.idempotency_key !== undefined;
    const { mailbox, result } = await sendMail(context, input, holdWish, {
      request: ["send", input],
      keeping: (once) =>
        isKeyed ? { ...once, expiresAt: clock.now() + sendKeyMemoryMs, replaysAnyRequest: true } : once,
    });
    return {
      ref: ids.encode("message", mailbox, result.message),
      created: true,
      version: String(result.modseq),
      state: result.isReplayed && !isKeyed ? await stateNow(context, mailbox, result) : result.state,
      ...(result.hold === undefined ? {} : { hold: ids.encode("hold", mailbox, result.hold) }),
      ...(result.reason === undefined ? {} : { hold_reason: result.reason }),
      ...shownSendAt(result.sendAt),
      ...(result.warnings === undefined ? {} : { warnings: [...result.warnings] }),
      ...(result.isReplayed ? { replayed: true as const } : {}),
    };
  },
});
