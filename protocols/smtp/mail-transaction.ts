/** A mail transaction (RFC 5321 section 3.3): a sender, recipients, then the message. The connection keeps the order of
 *  commands; this file does the work of each of them. */
import type { Principal } from "#/src/accounts/principal.ts";
import { type Accepted, acceptMessage, type DsnRequest, type Verdict } from "#/src/arrival/accept-message.ts";
import { type Admission, admitRecipient } from "#/src/arrival/admit-recipient.ts";
import { admitSender } from "#/src/arrival/admit-sender.ts";
import { submitMail } from "#/src/arrival/submit-mail.ts";
import type { Transport } from "#/src/arrival/transport.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { assertRecipientCount } from "#/src/outbound/recipient-count.ts";
import type { MailCommand, RcptCommand } from "./mail-commands.ts";
import type { PortRooms } from "./mail-port.ts";
import type { DataProblem } from "./message-octets.ts";

export interface MailTransaction {
  readonly mail: MailCommand;
  readonly transport: Transport;
  /** Recipients by address in lower case: a recipient that is named twice counts once. */
  readonly forwardPaths: Map<string, { readonly rcpt: RcptCommand; readonly admission: Admission }>;
}

export async function beginMailTransaction(
  rooms: PortRooms,
  mail: MailCommand,
  transport: Transport,
): Promise<MailTransaction> {
  assertSize(rooms, mail.sizeBytes ?? 0);
  await admitSender(rooms.accounts, transport.principal, mail.reversePath.address);
  return { mail, transport, forwardPaths: new Map() };
}

export async function addRecipient(
  rooms: PortRooms,
  transaction: MailTransaction,
  rcpt: RcptCommand,
): Promise<void> {
  const { forwardPaths, mail, transport } = transaction;
  const key = rcpt.forwardPath.address.toLowerCase();
  if (!forwardPaths.has(key)) assertRecipientCount(forwardPaths.size + 1, rooms.settings);
  const admission = await admitRecipient(rooms, rcpt.forwardPath.address, {
    sizeBytes: mail.sizeBytes ?? 0,
    sender: transport.principal?.address,
  });
  forwardPaths.set(key, { rcpt, admission });
}

/** The result of accepting a message. */
export interface Taken extends Partial<Verdict> {
  /** The id of the hold, if the message waits for approval. */
  readonly hold?: string;
  /** The ids of its copies in mailboxes here. */
  readonly messages: readonly string[];
  /** Its id in the queue. */
  readonly submission?: string;
}

/** Takes responsibility for the message; resolves when it is durable. Mail to other servers, mail with requested notifications and
 *  all mail of agents goes through the queue; other mail of a person to mailboxes here is delivered at once. */
export async function takeMessage(
  rooms: PortRooms,
  transaction: MailTransaction,
  bytes: Uint8Array,
): Promise<Taken> {
  const { principal } = transaction.transport;
  if (principal !== undefined && isQueued(principal, transaction))
    return queueMessage(rooms, transaction, principal, bytes);
  const { deliveries, verdict } = await deliverAtOnce(rooms, transaction, bytes);
  return {
    messages: deliveries.map(({ agent, message }) => rooms.store.ids.encode("message", agent, message)),
    ...verdict,
  };
}

function isQueued({ kind }: Principal, { forwardPaths }: MailTransaction): boolean {
  if (kind === "agent") return true;
  return [...forwardPaths.values()].some(
    ({ rcpt, admission }) => admission.kind === "remote" || rcpt.notify.includes("SUCCESS"),
  );
}

async function queueMessage(
  rooms: PortRooms,
  { mail, transport, forwardPaths }: MailTransaction,
  principal: Principal,
  bytes: Uint8Array,
): Promise<Taken> {
  const { hold, message, submission } = await submitMail(rooms, {
    bytes,
    reversePath: mail.reversePath.address,
    recipients: [...forwardPaths.values()].map(({ rcpt }) => ({
      address: rcpt.forwardPath.address,
      notify: rcpt.notify,
      orcpt: rcpt.orcpt,
    })),
    transport: { ...transport, principal },
    envid: mail.envid,
    ret: mail.ret,
    isTlsRequired: mail.isTlsRequired,
  });
  const { agent } = principal;
  const { ids } = rooms.store;
  return {
    messages: message === 0 ? [] : [ids.encode("message", agent, message)],
    ...(submission === undefined ? {} : { submission: rooms.outbound.tokenOf({ agent, submission }) }),
    ...(hold === undefined ? {} : { hold: ids.encode("hold", agent, hold) }),
  };
}

/** Stores the message. If one of several recipients was deleted since RCPT, the client has to try again: RCPT then refuses that one,
 *  and the others get the message. */
async function deliverAtOnce(
  rooms: PortRooms,
  transaction: MailTransaction,
  bytes: Uint8Array,
): Promise<Accepted> {
  const { mail, transport, forwardPaths } = transaction;
  const recipients = [...forwardPaths.values()].flatMap(({ admission }) =>
    admission.kind === "local" ? admission.recipients : [],
  );
  const reversePath = mail.reversePath.address;
  try {
    return await acceptMessage(rooms, {
      bytes,
      reversePath,
      recipients,
      transport,
      dsn: dsnRequest(transaction),
    });
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "not_found" || recipients.length === 1) throw error;
    throw new WaypostError("precondition_failed", "A recipient was deleted meanwhile; try again.", {
      cause: error,
    });
  }
}

function assertSize(rooms: PortRooms, sizeBytes: number): void {
  if (sizeBytes > rooms.settings.smtp.maxMessageBytes) throw errorOfProblem(rooms, "too_large");
}

/** The error for octets after DATA that cannot be accepted. */
export function errorOfProblem(rooms: PortRooms, problem: DataProblem): WaypostError {
  switch (problem) {
    case "bare_line_end":
      return new WaypostError("invalid", "The message has a CR or LF that is not part of a CRLF.", {
        reason: "bad_line_ends",
      });
    case "too_large":
      return new WaypostError(
        "policy_refused",
        `The message is larger than ${rooms.settings.smtp.maxMessageBytes} octets.`,
        { reason: "too_large" },
      );
    case "no_room":
      return new WaypostError("upstream_unavailable", "Too many messages at once.", { reason: "busy" });
  }
}

function dsnRequest({ mail, forwardPaths }: MailTransaction): DsnRequest | undefined {
  const recipients = [...forwardPaths.values()]
    .filter(({ rcpt }) => rcpt.notify.length > 0 || rcpt.orcpt !== undefined)
    .map(({ rcpt }) => ({ address: rcpt.forwardPath.address, notify: rcpt.notify, orcpt: rcpt.orcpt }));
  if (mail.ret === undefined && mail.envid === undefined && recipients.length === 0) return undefined;
  return { ret: mail.ret, envid: mail.envid, recipients };
}
