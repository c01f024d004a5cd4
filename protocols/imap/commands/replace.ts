/** REPLACE and UID REPLACE (RFC 8508): appends a message and expunges another one, in one step.
 *  replace = "REPLACE" SP seq-number SP mailbox SP append-message
 *  Answers APPENDUID before the EXPUNGE or VANISHED response (section 4.3). */
import type { Uid } from "#/src/model/numbers.ts";
import { type AppendMessage, messageBound, readAnnounced, readAppended } from "../append/appended-message.ts";
import { readMessages } from "../append/catenate.ts";
import { type Answer, command, whenSelected } from "../command.ts";
import type { Form, ParseContext } from "../command-context.ts";
import { bad, no } from "../errors.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { readSequenceSet, type SequenceBound } from "../wire/sequence-set.ts";
import type { WireReader } from "../wire/wire-reader.ts";

interface ReplaceArguments {
  readonly number: SequenceBound;
  readonly name: string;
  readonly message: AppendMessage;
}

export const replace = command({
  name: "REPLACE",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: false,
  isWrite: true,
  putsMail: true,
  capabilities: ["REPLACE"],
  source: "RFC 8508",
  parse(reader, context): ReplaceArguments {
    const { number, name } = readPlaces(reader, context);
    const message = readAppended(reader);
    return { number, name, message };
  },
  run: runReplace,
  literalBound(reader, _context, maxAppendBytes) {
    reader.space();
    readSequenceSet(reader);
    reader.space();
    reader.astring();
    if (reader.isAtEnd) return undefined;
    reader.space();
    const { byteLength, isLast, isUrl } = readAnnounced(reader);
    return isLast && !isUrl ? messageBound(maxAppendBytes - byteLength) : undefined;
  },
});

function readPlaces(reader: WireReader, context: ParseContext): { number: SequenceBound; name: string } {
  reader.space();
  const set = readSequenceSet(reader);
  if (set === "saved" || set.length !== 1 || set[0]![0] !== set[0]![1])
    throw bad("REPLACE names one message");
  reader.space();
  const name = decodeMailboxName(reader.astring(), context.names);
  reader.space();
  return { number: set[0]![0], name };
}

async function runReplace(
  session: Session,
  { number, name, message }: ReplaceArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  if (selected.isReadOnly) throw no("READ-ONLY", "The mailbox is selected for reading");
  const uid = namedUid(session, number, form);
  const target = await session.findTarget(name);
  const [read] = await readMessages(session, [message]);
  const { agent, number: source } = selected.mailbox;
  if (target.agent !== agent) throw no("CANNOT", "REPLACE stays with the mailboxes of one owner");
  const { mail, holds } = session.rooms;
  const { actor } = target;
  const provenance = { source: "imap" } as const;
  const replaced =
    target.role === "holds"
      ? await holds.editByMessage({ agent, message: read!, actor, replaces: { mailbox: source, uid } })
      : await mail.replaceMessage(actor, agent, source, uid, target.number, read!, provenance);
  session.made(target, [[replaced.uid, replaced.uid]]);
  out.line(`* OK [APPENDUID ${replaced.uidValidity} ${replaced.uid}] The new message is there`);
  return session.isEnabled("QRESYNC") ? { code: `HIGHESTMODSEQ ${replaced.modseq}` } : undefined;
}

function namedUid(session: Session, number: SequenceBound, form: Form): Uid {
  const { view } = session.selected;
  let uid: number | undefined;
  if (form === "uid") {
    uid = number === "star" ? view.highestUid : number;
    if (view.seqOf(uid) === undefined) throw no("NONEXISTENT", "There is no such message");
  } else {
    uid = view.uidOf(number === "star" ? view.count : number);
    if (uid === undefined) throw bad("No message has this sequence number");
  }
  if (view.isExpunged(uid)) throw no("EXPUNGEISSUED", "The message is gone");
  return uid as Uid;
}
