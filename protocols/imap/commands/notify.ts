/** NOTIFY (RFC 5465): what the client is told of without asking, between commands too.
 *  Grammar in `notify-grammar.ts`, what happens in `notify-watch.ts`. */
import { afterLogin, command } from "../command.ts";
import { type NotifyArguments, readNotifyArguments } from "../notify/grammar.ts";
import { NotifyWatch } from "../notify/watch.ts";

export const notify = command<NotifyArguments>({
  name: "NOTIFY",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["NOTIFY"],
  source: "RFC 5465",
  parse: readNotifyArguments,
  async run(session, { hasStatus, groups }, out) {
    // What has gathered in the selected mailbox is told as before (section 3.1).
    if (groups.length > 0 && session.state === "selected")
      await session.selected.tell(out, session.tellOptions(true, true, true));
    const watch = await NotifyWatch.open(session, groups);
    session.watch = watch;
    if (hasStatus) await watch.tellStatus(out);
    return undefined;
  },
});
