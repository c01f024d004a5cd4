/** APPEND (RFC 9051 section 6.3.12, RFC 3502 MULTIAPPEND, RFC 3516 literal8, RFC 4315 APPENDUID, RFC 4469 CATENATE, RFC 6855 section 4,
 *  RFC 7889 APPENDLIMIT).
 *  append = "APPEND" SP mailbox 1*(SP append-message), see `append/appended-message.ts`
 *  The octets are stored exactly as they come. All messages of one command are stored, or none. */

import type { Appended } from "#/src/mail/writes.ts";
import { formatNumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { type AppendMessage, messageBound, readAnnounced, readAppended } from "../append/appended-message.ts";
import { readMessages } from "../append/catenate.ts";
import { type Answer, afterLogin, command, type LiteralBound } from "../command.ts";
import type { ParseContext } from "../command-context.ts";
import { no } from "../errors.ts";
import { appendedMessagesMax } from "../limits.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import { overLimit } from "../session/message-limit.ts";
import type { Session } from "../session/session.ts";
import type { WireReader } from "../wire/wire-reader.ts";

export const append = command({
  name: "APPEND",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  putsMail: true,
  capabilities: (context) => ["UIDPLUS", "MULTIAPPEND", "CATENATE", `APPENDLIMIT=${context.maxAppendBytes}`],
  source: "RFC 9051 6.3.12, RFC 3502, 3516, 4315, 4469, 6855, 7889",
  parse(reader, context) {
    reader.space();
    const name = decodeMailboxName(reader.astring(), context.names);
    const messages: AppendMessage[] = [];
    reader.space();
    do {
      // APPEND is atomic, so none of them is stored (RFC 9738 section 3.1).
      if (messages.length >= appendedMessagesMax) throw overLimit(appendedMessagesMax);
      messages.push(readAppended(reader));
    } while (reader.trySpace());
    return { name, messages };
  },
  async run(session, { name, messages }) {
    const mailbox = await session.findTarget(name);
    const read = await readMessages(session, messages);
    if (mailbox.role === "holds") return appendVersion(session, mailbox, read);
    const { agent, number, actor } = mailbox;
    const provenance = { source: "imap" } as const;
    const { uidValidity, uids } = await session.rooms.mail.appendMessages(
      actor,
      agent,
      number,
      read,
      provenance,
    );
    const made = numberSetOf(uids);
    session.made(mailbox, made);
    return { code: `APPENDUID ${uidValidity} ${formatNumberSet(made)}` };
  },
  literalBound(reader, context, maxAppendBytes) {
    return boundOfNextLiteral(reader, context, maxAppendBytes);
  },
});

/** A message appended to Holds/Waiting is a new version of a mail that waits there. */
async function appendVersion(
  session: Session,
  { agent, actor }: ReachedMailbox,
  messages: readonly Appended[],
): Promise<Answer> {
  if (messages.length > 1) throw no("CANNOT", "One message at a time is edited here");
  const { uidValidity, uid } = await session.rooms.holds.editByMessage({
    agent,
    message: messages[0]!,
    actor,
  });
  return { code: `APPENDUID ${uidValidity} ${uid}` };
}

/** The last literal of the text is a message if it comes after the mailbox's name. The messages of one command share the limit,
 *  as all of them are held in memory until the last has come. */
function boundOfNextLiteral(
  reader: WireReader,
  context: ParseContext,
  maxAppendBytes: number,
): LiteralBound | undefined {
  reader.space();
  const name = decodeMailboxName(reader.astring(), context.names);
  if (reader.isAtEnd) return undefined;
  let left = maxAppendBytes;
  for (;;) {
    reader.space();
    const { byteLength, isLast, isUrl } = readAnnounced(reader);
    left -= byteLength;
    if (isLast) return isUrl ? undefined : messageBound(left, name);
  }
}
