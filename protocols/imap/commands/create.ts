/** CREATE (RFC 9051 section 6.3.4, RFC 8474 section 4.1). Missing levels above are created too.
 *  create = "CREATE" SP mailbox */
import { afterLogin, command } from "../command.ts";
import { decodeMailboxName, newMailboxName } from "../mailbox-name.ts";

export const create = command({
  name: "CREATE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  capabilities: ["OBJECTID"],
  source: "RFC 9051 6.3.4, RFC 8474",
  parse(reader, context) {
    reader.space();
    return decodeMailboxName(reader.astring(), context.names);
  },
  async run(session, name) {
    const place = await session.access.place(newMailboxName(name));
    const mailbox = await session.rooms.mail.createMailbox(place.agent, place.name);
    return { code: `MAILBOXID (${mailbox.id})` };
  },
});
