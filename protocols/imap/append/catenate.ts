/** CATENATE (RFC 4469): composes messages from text that the client sends and parts of stored messages. A URL may name messages
 *  in the mailboxes that the session has the right to read. */
import { encodeBinaryParts } from "#/src/formats/mime/binary-parts.ts";
import { readApart } from "#/src/mail/header-reading.ts";
import type { Appended } from "#/src/mail/writes.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { no, type Refusal } from "../errors.ts";
import type { Session } from "../session/session.ts";
import type { AppendMessage } from "./appended-message.ts";
import { type MessageUrl, parseMessageUrl } from "./message-url.ts";

/** The messages with their octets. They share the limit of APPEND, as all of them are in memory at once. */
export async function readMessages(
  session: Session,
  messages: readonly AppendMessage[],
): Promise<Appended[]> {
  const room = { left: session.rooms.settings.imap.maxAppendBytes };
  const read: Appended[] = [];
  for (const { parts, ...options } of messages) {
    const pieces: Buffer[] = [];
    for (const part of parts) {
      const piece = "url" in part ? await readUrl(session, part.url, room.left) : part.bytes;
      room.left -= piece.byteLength;
      if (room.left < 0) throw tooBig();
      pieces.push(piece);
    }
    const sent = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    // RFC 3516 section 4.3 allows a server to do this. So every protocol gives the same octets.
    const isBinary = parts.some((part) => "bytes" in part && part.isBinary);
    const bytes = isBinary ? await readApart("binary", sent, encodeBinaryParts) : sent;
    if (bytes.byteLength === 0) throw no("CANNOT", "A message is not empty");
    read.push({ bytes, ...options });
  }
  return read;
}

function tooBig(): Refusal {
  return no("TOOBIG", "The message is too large");
}

async function readUrl(session: Session, text: string, bytesMax: number): Promise<Buffer> {
  const url = parseMessageUrl(text);
  const mailbox = url && (await findMailbox(session, url));
  if (url === undefined || mailbox === undefined) throw badUrl(text);
  const { mail } = session.rooms;
  for await (const page of mail.messagePages(mailbox.agent, mailbox.number, [[url.uid, url.uid]]))
    for (const message of page) {
      const range =
        url.section === ""
          ? { start: 0, end: message.size }
          : mail.findSection(message, await mail.readStructure(message), url.section);
      if (range === undefined) throw badUrl(text);
      const start = Math.min(range.start + (url.partial?.offset ?? 0), range.end);
      const end = Math.min(start + (url.partial?.length ?? range.end), range.end);
      if (end - start > bytesMax) throw tooBig();
      return mail.readBytes(message, { start, end });
    }
  throw badUrl(text);
}

/** undefined if the URL is of another server or login, or if its mailbox does not exist (any more) or is not shared with this login. */
async function findMailbox(session: Session, url: MessageUrl): Promise<ReachedMailbox | undefined> {
  const { authority } = url;
  const { hostname } = session.rooms.settings.server;
  if (authority !== undefined) {
    if (authority.host !== hostname.toLowerCase() || authority.user !== session.principal.address)
      return undefined;
  }
  let mailbox: ReachedMailbox | undefined;
  try {
    if (url.mailbox !== undefined) mailbox = await session.access.find(url.mailbox, "r");
    else if (session.state === "selected") mailbox = session.selected.mailbox;
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "forbidden_scope") throw error;
    return undefined;
  }
  const isSame = url.uidValidity === undefined || url.uidValidity === mailbox?.uidValidity;
  return isSame ? mailbox : undefined;
}

/** The response code has the URL, shortened to what a code may hold (RFC 4469 section 4.2). */
function badUrl(url: string): Refusal {
  const shown = url.replace(/[^!-~]|[\]"\\]/g, "?").slice(0, 300);
  return no(`BADURL ${shown}`, "The URL names nothing that can be read");
}
