/** RENAME (RFC 9051 section 6.3.6): with everything below. INBOX keeps its name and gives its mail away.
 *  rename = "RENAME" SP mailbox SP mailbox */
import { afterLogin, command } from "../command.ts";
import { no } from "../errors.ts";
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
    const mailbox = await session.findMailbox(name, "x");
    const place = await session.access.place(newMailboxName(newName));
    if (place.agent !== mailbox.agent) throw no("CANNOT", "A mailbox stays with its owner");
    await session.rooms.mail.renameMailbox(mailbox.agent, mailbox.number, place.name);
    return undefined;
  },
});
