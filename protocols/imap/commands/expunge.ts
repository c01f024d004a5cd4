/** EXPUNGE and UID EXPUNGE (RFC 9051 sections 6.4.3 and 6.4.9, RFC 4315 section 2.1): removes \Deleted messages.
 *  expunge = "EXPUNGE"        uid-expunge = "UID" SP "EXPUNGE" SP sequence-set
 *  The EXPUNGE responses are sent at the end of the command, from the change log, together with those for other clients'
 *  changes. */
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { countNumbers, type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import { command, whenSelected } from "../command.ts";
import { no } from "../errors.ts";
import { limitedAnswer, limitMessages } from "../session/message-limit.ts";
import { namedMessages } from "../session/named-messages.ts";
import type { Session } from "../session/session.ts";
import { readSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";

export const expunge = command({
  name: "EXPUNGE",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: false,
  isWrite: true,
  putsMail: false,
  source: "RFC 9051 6.4.3, RFC 4315, RFC 7162 3.2.7, RFC 9738",
  parse(reader, context): SequenceSet | undefined {
    if (context.form === "plain") return undefined;
    reader.space();
    return readSequenceSet(reader);
  },
  async run(session, set, out, form) {
    const { selected } = session;
    if (selected.isReadOnly) throw no("READ-ONLY", "The mailbox is selected for reading");
    const { agent, number, actor } = selected.mailbox;
    const named = set === undefined ? undefined : namedMessages(selected, set, form).uids;
    const { uids, lowest } = await limitDeleted(session, named);
    const { expunged, modseq } = await session.rooms.mail.expungeMessages(actor, agent, number, uids);
    // RFC 7162 section 3.2.7. All changes up to this MODSEQ are sent before the tagged OK.
    const isTold = expunged.length > 0 && session.isEnabled("QRESYNC");
    const answer = isTold ? { code: `HIGHESTMODSEQ ${modseq}` } : undefined;
    return limitedAnswer(answer, lowest, session.messageLimit, out);
  },
});

/** As many of the messages to be removed as the limit allows; messages without \Deleted do not count. EXPUNGE without UIDs has no
 *  limit (RFC 9738 section 3.1). */
async function limitDeleted(
  session: Session,
  uids: NumberSet | undefined,
): Promise<{ readonly uids: NumberSet | undefined; readonly lowest?: number | undefined }> {
  if (uids === undefined || countNumbers(uids) <= session.messageLimit) return { uids };
  const { agent, number } = session.selected.mailbox;
  const deleted: SearchKey = { kind: "flags", mask: deletedFlag };
  const key: SearchKey = { kind: "and", keys: [{ kind: "uids", uids }, deleted] };
  const found = await session.rooms.mail.searchMailbox(agent, number, key);
  return limitMessages(numberSetOf(found.uids), session.messageLimit);
}
