/** RENAME (RFC 9051 section 6.3.6), with all mailboxes below. RENAME of INBOX moves its messages; INBOX itself stays.
 *  rename = "RENAME" SP mailbox SP mailbox */
import { afterLogin, command } from "../command.ts";
import { no } from "../errors.ts";
import { readGivenName, tellGivenName } from "../mailboxes/given-name.ts";
import { decodeMailboxName, newMailboxName } from "../mailboxes/mailbox-name.ts";

export const rename = command({
  name: "RENAME",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  putsMail: true,
  source: "RFC 9051 6.3.6",
  parse(reader, context) {
    reader.space();
    const name = decodeMailboxName(reader.astring(), context.names);
    reader.space();
    return { name, target: readGivenName(reader, context.names) };
  },
  async run(session, { name, target }, out) {
    const mailbox = await session.findMailbox(name, "x");
    const newName = newMailboxName(target.name);
    const place = await session.access.place(newName);
    if (place.agent !== mailbox.agent) throw no("CANNOT", "A mailbox stays with its owner");
    await session.rooms.mail.renameMailbox(
      session.principal.author,
      mailbox.agent,
      mailbox.number,
      place.name,
    );
    tellGivenName(session, { ...target, name: newName }, out);
    return undefined;
  },
});
