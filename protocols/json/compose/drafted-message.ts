/** The input of `draft.create` and `draft.update`, and the message that they put into Drafts. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { fromDomainOf } from "#/src/evidence/shown-address.ts";
import type { DraftOptions, NewDraft, WrittenDraft } from "#/src/mail/drafts.ts";
import { draftField } from "#/src/mail/prepare-message.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachesScope } from "#/src/reach/agents.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import { messageBody } from "../describe/message-body.ts";
import { givenTime, givenTimeForm } from "../given-time.ts";
import type { OperationContext } from "../operation.ts";
import { idempotencyKey, writeResult } from "../schemas.ts";
import { composeBody } from "./composed-message.ts";
import { readSendAt } from "./send-at.ts";

export const draftFields = {
  body: messageBody,
  send_at: givenTime.optional().describe(`When it is to leave, once it is sent: ${givenTimeForm}`),
  hold: z
    .enum(["policy", "always"])
    .optional()
    .describe("Whether a person approves it, once it is sent: as the policy says, or always."),
  idempotency_key: idempotencyKey,
};
const drafted = z.strictObject(draftFields);

export const draftResult = writeResult.extend({
  message: z.string().describe("The message that it is now, message_…; another one after each update."),
  send_at: z.string().optional().describe("When it is to leave, once it is sent."),
});

/** What `draft.create` and `draft.update` answer of a draft. */
export function draftAnswer(
  { rooms }: OperationContext,
  agent: AgentNumber,
  { message, sendAt }: WrittenDraft,
) {
  return {
    version: String(message),
    message: rooms.mail.ids.encode("message", agent, message),
    ...(sendAt === undefined ? {} : { send_at: isoTime(Date.parse(sendAt)) }),
  };
}

/** The message with its Bcc field, since a person may continue the draft in a mail client. `former`: what was chosen for the draft before,
 *  which stays where the request does not say another; only the body is replaced whole. */
export async function draftOf(
  context: OperationContext,
  { agent }: ReachedData,
  { body, send_at, hold }: z.infer<typeof drafted>,
  former: Pick<DraftOptions, "sendAt" | "hold"> = {},
): Promise<NewDraft> {
  const sendAt = await readSendAt(context, send_at);
  const { bytes, from, inReplyTo, forwardOf } = await composeBody(context, agent, body, { hasBcc: true });
  return {
    bytes: Buffer.concat([Buffer.from(`${draftField}: ${randomUUID()}\r\n`), bytes]),
    options: {
      ...(former.sendAt === undefined ? {} : { sendAt: former.sendAt }),
      ...(former.hold === undefined ? {} : { hold: former.hold }),
      ...(sendAt === undefined ? {} : { sendAt: isoTime(sendAt) }),
      ...(hold === undefined ? {} : { hold }),
      ...(inReplyTo === undefined ? {} : { inReplyTo }),
      ...(forwardOf === undefined ? {} : { forwardOf }),
    },
    provenance: { source: "api", ...fromDomainOf(from) },
    isAuthenticated: agent === context.principal.agent || (await reachesScope(context, agent, "send")),
  };
}
