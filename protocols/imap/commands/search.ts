/** SEARCH and UID SEARCH (RFC 9051 section 6.4.4, RFC 4731 ESEARCH, RFC 5182 SEARCHRES, RFC 5032 WITHIN, RFC 7162 section
 *  3.1.5). Keys in `search-grammar.ts`.
 *  search = "SEARCH" [SP "RETURN" SP "(" [option *(SP option)] ")"] SP ["CHARSET" SP charset SP] search-key *(SP search-key)
 *  The answer counts messages as the client knows them: what has arrived since is left out, as it has no number yet. */
import { decodeCharset, isKnownCharset } from "#/src/formats/mime/charset.ts";
import type { SearchKey } from "#/src/mail/search-keys.ts";
import { emptyNumberSet, formatNumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { type Answer, command, type Form, whenSelected } from "../command.ts";
import { bad, no, refusalOf } from "../errors.ts";
import type { ResponseWriter } from "../response-writer.ts";
import { asksModseq, type ImapSearchKey, readSearchKeys } from "../search-grammar.ts";
import { resolveSearchKey } from "../search-resolution.ts";
import type { Session } from "../session.ts";
import { stringText } from "../strings.ts";
import { decodeUtf8, type WireReader } from "../wire-reader.ts";

const returnOptions = ["MIN", "MAX", "ALL", "COUNT", "SAVE"] as const;
type ReturnOption = (typeof returnOptions)[number];

interface SearchArguments {
  /** undefined: the plain answer of IMAP4rev1. */
  readonly returns: readonly ReturnOption[] | undefined;
  readonly key: ImapSearchKey;
  readonly hasCharset: boolean;
}

export const search = command<SearchArguments>({
  name: "SEARCH",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: true,
  capabilities: ["ESEARCH", "SEARCHRES", "WITHIN"],
  source: "RFC 9051 6.4.4, RFC 4731, RFC 5182, RFC 5032",
  parse(reader) {
    reader.space();
    let returns: ReturnOption[] | undefined;
    if (reader.tryWord("RETURN")) {
      reader.space();
      returns = readReturnOptions(reader);
      reader.space();
    }
    let decode = decodeUtf8;
    const hasCharset = reader.tryWord("CHARSET");
    if (hasCharset) {
      reader.space();
      decode = decoderOf(reader.astring());
      reader.space();
    }
    return { returns, key: readSearchKeys(reader, { decode }), hasCharset };
  },
  run: runSearch,
});

/** RETURN () is RETURN (ALL) (RFC 4731 section 3.1). */
function readReturnOptions(reader: WireReader): ReturnOption[] {
  const options = reader.list(
    () => {
      const word = reader.word();
      const option = returnOptions.find((one) => one === word);
      if (option === undefined) throw bad("Unknown RETURN option");
      return option;
    },
    { max: 20, allowEmpty: true },
  );
  return options.length === 0 ? ["ALL"] : options;
}

function decoderOf(charset: string): (octets: string) => string {
  const name = charset.toLowerCase();
  if (name === "utf-8" || name === "us-ascii") return decodeUtf8;
  if (!isKnownCharset(name)) throw no("BADCHARSET (UTF-8 US-ASCII)", "Unknown charset");
  return (octets) => decodeCharset(Buffer.from(octets, "latin1"), name);
}

async function runSearch(
  session: Session,
  args: SearchArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  // RFC 6855 section 3.
  if (args.hasCharset && session.isEnabled("UTF8=ACCEPT")) throw bad("UTF-8 is in use, without CHARSET");
  const saves = args.returns?.includes("SAVE") ?? false;
  if (asksModseq(args.key)) session.enable("CONDSTORE");
  const { agent, number } = selected.mailbox;
  let found: { readonly uids: readonly number[]; readonly highestModseq: Modseq | undefined };
  try {
    const key: SearchKey = resolveSearchKey(args.key, selected, session.rooms.mail);
    found = await session.rooms.mail.searchMailbox(agent, number, key);
  } catch (error) {
    // A search that fails leaves nothing behind "$" (RFC 9051 section 6.4.4.1).
    if (saves && refusalOf(error)?.status !== "BAD") selected.saved = emptyNumberSet;
    throw error;
  }
  const { view } = selected;
  const uids = found.uids.filter((uid) => view.seqOf(uid) !== undefined && !view.isExpunged(uid));
  const numbers = form === "uid" ? uids : uids.map((uid) => view.seqOf(uid)!);
  const modseq =
    asksModseq(args.key) && uids.length > 0
      ? await modseqOfAnswer(session, uids, args.returns, found.highestModseq)
      : undefined;

  if (saves) selected.saved = numberSetOf(savedUids(uids, args.returns!));
  if (args.returns !== undefined) writeExtended(session.tag, numbers, args.returns, modseq, form, out);
  else if (session.isEnabled("IMAP4REV2")) writeExtended(session.tag, numbers, ["ALL"], modseq, form, out);
  else await writePlain(numbers, modseq, out);
  return undefined;
}

/** The highest MODSEQ of the messages that the answer names (RFC 4731 section 3.2): with MIN or MAX alone, of those. */
async function modseqOfAnswer(
  session: Session,
  uids: readonly number[],
  returns: readonly ReturnOption[] | undefined,
  highestOfAll: Modseq | undefined,
): Promise<Modseq | undefined> {
  const named = returns === undefined ? uids : savedUids(uids, returns);
  if (named.length === uids.length) return highestOfAll;
  const { agent, number } = session.selected.mailbox;
  let highest: Modseq | undefined;
  for await (const page of session.rooms.mail.entryPages(agent, number, numberSetOf(named)))
    for (const { modseq } of page) if (highest === undefined || modseq > highest) highest = modseq;
  return highest;
}

/** With MIN or MAX and neither ALL nor COUNT, only those are saved (RFC 9051 section 6.4.4.1). */
function savedUids(uids: readonly number[], returns: readonly ReturnOption[]): readonly number[] {
  const hasEnds = returns.includes("MIN") || returns.includes("MAX");
  if (!hasEnds || returns.includes("ALL") || returns.includes("COUNT") || uids.length === 0) return uids;
  return [...(returns.includes("MIN") ? [uids[0]!] : []), ...(returns.includes("MAX") ? [uids.at(-1)!] : [])];
}

function writeExtended(
  tag: string,
  numbers: readonly number[],
  returns: readonly ReturnOption[],
  modseq: Modseq | undefined,
  form: Form,
  out: ResponseWriter,
): void {
  const asks = (option: ReturnOption): boolean => returns.includes(option);
  // SAVE alone answers nothing (RFC 5182 section 2.1).
  if (returns.every((option) => option === "SAVE")) return;
  const parts = [`* ESEARCH (TAG ${stringText(tag)})`];
  if (form === "uid") parts.push("UID");
  if (numbers.length > 0) {
    if (asks("MIN")) parts.push(`MIN ${numbers[0]}`);
    if (asks("MAX")) parts.push(`MAX ${numbers.at(-1)}`);
    if (asks("ALL")) parts.push(`ALL ${formatNumberSet(numberSetOf(numbers))}`);
  }
  if (asks("COUNT")) parts.push(`COUNT ${numbers.length}`);
  if (modseq !== undefined) parts.push(`MODSEQ ${modseq}`);
  out.line(parts.join(" "));
}

async function writePlain(
  numbers: readonly number[],
  modseq: Modseq | undefined,
  out: ResponseWriter,
): Promise<void> {
  out.text("* SEARCH");
  for (const number of numbers) {
    out.text(` ${number}`);
    await out.flushIfLarge();
  }
  out.line(modseq === undefined ? "" : ` (MODSEQ ${modseq})`);
}
