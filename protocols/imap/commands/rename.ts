/** RENAME (RFC 9051 section 6.3.6): with everything below. INBOX keeps its name and gives its mail away.
 *  rename = "RENAME" SP mailbox SP mailbox */
import { afterLogin, command } from "../command.ts";
import { decodeMailboxName, newMailboxName } from "../mailbox-name.ts";

export const rename = command({
  name: "RENAME",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  source: "RFC 9051 6.3.6",
  parse(reader, context) {
    reader.space();
    const name = decodeMailboxName(reader.astring(), context.names);
    reader.space();
    return { name, newName: decodeMailboxName(reader.astring(), context.names) };
  },
  async run(session, { name, newName }) {
    const mailbox = await session.findMailbox(name);
    await session.rooms.mail.renameMailbox(session.agent, mailbox.number, newMailboxName(newName));
    return undefined;
  },
});
