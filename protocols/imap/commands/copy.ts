/** COPY and MOVE (RFC 9051 sections 6.4.7 and 6.4.8, RFC 4315 COPYUID, RFC 6851).
 *  copy = "COPY" SP sequence-set SP mailbox       move = "MOVE" SP sequence-set SP mailbox
 *  COPY copies all of the messages or none. MOVE may move only some of them. MOVE answers COPYUID before the EXPUNGE responses
 *  (RFC 6851 section 4.3). */
import { formatNumberSet } from "#/src/model/number-set.ts";
import { isHoldRole } from "#/src/model/roles.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { command, whenSelected } from "../command.ts";
import { no } from "../errors.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import { limitedAnswer, limitMessages, overLimit } from "../session/message-limit.ts";
import { namedMessages } from "../session/named-messages.ts";
import { readSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";

interface TransferArguments {
  readonly set: SequenceSet;
  readonly name: string;
}

function transferCommand<const Name extends "COPY" | "MOVE">(name: Name) {
  const isMove = name === "MOVE";
  return command({
    name,
    states: whenSelected,
    forms: ["plain", "uid"],
    usesSequence: false,
    isWrite: true,
    putsMail: true,
    capabilities: isMove ? ["MOVE"] : [],
    source: isMove ? "RFC 9051 6.4.8, RFC 6851" : "RFC 9051 6.4.7, RFC 4315",
    parse(reader, context): TransferArguments {
      reader.space();
      const set = readSequenceSet(reader);
      reader.space();
      return { set, name: decodeMailboxName(reader.astring(), context.names) };
    },
    async run(session, args, out, form) {
      const { selected } = session;
      const { mail } = session.rooms;
      if (isMove && selected.isReadOnly) throw no("READ-ONLY", "The mailbox is selected for reading");
      const { uids, hasExpunged } = namedMessages(selected, args.set, form);
      const target = await session.findTarget(args.name);
      // With sequence numbers, all named messages must exist (RFC 9051 section 6.4.7). The same in the Holds mailboxes: a decision
      // about a mail that is replaced by a newer version does nothing.
      const { role } = selected.mailbox;
      if (hasExpunged && role === "scheduled") throw alreadySent();
      const isOneByOne = form === "plain" || isHoldRole(role);
      if (hasExpunged && isOneByOne) throw no("EXPUNGEISSUED", "Some of the messages are gone");
      if (uids.length === 0) return undefined;
      const limited = limitMessages(uids, session.messageLimit);
      // COPY copies all or none; MOVE may move a part of the messages (RFC 9738 section 3.1).
      if (!isMove && limited.lowest !== undefined) throw overLimit(session.messageLimit, limited.lowest);
      const transferred = await mail.transferMessages(selected.mailbox, target, limited.uids, isMove);
      const { uidValidity, sourceUids, targetUids, modseq, failure } = transferred;
      if (sourceUids.length === 0 && failure === undefined) return undefined;
      session.made(target, targetUids);
      const code = `COPYUID ${uidValidity} ${formatNumberSet(sourceUids)} ${formatNumberSet(targetUids)}`;
      if (!isMove) return { code };
      if (sourceUids.length > 0) out.line(`* OK [${code}] Moved`);
      // Messages that were moved before the failure stay moved (RFC 6851 section 3.3).
      if (failure !== undefined) throw failure;
      const answer = session.isEnabled("QRESYNC") ? { code: `HIGHESTMODSEQ ${modseq}` } : undefined;
      return limitedAnswer(answer, limited.lowest, session.messageLimit, out);
    },
  });
}

export const copy = transferCommand("COPY");
export const move = transferCommand("MOVE");
