/** LSUB (RFC 3501 section 6.3.9): subscribed names. With "%", the parent of a subscribed name is listed as \Noselect.
 *  lsub = "LSUB" SP mailbox SP list-mailbox */
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import { afterLogin, command } from "../command.ts";
import { decodePattern } from "../mailboxes/list-options.ts";
import { matchesListPattern } from "../mailboxes/list-pattern.ts";
import { parentsOf } from "./list.ts";

export const lsub = command({
  name: "LSUB",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  source: "RFC 3501 6.3.9",
  parse(reader, context) {
    reader.space();
    const reference = reader.astring();
    reader.space();
    return decodePattern(reference, reader.listMailbox(), context.names);
  },
  async run(session, [pattern], out) {
    if (pattern === undefined) return undefined;
    const subscriptions = await session.rooms.mail.listSubscriptions(session.agent);
    const shown = new Map<string, string>();
    for (const name of subscriptions) {
      if (matchesListPattern(pattern, name)) shown.set(name, "");
      else if (pattern.endsWith("%"))
        for (const parent of parentsOf(name))
          if (!shown.has(parent) && matchesListPattern(pattern, parent)) shown.set(parent, "\\Noselect");
    }
    for (const [name, attribute] of shown) {
      out.line(`* LSUB (${attribute}) "${hierarchyDelimiter}" ${session.writeName(name)}`);
      await out.flushIfLarge();
    }
    return undefined;
  },
});
