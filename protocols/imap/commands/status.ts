/** STATUS (RFC 9051 section 6.3.11, RFC 7162 section 3.1.7, RFC 8438, RFC 8474 section 4.3).
 *  status = "STATUS" SP mailbox SP "(" status-att *(SP status-att) ")" */
import { afterLogin, command } from "../command.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import { readStatusItems, statusLine } from "../mailboxes/status-items.ts";

export const status = command({
  name: "STATUS",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["STATUS=SIZE"],
  source: "RFC 9051 6.3.11, RFC 8438",
  parse(reader, context) {
    reader.space();
    const name = decodeMailboxName(reader.astring(), context.names);
    reader.space();
    return { name, items: readStatusItems(reader) };
  },
  async run(session, { name, items }, out) {
    out.line(await statusLine(session, await session.findMailbox(name), items));
    return undefined;
  },
});
