/** Mail that waited for approval on another server, or here before, and is imported: it waits again, with what was set on it. Nothing is sent before a
 *  person approves it, and nothing else of the former hold is taken from the file. */
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { isEightBit } from "#/src/formats/mime/line-ends.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import type { Appended } from "#/src/mail/writes.ts";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Idempotency } from "#/storage/store.ts";
import { addressKey, needsSmtputf8 } from "../mail-address.ts";
import type { Outbound, OutboundRooms } from "../outbound.ts";
import { addressesIn } from "../own-trace.ts";

export interface ImportedHold {
  readonly message: Pick<Appended, "bytes" | "flags" | "keywords" | "properties">;
  /** Of the envelope; undefined: those of To, Cc and Bcc. */
  readonly recipients: readonly string[] | undefined;
  /** The UID of the event that it is about: the mail is taken back when the event changes, and does not outlive it. */
  readonly calendarUid: string | undefined;
}

interface Rooms extends Pick<OutboundRooms, "accounts"> {
  readonly outbound: Pick<Outbound, "submit">;
}

/** Throws `policy_refused` and `invalid` for mail that could not be sent from this mailbox, which the caller keeps as a draft. */
export async function holdImported(
  { accounts, outbound }: Rooms,
  by: Author,
  agent: AgentNumber,
  { message, recipients: given, calendarUid }: ImportedHold,
  once: Idempotency,
): Promise<{ readonly isReplayed: boolean }> {
  const facts = await accounts.findAgentFacts(agent);
  if (facts?.kind !== "agent")
    throw new WaypostError("policy_refused", "Only mail of agents waits for approval.");
  const { bytes } = message;
  const fields = await readHeader(bytes);
  const authors = addressesIn(fields, ["from"]);
  const own = new Set(facts.addresses.map(addressKey));
  if (authors.length !== 1 || !own.has(addressKey(authors[0]!)))
    throw new WaypostError("policy_refused", "It is from another address than those of this mailbox.");
  const recipients = given ?? addressesIn(fields, ["to", "cc", "bcc"]);
  const { isReplayed } = await outbound.submit(by, {
    principal: { agent, kind: "agent", isServer: true },
    mailbox: agent,
    bytes: withoutBcc(bytes, fields),
    envelope: {
      from: facts.address,
      recipients: recipients.map((address) => ({ address })),
      envid: null,
      ret: null,
      bodyType: isEightBit(bytes) ? "8BITMIME" : "7BIT",
      isSmtputf8: [facts.address, ...recipients].some(needsSmtputf8),
    },
    isAuthenticated: false,
    holdWish: "always",
    ...(calendarUid === undefined ? {} : { invitation: { answers: undefined, uid: calendarUid } }),
    source: "submission",
    archived: message,
    isUncounted: true,
    idempotency: once,
  });
  return { isReplayed };
}

function withoutBcc(bytes: Uint8Array, fields: readonly HeaderField[]): Buffer {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { name, start, end } of fields) {
    if (name !== "bcc") continue;
    pieces.push(bytes.subarray(at, start));
    at = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}
