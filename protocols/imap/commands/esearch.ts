/** ESEARCH (RFC 7377, MULTISEARCH): one search in several mailboxes, with one response, in UIDs, for each mailbox in which
 *  messages are found.
 *  esearch = "ESEARCH" [SP "IN" SP "(" source-mbox ")"] [SP "RETURN" SP "(" … ")"] SP ["CHARSET" SP charset SP] search-key
 *            *(SP search-key)
 *  Without IN it searches the selected mailbox. Sequence numbers and "$" belong to one mailbox and are refused. SAVE and UPDATE,
 *  for which the result would have to be kept, are refused too. */

import { emptyNumberSet, type NumberSet } from "#/src/model/number-set.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { afterLogin, command } from "../command.ts";
import { bad } from "../errors.ts";
import { namedUids, writeExtended } from "../search/answer.ts";
import { widenFuzzyKeys } from "../search/fuzzy.ts";
import { asksModseq, hasKey, type ImapSearchKey, readSearchKeys } from "../search/grammar.ts";
import { isSource, type MailboxSource, readMailboxSources } from "../search/mailbox-sources.ts";
import {
  plainCharset,
  type SearchCharset,
  type SearchReturn,
  tryCharset,
  tryReturnOptions,
} from "../search/options.ts";
import { resolveSearchKey } from "../search/resolution.ts";
import { assertMayNameCharset, highestModseqOf } from "../search/run.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

interface EsearchArguments {
  readonly sources: readonly MailboxSource[];
  readonly returns: SearchReturn;
  readonly key: ImapSearchKey;
  /** undefined if the client named none. */
  readonly charset: SearchCharset | undefined;
}

export const esearch = command({
  name: "ESEARCH",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["MULTISEARCH"],
  source: "RFC 7377",
  parse(reader, context): EsearchArguments {
    reader.space();
    let sources: MailboxSource[] = [{ kind: "selected" }];
    if (reader.tryWord("IN")) {
      reader.space();
      sources = readMailboxSources(reader, context);
      reader.space();
    }
    const returns = tryReturnOptions(reader, ["MIN", "MAX", "ALL", "COUNT", "PARTIAL"]);
    const charset = tryCharset(reader);
    const key = readSearchKeys(reader, charset ?? plainCharset);
    if (hasKey(key, "sequence")) throw bad("ESEARCH takes no sequence numbers");
    if (hasKey(key, "uid")) throw bad("ESEARCH takes no UIDs");
    return { sources, returns: returns ?? { options: ["ALL"] }, key, charset };
  },
  async run(session, args, out) {
    assertMayNameCharset(session, args.charset);
    const selected = session.state === "selected" ? session.selected.mailbox : undefined;
    if (selected === undefined && args.sources.some(({ kind }) => kind === "selected"))
      throw bad("No mailbox is selected");
    if (asksModseq(args.key)) session.enable("CONDSTORE");
    const context = {
      isSelected: (one: ReachedMailbox) => one.agent === selected?.agent && one.number === selected.number,
      subscriptions: new Set(await session.rooms.mail.listSubscriptions(session.agent)),
    };
    for (const mailbox of await session.access.list()) {
      const isMeant = args.sources.some((source) => isSource(source, mailbox, context));
      if (isMeant && mailbox.rights.has("r")) await searchIn(session, mailbox, args, out);
    }
    return undefined;
  },
});

/** The \Recent UIDs of a mailbox; of one that is not selected, those that no session was told of. */
function recentOf(session: Session, mailbox: ReachedMailbox): NumberSet {
  if (session.isEnabled("IMAP4REV2")) return emptyNumberSet;
  const { agent, number } = mailbox;
  const selected = session.state === "selected" ? session.selected : undefined;
  if (selected?.mailbox.agent === agent && selected.mailbox.number === number) return selected.recent;
  return [[session.rooms.mail.toldUid(mailbox) + 1, 2 ** 32]];
}

async function searchIn(
  session: Session,
  mailbox: ReachedMailbox,
  { key, returns }: EsearchArguments,
  out: ResponseWriter,
): Promise<void> {
  const { mail } = session.rooms;
  const { agent, number, uidValidity } = mailbox;
  const scope = {
    mailbox,
    isUidOnly: true,
    saved: [],
    recent: recentOf(session, mailbox),
    view: { count: 0, highestUid: 0, uidsOfSeqs: () => [] },
  };
  const { uids, highestModseq } = await mail.searchMailbox(
    agent,
    number,
    resolveSearchKey(widenFuzzyKeys(key), scope, mail),
  );
  // Section 2.1: no response for a mailbox in which nothing is found.
  if (uids.length === 0) return;
  const named = namedUids(uids, returns);
  const ofNamed =
    named.length === uids.length ? highestModseq : await highestModseqOf(session, named, mailbox);
  await writeExtended(
    {
      tag: session.tag,
      form: "uid",
      numbers: uids,
      modseq: asksModseq(key) ? ofNamed : undefined,
      mailbox: { name: session.writeName(mailbox.name), uidValidity },
    },
    returns,
    out,
  );
  await out.flushIfLarge();
}
