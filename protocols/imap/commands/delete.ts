/** DELETE (RFC 9051 section 6.3.5). A mailbox with others below it is not deleted: NO [HASCHILDREN].
 *  delete = "DELETE" SP mailbox */
import { afterLogin, command } from "../command.ts";
import { readGivenName, tellGivenName } from "../mailboxes/given-name.ts";

export const deleteCommand = command({
  name: "DELETE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  putsMail: false,
  source: "RFC 9051 6.3.5",
  parse(reader, context) {
    reader.space();
    return readGivenName(reader, context.names);
  },
  async run(session, named, out) {
    const mailbox = await session.findMailbox(named.name, "x");
    const { agent, number } = mailbox;
    const selected = session.state === "selected" ? session.selected.mailbox : undefined;
    await session.rooms.mail.deleteMailbox(session.principal.author, agent, number);
    const isSelected = selected?.agent === agent && selected.number === number;
    if (isSelected && (await session.unselect())) out.line("* OK [CLOSED] The mailbox was deleted");
    tellGivenName(session, named, out, "\\NonExistent");
    return undefined;
  },
});
