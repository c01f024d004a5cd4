/** SUBSCRIBE and UNSUBSCRIBE (RFC 9051 sections 6.3.7 and 6.3.8). A subscription may name a mailbox that does not exist (yet, or
 *  any more): clients restore their subscriptions before their mailboxes.
 *  subscribe = "SUBSCRIBE" SP mailbox */
import { afterLogin, command } from "../command.ts";
import { decodeMailboxName, newMailboxName } from "../mailboxes/mailbox-name.ts";

function subscriptionCommand<const Name extends "SUBSCRIBE" | "UNSUBSCRIBE">(
  name: Name,
  isSubscribed: boolean,
) {
  return command({
    name,
    states: afterLogin,
    forms: ["plain"],
    usesSequence: false,
    isWrite: true,
    putsMail: false,
    source: isSubscribed ? "RFC 9051 6.3.7" : "RFC 9051 6.3.8",
    parse(reader, context): string {
      reader.space();
      return decodeMailboxName(reader.astring(), context.names);
    },
    async run(session, mailboxName) {
      const plainName = isSubscribed ? newMailboxName(mailboxName) : mailboxName;
      await session.rooms.mail.setSubscription(
        session.principal.author,
        session.agent,
        plainName,
        isSubscribed,
      );
      return undefined;
    },
  });
}

export const subscribe = subscriptionCommand("SUBSCRIBE", true);
export const unsubscribe = subscriptionCommand("UNSUBSCRIBE", false);
