/** A new version of a mail that waits. Its recipients are those in its header, so that nobody is added invisibly; its sender cannot
 *  change. */

import { parseAddress } from "#/src/accounts/address.ts";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { addressesOfField } from "#/src/formats/mime/header-values.ts";
import { isEightBit, withCrlf } from "#/src/formats/mime/line-ends.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import { createMessageBytes } from "#/src/mail/message-bytes.ts";
import { referenceIdsOf } from "#/src/mail/reference-ids.ts";
import { writeOnce } from "#/src/mail/write-once.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { holdDigest, onlyHolds } from "#/src/model/holds.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import { findHold, findLiveHoldByMessageId } from "#/storage/queries/outbound/holds.ts";
import type { MessageRow } from "#/storage/rows.ts";
import type { Envelope, EnvelopeRecipient } from "#/storage/submission.ts";
import type { EditedHold } from "#/storage/transactions/outbound/edit-hold.ts";
import { assertMayLeave } from "../gate/decide.ts";
import { addressKey, needsSmtputf8, normalAddress } from "../mail-address.ts";
import { addressesIn, unnamedField, withOwnTrace } from "../own-trace.ts";
import { assertRecipientCount } from "../recipient-count.ts";
import { tlsWishOf } from "../tls-wish.ts";
import type { HoldEdit, HoldRooms, Holds, MessageEdit } from "./holds.ts";

const senderFields = ["from", "sender", "resent-from", "resent-sender"] as const;
const hiddenFields: readonly string[] = ["bcc", "resent-bcc"];

export function createHoldEdits(rooms: HoldRooms): Pick<Holds, "edit" | "editByMessage"> {
  const { store } = rooms;
  return {
    async edit({ agent, hold: number, version, bytes, actor, idempotency }: HoldEdit) {
      const hold = await findHold(store, agent, number);
      if (hold === undefined) throw new WaypostError("not_found", "There is no such hold.");
      const { args, transfer } = await prepareEdit(rooms, hold, bytes, { isOfClient: false });
      const edit = { ...args, version, flags: null, actor };
      return writeOnce(store, actor, "editHold", edit, idempotency, { transfer });
    },

    async editByMessage({
      agent,
      message: { bytes, flags: mask, keywords },
      actor,
      replaces,
    }: MessageEdit): Promise<EditedHold> {
      const { own } = referenceIdsOf(await readHeader(bytes));
      const hold = own === "" ? undefined : await findLiveHoldByMessageId(store, agent, own);
      if (hold === undefined) throw onlyHolds();
      const { args, transfer } = await prepareEdit(rooms, hold, bytes, { isOfClient: true });
      const edit = { ...args, version: String(hold.modseq), flags: { mask, keywords }, actor, replaces };
      return store.write(actor, "editHold", edit, { transfer });
    },
  };
}

interface EditOptions {
  /** A mail client made the new version: it has the same Message-ID, and recipients that the client could not see stay. */
  readonly isOfClient: boolean;
}

async function prepareEdit(rooms: HoldRooms, hold: HoldRow, given: Uint8Array, { isOfClient }: EditOptions) {
  const { store, accounts } = rooms;
  const before = await findMessage(store, hold.agent, hold.message);
  const owner = await accounts.findAgentFacts(hold.agent);
  if (before === undefined || owner === undefined)
    throw new WaypostError("not_found", "There is no such hold.");
  const bytes = withCrlf(given);
  assertBounds(bytes, rooms.settings.smtp.maxMessageBytes);
  const fields = await readHeader(bytes);
  const fieldsBefore = await readFields(rooms, before);
  // Mail that the server composes always has the mailbox as its sender.
  if (isOfClient) assertSameSender(fieldsBefore, fields);
  const envelope = await envelopeOf(
    rooms,
    hold.envelope,
    isOfClient ? fieldsBefore : undefined,
    fields,
    bytes,
  );
  await assertMayLeave(rooms, [owner], envelope);
  const trace = Buffer.from(unnamedField(envelope, fields));
  const plain = withoutHidden(bytes, fields);
  const header = Buffer.from(plain.subarray(0, headerBytesMax));
  const facts = await withOwnTrace(await rooms.prepare(plain), trace, header);
  const args = {
    agent: hold.agent,
    hold: hold.hold,
    facts,
    trace,
    provenance: before.provenance,
    isAuthenticated: before.isAuthenticated,
    envelope,
    digest: holdDigest(JSON.stringify(envelope), facts.blob.sha256),
    at: store.clock.now(),
  };
  return { args, transfer: transferableBuffers(facts.blob) };
}

