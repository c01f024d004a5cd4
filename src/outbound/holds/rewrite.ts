/** Another version of a waiting mail as a person writes it on a page: recipients, subject and text are new; files, answered mails, sender and
 *  hidden recipients stay. The new text takes the place of all alternatives of the old one. */

import { randomUUID } from "node:crypto";
import { decodeName } from "#/src/formats/mime/encoded-words.ts";
import { headerValues } from "#/src/formats/mime/header.ts";
import { headerAddresses, headerIds } from "#/src/formats/mime/header-values.ts";
import { walkParts } from "#/src/formats/mime/structure.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { fileName } from "#/src/render/body-parts.ts";
import { renderBody } from "#/src/render/body-text.ts";
import { readDecodedPart } from "#/src/render/decoded-part.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { type Attachment, composeMessage } from "../composition.ts";
import { addressKey, type NamedAddress, parseNamedAddress } from "../mail-address.ts";

export interface Rewriting {
  /** As typed: addresses with commas between them. */
  readonly to: string;
  readonly cc: string;
  readonly subject: string;
  readonly text: string;
}

const attachmentsMax = 100;

/** Throws `invalid` with the field that is wrong. */
export async function rewriteMail(
  mail: Mail,
  hold: HoldRow,
  message: Message,
  written: Rewriting,
): Promise<Buffer> {
  const structure = await mail.readStructure(message);
  const fields = await readHeader(
    await mail.readBytes(message, mail.findSection(message, structure, "HEADER")),
  );
  const ids = (name: string) => headerIds(fields, name);
  const named = (...names: string[]) => names.flatMap((name) => headerAddresses(fields, name));
  const [from] = named("from");
  if (from === undefined) throw new WaypostError("invalid", "The mail has no sender.");
  const to = readAddresses(written.to, "/to");
  const cc = readAddresses(written.cc, "/cc");
  const shown = new Set(named("to", "cc").map(({ address }) => addressKey(address)));
  const bcc = hold.envelope.recipients.flatMap(({ address }) =>
    shown.has(addressKey(address)) ? [] : [{ name: "", address }],
  );
  if (to.length + cc.length + bcc.length === 0)
    throw new WaypostError("invalid", "The mail needs a recipient.", { field: "/to" });
  const source = { mail, readers: mail.readers };
  const body = await renderBody(source, message, structure);
  const isBody = new Set(body.parts.map(({ section }) => section));
  const attachments: Attachment[] = [];
  for (const part of walkParts(structure)) {
    const isAlternative = part.type === "text" && part.disposition !== "attachment" && fileName(part) === "";
    if (part.type === "multipart" || isBody.has(part.section) || isAlternative) continue;
    if (attachments.length === attachmentsMax) break;
    const { bytes } = await readDecodedPart(mail, message, part);
    attachments.push({
      content: bytes,
      name: decodeName(fileName(part)),
      type: `${part.type}/${part.subtype}`,
    });
  }
  const isAutomated = headerValues(fields, "auto-submitted")[0]?.trim().toLowerCase();
  return composeMessage(
    { to, cc, bcc, subject: written.subject.replace(/\s+/g, " ").trim(), text: written.text, attachments },
    {
      from,
      date: mail.clock.now(),
      messageId: ids("message-id")[0] ?? `${randomUUID()}@${from.address.split("@").at(-1)}`,
      inReplyTo: ids("in-reply-to")[0],
      references: ids("references"),
      ...(isAutomated === "auto-generated" || isAutomated === "auto-replied"
        ? { autoSubmitted: isAutomated }
        : {}),
      hasBcc: true,
    },
  );
}

/** Commas and semicolons divide, outside of quotes. */
function readAddresses(text: string, field: string): NamedAddress[] {
  const pieces = text.match(/(?:"[^"]*"|[^,;"])+/g) ?? [];
  return pieces.flatMap((piece) => {
    if (piece.trim() === "") return [];
    const address = parseNamedAddress(piece.trim());
    if (address === undefined)
      throw new WaypostError("invalid", `${piece.trim().slice(0, 100)} is not a mail address.`, { field });
    return [address];
  });
}
