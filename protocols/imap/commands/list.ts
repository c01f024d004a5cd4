/** LIST (RFC 9051 section 6.3.9, RFC 5258 LIST-EXTENDED, RFC 5819 LIST-STATUS, RFC 6154 SPECIAL-USE, RFC 3348 CHILDREN,
 *  RFC 8440 LIST-MYRIGHTS, RFC 9590 LIST-METADATA).
 *  The levels above mailboxes of others are not mailboxes. Special uses of others are not shown.
 *  Grammar in `list-options.ts`. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { afterLogin, command } from "../command.ts";
import { type ListArguments, readListArguments } from "../mailboxes/list-options.ts";
import { matchesListPattern } from "../mailboxes/list-pattern.ts";
import { entriesText, selectEntries } from "../mailboxes/metadata-entries.ts";
import { rightsText } from "../mailboxes/rights-text.ts";
import { specialUse } from "../mailboxes/special-use.ts";
import { statusLine } from "../mailboxes/status-items.ts";

export const list = command({
  name: "LIST",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["LIST-EXTENDED", "LIST-STATUS", "SPECIAL-USE", "CHILDREN", "LIST-MYRIGHTS", "LIST-METADATA"],
  source: "RFC 9051 6.3.9, RFC 5258, 5819, 6154, 3348, 8440, 9590",
  parse: readListArguments,
  async run(session, args, out) {
    if (args.isRootAsked) {
      out.line(`* LIST (\\Noselect) "${hierarchyDelimiter}" ""`);
      return undefined;
    }
    const { mail } = session.rooms;
    const mailboxes = await session.access.list();
    const subscriptions = new Set(await mail.listSubscriptions(session.agent));
    const turns = new LoopTurns();
    for (const entry of listEntries(args, mailboxes, subscriptions)) {
      const attributes = [...entry.attributes].join(" ");
      const childInfo = entry.childCriteria.map((criterion) => `"${criterion}"`).join(" ");
      const extended = childInfo === "" ? "" : ` ("CHILDINFO" (${childInfo}))`;
      out.line(`* LIST (${attributes}) "${hierarchyDelimiter}" ${session.writeName(entry.name)}${extended}`);
      if (args.status.length > 0 && entry.mailbox !== undefined)
        out.line(await statusLine(session, entry.mailbox, args.status));
      if (args.showsRights && entry.mailbox !== undefined)
        out.line(`* MYRIGHTS ${session.writeName(entry.name)} ${rightsText(entry.mailbox.rights)}`);
      if (args.metadata.length > 0 && entry.mailbox !== undefined && entry.mailbox.rights.has("r")) {
        const entries = await mail.listMetadata(entry.mailbox, session.agent);
        const shown = entriesText(selectEntries(entries, args.metadata, 0));
        out.line(`* METADATA ${session.writeName(entry.name)} ${shown}`);
      }
      await out.flushIfLarge();
      await turns.turn();
    }
    return undefined;
  },
});

interface ListEntry {
  readonly name: string;
  /** The mailbox whose STATUS and METADATA are shown; undefined for one that is listed only because of mailboxes below it (RFC
   *  5819 section 2, RFC 9590 section 4). */
  readonly mailbox: ReachedMailbox | undefined;
  readonly attributes: readonly string[];
  /** With RECURSIVEMATCH: the selection options that a mailbox below satisfies (RFC 5258 section 3.5). */
  readonly childCriteria: readonly string[];
}

function* listEntries(
  args: ListArguments,
  mailboxes: readonly ReachedMailbox[],
  subscriptions: ReadonlySet<string>,
): Generator<ListEntry> {
  const byName = new Map(mailboxes.map((mailbox) => [mailbox.name, mailbox]));
  const parents = new Set<string>();
  for (const name of byName.keys()) for (const parent of parentsOf(name)) parents.add(parent);
  const levels = [...parents].filter((name) => !byName.has(name));
  // A subscription outlives its mailbox, and LIST (SUBSCRIBED) shows it (RFC 5258 section 3.1).
  const named = args.onlySubscribed ? [...subscriptions] : [];
  const aboveNamed = args.isRecursive ? named.flatMap((name) => [...parentsOf(name)]) : [];
  const names = [...new Set([...byName.keys(), ...levels, ...named, ...aboveNamed])];
  const matching = new Set(
    names.filter((name) => args.patterns.some((one) => matchesListPattern(one, name))),
  );
  const isSelected = (name: string): boolean =>
    (!args.onlySubscribed || subscriptions.has(name)) &&
    (!args.onlySpecialUse || specialUse(byName.get(name)) !== undefined);
  const withSelectedBelow = new Set<string>();
  const withUnlistedBelow = new Set<string>();
  if (args.isRecursive)
    for (const name of names)
      if (isSelected(name))
        for (const parent of parentsOf(name)) {
          withSelectedBelow.add(parent);
          if (!matching.has(name)) withUnlistedBelow.add(parent);
        }
  const criteria = [
    ...(args.onlySubscribed ? ["SUBSCRIBED"] : []),
    ...(args.onlySpecialUse ? ["SPECIAL-USE"] : []),
  ];

  for (const name of matching) {
    // A parent is not listed for a mailbox that is listed itself (RFC 5258 section 3.3).
    if (!isSelected(name) && !withUnlistedBelow.has(name)) continue;
    const mailbox = byName.get(name);
    const use = specialUse(mailbox);
    yield {
      name,
      mailbox: isSelected(name) ? mailbox : undefined,
      childCriteria: withSelectedBelow.has(name) ? criteria : [],
      attributes: [
        ...(mailbox === undefined ? [parents.has(name) ? "\\Noselect" : "\\NonExistent"] : []),
        parents.has(name) ? "\\HasChildren" : "\\HasNoChildren",
        ...(use === undefined ? [] : [use]),
        ...(args.showsSubscribed && subscriptions.has(name) ? ["\\Subscribed"] : []),
      ],
    };
  }
}

export function* parentsOf(name: string): Generator<string> {
  for (let at = name.indexOf(hierarchyDelimiter); at > 0; at = name.indexOf(hierarchyDelimiter, at + 1))
    yield name.slice(0, at);
}
