/** APPEND (RFC 9051 section 6.3.12, RFC 3502 MULTIAPPEND, RFC 3516 literal8, RFC 4315 APPENDUID, RFC 4469 CATENATE, RFC 6855 section 4,
 *  RFC 7889 APPENDLIMIT).
 *  append = "APPEND" SP mailbox 1*(SP append-message), which is in `appended-message.ts`
 *  The octets are kept exactly as they come. All messages of one command go in, or none. */
import { formatNumberSet, numberSetOf } from "#/src/model/number-set.ts";
import { type AppendMessage, readAnnounced, readAppended } from "../appended-message.ts";
import { readMessages } from "../catenate.ts";
import { afterLogin, command, type ParseContext } from "../command.ts";
import { appendedMessagesMax } from "../limits.ts";
import { decodeMailboxName } from "../mailbox-name.ts";
import { overLimit } from "../message-limit.ts";
import type { WireReader } from "../wire-reader.ts";

export const append = command({
  name: "APPEND",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  capabilities: (context) => ["UIDPLUS", "MULTIAPPEND", "CATENATE", `APPENDLIMIT=${context.maxAppendBytes}`],
  source: "RFC 9051 6.3.12, RFC 3502, 3516, 4315, 4469, 6855, 7889",
  parse(reader, context) {
    reader.space();
    const name = decodeMailboxName(reader.astring(), context.names);
    const messages: AppendMessage[] = [];
    do {
      // Atomic, so none of them is stored (RFC 9738 section 3.1).
      if (messages.length >= appendedMessagesMax) throw overLimit(appendedMessagesMax);
      reader.space();
      messages.push(readAppended(reader));
    } while (!reader.isAtEnd);
    return { name, messages };
  },
  async run(session, { name, messages }) {
    const { mail } = session.rooms;
    const mailbox = await session.findTarget(name);
    const read = await readMessages(session, messages);
    const { uidValidity, uids } = await mail.appendMessages(mailbox.agent, mailbox.number, read, {
      source: "imap",
    });
    return { code: `APPENDUID ${uidValidity} ${formatNumberSet(numberSetOf(uids))}` };
  },
  literalLimit(reader, context, maxAppendBytes) {
    return limitOfNextLiteral(reader, context, maxAppendBytes);
  },
});

/** The last literal of the text is a message if the mailbox's name stands before it. The messages of one command share
 *  the limit, as all of them are held until the last has come. */
function limitOfNextLiteral(
  reader: WireReader,
  context: ParseContext,
  maxAppendBytes: number,
): number | undefined {
  reader.space();
  decodeMailboxName(reader.astring(), context.names);
  if (reader.isAtEnd) return undefined;
  let left = maxAppendBytes;
  for (;;) {
    reader.space();
    const { byteLength, isLast, isUrl } = readAnnounced(reader);
    left -= byteLength;
    if (isLast) return isUrl ? undefined : left;
  }
}
