/** SEARCH and UID SEARCH (RFC 9051 section 6.4.4, RFC 4731 ESEARCH, RFC 5182 SEARCHRES, RFC 5032 WITHIN, RFC 5267
 *  CONTEXT=SEARCH, RFC 6203 FUZZY, RFC 7162 section 3.1.5). Keys in `search/grammar.ts`, RETURN options in `search/options.ts`.
 *  search = "SEARCH" [SP "RETURN" SP "(" [option *(SP option)] ")"] SP ["CHARSET" SP charset SP] search-key *(SP search-key)
 *  The answer covers the messages that the client knows. A message that arrived since has no sequence number and is left out. */
import { numberSetOf } from "#/src/model/number-set.ts";
import { type Answer, command, whenSelected } from "../command.ts";
import type { Form } from "../command-context.ts";
import { namedUids, writeExtended, writePlain } from "../search/answer.ts";
import { asksModseq, type ImapSearchKey, readSearchKeys } from "../search/grammar.ts";
import {
  partialCount,
  plainCharset,
  type ReturnOption,
  type SearchCharset,
  type SearchReturn,
  tryCharset,
  tryReturnOptions,
} from "../search/options.ts";
import {
  assertMayNameCharset,
  assertMayUpdate,
  findMessages,
  highestModseqOf,
  keepUpToDate,
  numbersOf,
  runSaving,
  scoreMessages,
} from "../search/run.ts";
import { limitedAnswer, overLimit } from "../session/message-limit.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

interface SearchArguments {
  /** undefined: the SEARCH response of IMAP4rev1. */
  readonly returns: SearchReturn | undefined;
  readonly key: ImapSearchKey;
  /** undefined if the client named none. */
  readonly charset: SearchCharset | undefined;
}

export const search = command({
  name: "SEARCH",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: true,
  capabilities: ["ESEARCH", "SEARCHRES", "WITHIN", "SEARCH=FUZZY", "CONTEXT=SEARCH"],
  source: "RFC 9051 6.4.4, RFC 4731, RFC 5182, RFC 5032, RFC 5267 4, RFC 6203, RFC 9738",
  parse(reader): SearchArguments {
    reader.space();
    const returns = tryReturnOptions(reader);
    const charset = tryCharset(reader);
    return { returns, key: readSearchKeys(reader, charset ?? plainCharset), charset };
  },
  run: (session, args, out, form) =>
    runSaving(session, args.returns, () => runSearch(session, args, out, form)),
});

async function runSearch(
  session: Session,
  { returns, key, charset }: SearchArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  assertMayNameCharset(session, charset);
  const asksFor = (option: ReturnOption): boolean => returns?.options.includes(option) ?? false;
  assertMayUpdate(session, returns);
  const saves = asksFor("SAVE");
  if (returns?.partial !== undefined && partialCount(returns.partial) > session.messageLimit)
    throw overLimit(session.messageLimit);
  const { uids, highestModseq, key: resolved, lowest } = await findMessages(session, key);
  const relevancy = asksFor("RELEVANCY") ? await scoreMessages(session, key, uids) : undefined;
  const named = returns === undefined ? uids : namedUids(uids, returns);
  const asks = asksModseq(key) && uids.length > 0;
  // The highest MODSEQ of the messages that the answer names (RFC 4731 section 3.2).
  const ofNamed = named.length === uids.length ? highestModseq : undefined;
  const modseq = asks ? (ofNamed ?? (await highestModseqOf(session, named))) : undefined;
  const numbers = await numbersOf(session, uids, form);

  if (saves) selected.saved = numberSetOf(named);
  if (returns === undefined && !session.isEnabled("IMAP4REV2"))
    await writePlain("SEARCH", numbers, modseq, out);
  else
    await writeExtended(
      { tag: session.tag, form, numbers, modseq, relevancy },
      returns ?? { options: ["ALL"] },
      out,
    );
  keepUpToDate(session, returns, { form, key: resolved, uids }, out);
  return limitedAnswer(undefined, lowest, session.messageLimit, out);
}
