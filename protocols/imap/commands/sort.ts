/** SORT and UID SORT (RFC 5256 section 3, RFC 5957 SORT=DISPLAY, RFC 5267 section 3 ESORT, RFC 6203 section 5, RFC 7162
 *  section 3.1.6, RFC 5267 section 4 CONTEXT=SORT). Text is compared as SEARCH compares it (RFC 5255 section 4.3,
 *  I18NLEVEL=1).
 *  sort = "SORT" [SP "RETURN" SP "(" [option *(SP option)] ")"] SP "(" sort-criterion *(SP sort-criterion) ")" SP charset
 *         1*(SP search-key)
 *  sort-criterion = ["REVERSE" SP] sort-key */
import type { SortCriterion, SortField } from "#/src/mail/ordering/sort-keys.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import { type Answer, command, whenSelected } from "../command.ts";
import type { Form } from "../command-context.ts";
import { bad } from "../errors.ts";
import { sortCriteriaMax } from "../limits.ts";
import { namedUids, writeExtended, writePlain } from "../search/answer.ts";
import { asksModseq, type ImapSearchKey, readSearchKeys } from "../search/grammar.ts";
import {
  assertKnownCharset,
  type SearchCharset,
  type SearchReturn,
  searchCharset,
  tryReturnOptions,
} from "../search/options.ts";
import {
  assertMayUpdate,
  assertWithinLimit,
  findMessages,
  highestModseqOf,
  keepUpToDate,
  numbersOf,
  runSaving,
  scoreMessages,
} from "../search/run.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import type { WireReader } from "../wire/wire-reader.ts";

/** RELEVANCY (RFC 6203 section 5): messages that match a FUZZY key best come first. */
interface Relevancy {
  readonly field: "relevancy";
  readonly isReverse: boolean;
}

interface SortArguments {
  readonly returns: SearchReturn | undefined;
  readonly criteria: readonly (SortCriterion | Relevancy)[];
  readonly key: ImapSearchKey;
  readonly charset: SearchCharset;
}

export const sort = command({
  name: "SORT",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: true,
  capabilities: ["SORT", "SORT=DISPLAY", "ESORT", "CONTEXT=SORT", "I18NLEVEL=1"],
  source: "RFC 5256 3, RFC 5957, RFC 5267, RFC 5255 4.3",
  parse(reader): SortArguments {
    reader.space();
    const returns = tryReturnOptions(reader);
    const criteria = readSortCriteria(reader);
    reader.space();
    const charset = searchCharset(reader.astring());
    reader.space();
    return { returns, criteria, key: readSearchKeys(reader, charset), charset };
  },
  run: (session, args, out, form) =>
    runSaving(session, args.returns, () => runSort(session, args, out, form)),
});

const fields: Readonly<Record<string, SortField>> = {
  ARRIVAL: "arrival",
  CC: "cc",
  DATE: "date",
  DISPLAYFROM: "displayFrom",
  DISPLAYTO: "displayTo",
  FROM: "from",
  SIZE: "size",
  SUBJECT: "subject",
  TO: "to",
};

function readSortCriteria(reader: WireReader): (SortCriterion | Relevancy)[] {
  return reader.list(
    () => {
      const isReverse = reader.tryWord("REVERSE");
      if (isReverse) reader.space();
      const word = reader.word();
      if (word === "RELEVANCY") return { field: "relevancy" as const, isReverse };
      const field = fields[word];
      if (field === undefined) throw bad("Unknown sort key");
      return { field, isReverse };
    },
    { max: sortCriteriaMax },
  );
}

async function runSort(
  session: Session,
  { returns, criteria, key, charset }: SortArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  const { agent, number } = selected.mailbox;
  assertKnownCharset(charset);
  assertMayUpdate(session, returns);
  const found = await findMessages(session, key);
  assertWithinLimit(session, found);
  const needsScores =
    returns?.options.includes("RELEVANCY") || criteria.some(({ field }) => field === "relevancy");
  const scores = needsScores ? await scoreMessages(session, key, found.uids) : [];
  const scoreOf = new Map(scores.map((score, at) => [found.uids[at]!, score]));
  const uids = await session.rooms.mail.sortMessages(
    agent,
    number,
    numberSetOf(found.uids),
    criteria.map((one) =>
      one.field === "relevancy" ? { field: "score", scores: scoreOf, isReverse: one.isReverse } : one,
    ),
  );
  const named = returns === undefined ? uids : namedUids(uids, returns);
  const modseq = asksModseq(key) && uids.length > 0 ? await highestModseqOf(session, named) : undefined;
  const numbers = await numbersOf(session, uids, form);

  if (returns?.options.includes("SAVE")) selected.saved = numberSetOf(named);
  if (returns === undefined) await writePlain("SORT", numbers, modseq, out);
  else {
    const relevancy = returns.options.includes("RELEVANCY")
      ? uids.map((uid) => scoreOf.get(uid)!)
      : undefined;
    await writeExtended({ tag: session.tag, form, numbers, modseq, relevancy }, returns, out);
  }
  keepUpToDate(session, returns, { form, key: found.key, uids, criteria: keptCriteria(criteria) }, out);
  return undefined;
}

/** The criteria of a result that is kept up to date. "none" with RELEVANCY: scores belong to one search, so an order by them
 *  cannot be kept up to date. */
function keptCriteria(criteria: SortArguments["criteria"]): readonly SortCriterion[] | "none" {
  const kept = criteria.filter((one): one is SortCriterion => one.field !== "relevancy");
  return kept.length === criteria.length ? kept : "none";
}