/** Fields beyond the bound of the header are not read anywhere; they could have recipients that nobody sees. */
function assertBounds(bytes: Buffer, bytesMax: number): void {
  const isLong = bytes.length > headerBytesMax && bytes.subarray(0, headerBytesMax).indexOf("\r\n\r\n") < 0;
  if (isLong || bytes.length > bytesMax)
    throw new WaypostError("policy_refused", "The new version, or its header, is too large.", {
      reason: "too_large",
    });
}

async function readFields({ store }: HoldRooms, message: MessageRow): Promise<readonly HeaderField[]> {
  const header = await createMessageBytes(store).readHeader(message);
  return header === undefined ? [] : readHeader(header);
}

/** Checks that the new version has the same sender as the old one. */
function assertSameSender(before: readonly HeaderField[], after: readonly HeaderField[]): void {
  const senders = (fields: readonly HeaderField[]): string =>
    JSON.stringify(
      senderFields.map((name) =>
        fields
          .filter((field) => field.name === name)
          .map((field) => addressesOfField(field).map(({ address }) => addressKey(address))),
      ),
    );
  if (senders(before) !== senders(after))
    throw new WaypostError("policy_refused", "The new version has another sender.", {
      reason: "sender_refused",
      hint: "From and Sender stay as they are; what else the mail says may change.",
    });
}

/** To, Cc and Bcc of the new version. For a version that a mail client made of the old one (`before`): recipients that the old header
 *  did not name stay recipients, as mail clients remove Bcc by themselves. */
async function envelopeOf(
  rooms: HoldRooms,
  envelope: Envelope,
  before: readonly HeaderField[] | undefined,
  after: readonly HeaderField[],
  bytes: Uint8Array,
): Promise<Envelope> {
  const hasBcc = after.some(({ name }) => name === "bcc");
  const named = addressesIn(after, ["to", "cc", "bcc"]);
  const shown = addressesIn(before ?? [], hasBcc ? ["to", "cc", "bcc"] : ["to", "cc"]).map(addressKey);
  const hidden =
    before === undefined
      ? []
      : envelope.recipients.filter(({ address }) => !shown.includes(addressKey(address)));
  const known = new Map(envelope.recipients.map((one) => [addressKey(one.address), one]));
  const recipients = new Map<string, EnvelopeRecipient>(hidden.map((one) => [addressKey(one.address), one]));
  for (const text of named) {
    const address = normalAddress(text);
    if (address === undefined)
      throw new WaypostError("invalid", "A recipient of the new version is not a mail address.");
    const resolution = await rooms.accounts.resolveRecipient(address);
    if (resolution.kind === "unknown")
      throw new WaypostError("invalid", "A recipient is in a domain of this server and does not exist.", {
        reason: "no_such_recipient",
      });
    const domain = resolution.kind === "local" ? "" : parseAddress(address)!.domain;
    const { notify, orcpt } = known.get(addressKey(address)) ?? { notify: [], orcpt: null };
    recipients.set(addressKey(address), { address, domain, notify, orcpt });
  }
  if (recipients.size === 0) throw new WaypostError("invalid", "The message has no recipient.");
  assertRecipientCount(recipients.size, rooms.settings);
  const all = [...recipients.values()];
  const header = bytes.subarray(0, after.at(-1)?.end ?? 0);
  const { tlsWish: asked, ...others } = envelope;
  const tlsWish = tlsWishOf(asked === "required", after);
  return {
    ...others,
    ...(tlsWish === undefined ? {} : { tlsWish }),
    recipients: all,
    bodyType: isEightBit(bytes) ? "8BITMIME" : "7BIT",
    isSmtputf8:
      isEightBit(header) || needsSmtputf8(envelope.from) || all.some(({ address }) => needsSmtputf8(address)),
  };
}

function withoutHidden(bytes: Uint8Array, fields: readonly HeaderField[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const field of fields.filter(({ name }) => hiddenFields.includes(name))) {
    pieces.push(bytes.subarray(at, field.start));
    at = field.end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}
