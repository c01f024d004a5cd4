/** Which mailboxes ESEARCH searches (RFC 7377 section 2.2, RFC 5465 section 6).
 *  source-mbox = filter-mailboxes *(SP filter-mailboxes)
 *  filter-mailboxes = "selected" / "selected-delayed" / "inboxes" / "personal" / "subscribed" /
 *                     ("subtree" / "subtree-one" / "mailboxes") SP (mailbox / "(" mailbox *(SP mailbox) ")") */

import { hierarchyDelimiter } from "#/src/model/roles.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import type { ParseContext } from "../command-context.ts";
import { bad } from "../errors.ts";
import { searchedNamesMax } from "../limits.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import type { WireReader } from "../wire/wire-reader.ts";

export type MailboxSource =
  | { readonly kind: "selected" | "inboxes" | "personal" | "subscribed" }
  | { readonly kind: "subtree" | "subtree-one" | "mailboxes"; readonly names: readonly string[] };

/** "(" source-mbox ")" */
export function readMailboxSources(reader: WireReader, context: ParseContext): MailboxSource[] {
  let nameCount = 0;
  return reader.list(
    () => {
      const kind = reader.word().toLowerCase();
      switch (kind) {
        case "selected":
        case "selected-delayed":
          return { kind: "selected" };
        case "inboxes":
        case "personal":
        case "subscribed":
          return { kind };
        case "subtree":
        case "subtree-one":
        case "mailboxes": {
          reader.space();
          const read = (): string => decodeMailboxName(reader.astring(), context.names);
          const names = reader.peek() === "(" ? reader.list(read, { max: searchedNamesMax }) : [read()];
          nameCount += names.length;
          if (nameCount > searchedNamesMax) throw bad("Too many mailboxes are named", "LIMIT");
          return { kind, names };
        }
        default:
          throw bad("Unknown mailbox specification");
      }
    },
    { max: searchedNamesMax },
  );
}

export interface SourceContext {
  isSelected(mailbox: ReachedMailbox): boolean;
  readonly subscriptions: ReadonlySet<string>;
}

export function isSource(source: MailboxSource, mailbox: ReachedMailbox, context: SourceContext): boolean {
  const { name } = mailbox;
  switch (source.kind) {
    case "selected":
      return context.isSelected(mailbox);
    case "inboxes":
      // The mailboxes into which arriving mail may be delivered.
      return mailbox.isOwn && (mailbox.role === "inbox" || mailbox.role === "junk");
    case "personal":
      return mailbox.isOwn;
    case "subscribed":
      return context.subscriptions.has(name);
    case "mailboxes":
      return source.names.includes(name);
    case "subtree":
      return source.names.some((top) => name === top || name.startsWith(top + hierarchyDelimiter));
    case "subtree-one":
      return source.names.some(
        (top) => name === top || name.slice(0, Math.max(0, name.lastIndexOf(hierarchyDelimiter))) === top,
      );
  }
}
