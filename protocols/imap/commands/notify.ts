/** NOTIFY (RFC 5465): which events are sent to the client without a request, between commands too.
 *  Grammar in `notify/grammar.ts`, sending in `notify/watch.ts`. */
import { afterLogin, command } from "../command.ts";
import { readNotifyArguments } from "../notify/grammar.ts";
import { NotifyWatch } from "../notify/watch.ts";

export const notify = command({
  name: "NOTIFY",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["NOTIFY"],
  source: "RFC 5465",
  parse: readNotifyArguments,
  async run(session, { hasStatus, groups }, out) {
    // Pending changes of the selected mailbox are sent first (section 3.1).
    if (groups.length > 0 && session.state === "selected")
      await session.selected.tell(out, session.tellOptions(true, true, true));
    const watch = await NotifyWatch.open(session, groups);
    session.watch = watch;
    if (hasStatus) await watch.tellStatus(out);
    return undefined;
  },
});
