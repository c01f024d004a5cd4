/** Prepares a draft for sending, as it is in Drafts, whoever changed it last. */

import { randomUUID } from "node:crypto";
import { headerIds } from "#/src/formats/mime/header-values.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { finishDraft, withMailLines } from "#/src/outbound/finishing.ts";
import { normalAddress } from "#/src/outbound/mail-address.ts";
import { withCurrent } from "../current.ts";
import { findDraft, reachDraft } from "../describe/draft.ts";
import { unknownObject } from "../errors.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import type { ComposedMessage } from "./composed-message.ts";

export interface FinishedDraft {
  readonly sending: ComposedMessage;
  readonly draft: {
    readonly number: number;
    readonly hold: "policy" | "always" | undefined;
    readonly sendAt: number | undefined;
  };
}

/** Throws `precondition_failed` unless `version` is the draft's version, `policy_refused` if its From is not an address of this
 *  mailbox. */
export async function finishedDraft(
  context: OperationContext,
  id: string,
  version: string | undefined,
): Promise<FinishedDraft> {
  const { accounts, mail } = context.rooms;
  const name = readId(context, id, ["draft"], "/draft");
  const { agent } = name;
  const { reached, draft } = await reachDraft(context, name, "send");
  await withCurrent(
    context,
    agent,
    async () => assertVersion(version, draft.version),
    () => findDraft(context, reached, draft.number),
  );
  const message = (await mail.findMessage(agent, draft.message)) ?? unknownObject();
  const owner = (await accounts.findAgentFacts(agent))!;
  const bytes = withMailLines(await mail.readBytes(message));
  const fields = await readHeader(bytes);
  const isAnswer = headerIds(fields, "in-reply-to").length > 0;
  const facts = {
    date: mail.clock.now(),
    messageId: `${randomUUID()}@${owner.address.slice(owner.address.lastIndexOf("@") + 1)}`,
    autoSubmitted:
      context.principal.kind !== "agent" ? undefined : isAnswer ? "auto-replied" : "auto-generated",
  } as const;
  const finished = finishDraft(bytes, facts, fields);
  const from = finished.authors.length === 1 ? normalAddress(finished.authors[0]!) : undefined;
  if (from === undefined)
    throw new WaypostError("invalid", "The draft needs exactly one author.", {
      field: "/draft",
      hint: "Its From field names one address.",
    });
  for (const address of finished.senders)
    if (!(await accounts.isOwnAddress({ agent }, address)))
      throw new WaypostError(
        "policy_refused",
        "The From address of the draft does not belong to this mailbox.",
        {
          reason: "sender_refused",
          hint: "Correct its From field.",
        },
      );
  return {
    sending: {
      bytes: finished.bytes,
      from,
      recipients: finished.recipients.map((address) => ({ address, field: "/draft" })),
      bcc: finished.bcc,
      inReplyTo: draft.options.inReplyTo,
      forwardOf: draft.options.forwardOf,
    },
    draft: {
      number: draft.number,
      hold: draft.options.hold,
      sendAt: draft.options.sendAt === undefined ? undefined : Date.parse(draft.options.sendAt),
    },
  };
}

function assertVersion(given: string | undefined, version: string): void {
  if (given === version) return;
  throw new WaypostError(
    "precondition_failed",
    given === undefined
      ? "Sending a draft needs the version that was read."
      : "The draft has changed since that version.",
    { version, hint: "Read the draft again, or send this version." },
  );
}
