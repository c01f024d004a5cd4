/** EXPUNGE and UID EXPUNGE (RFC 9051 sections 6.4.3 and 6.4.9, RFC 4315 section 2.1): removes what is \Deleted.
 *  expunge = "EXPUNGE"        uid-expunge = "UID" SP "EXPUNGE" SP sequence-set
 *  The EXPUNGE responses come from the change log with those of others, at the end of the command. */
import { command, whenSelected } from "../command.ts";
import { no } from "../errors.ts";
import { namedMessages } from "../named-messages.ts";
import { readSequenceSet, type SequenceSet } from "../sequence-set.ts";

export const expunge = command<SequenceSet | undefined>({
  name: "EXPUNGE",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: false,
  isWrite: true,
  source: "RFC 9051 6.4.3, RFC 4315, RFC 7162 3.2.7",
  parse(reader, context) {
    if (context.form === "plain") return undefined;
    reader.space();
    return readSequenceSet(reader);
  },
  async run(session, set, _out, form) {
    const { selected } = session;
    if (selected.isReadOnly) throw no("READ-ONLY", "The mailbox is selected for reading");
    const { agent, number, actor } = selected.mailbox;
    const uids = set === undefined ? undefined : namedMessages(selected, set, form).uids;
    const { expunged, modseq } = await session.rooms.mail.expungeMessages(agent, number, uids, actor);
    // RFC 7162 section 3.2.7; everything up to this MODSEQ is told before the answer.
    const isTold = expunged.length > 0 && session.isEnabled("QRESYNC");
    return isTold ? { code: `HIGHESTMODSEQ ${modseq}` } : undefined;
  },
});
