/** CLOSE and UNSELECT (RFC 9051 sections 6.4.1 and 6.4.2). Both leave the mailbox; CLOSE first expunges the \Deleted messages.
 *  Neither sends EXPUNGE. */
import { command, noArguments, whenSelected } from "../command.ts";

export const close = command({
  name: "CLOSE",
  states: whenSelected,
  forms: ["plain"],
  usesSequence: false,
  source: "RFC 9051 6.4.1",
  parse: noArguments,
  async run(session) {
    const { mailbox, isReadOnly } = session.selected;
    if (!isReadOnly) await session.rooms.mail.expungeMessages(mailbox.actor, mailbox.agent, mailbox.number);
    await session.unselect();
    return undefined;
  },
});

export const unselect = command({
  name: "UNSELECT",
  states: whenSelected,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["UNSELECT"],
  source: "RFC 9051 6.4.2, RFC 3691",
  parse: noArguments,
  async run(session) {
    await session.unselect();
    return undefined;
  },
});
