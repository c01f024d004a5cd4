/** The other names of a message: the ids of its draft or hold, and the time of scheduled mail. */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { Message } from "#/src/mail/messages.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import { isHoldRole } from "#/src/model/roles.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import type { OperationContext } from "../operation.ts";

export interface OtherNames {
  readonly draft_id?: string;
  readonly hold_id?: string;
  /** Why it waits, or waited. */
  readonly hold_reason?: HoldReason;
  readonly state?: "scheduled";
  /** When the mail is sent. */
  readonly send_at?: string;
}

/** `mailboxes`: those of the message's owner. */
export async function otherNames(
  { rooms: { mail, holds, outbound } }: OperationContext,
  { agent, number, places }: Message,
  mailboxes: readonly Mailbox[],
): Promise<OtherNames> {
  const roles = mailboxes
    .filter((one) => places.some(({ mailbox }) => mailbox === one.number))
    .map(({ role }) => role)
    .filter((role) => role !== undefined);
  const draft = roles.includes("drafts") ? await mail.findDraftOfMessage(agent, number) : undefined;
  const hold = roles.some(isHoldRole) ? await holds.findHoldOfMessage(agent, number) : undefined;
  const sendAt = roles.includes("scheduled") ? await outbound.findSendAt(agent, number) : undefined;
  return {
    ...(sendAt === undefined ? {} : { state: "scheduled", send_at: isoTime(sendAt) }),
    ...(draft === undefined ? {} : { draft_id: draft.id }),
    ...(hold === undefined
      ? {}
      : { hold_id: mail.ids.encode("hold", agent, hold.hold), hold_reason: hold.reason }),
  };
}
