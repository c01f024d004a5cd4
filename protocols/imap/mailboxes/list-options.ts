/** Grammar of LIST (RFC 9051 section 6.3.9, RFC 5258, 5819, 6154, 8440, 9590).
 *
 *  list = "LIST" [SP "(" [select-option *(SP select-option)] ")"] SP reference SP (pattern / "(" pattern *(SP pattern) ")")
 *         [SP "RETURN" SP "(" [return-option *(SP return-option)] ")"] */
import type { ParseContext } from "../command-context.ts";
import { bad, Refusal } from "../errors.ts";
import { listPatternBytesMax, listPatternsMax } from "../limits.ts";
import type { WireReader } from "../wire/wire-reader.ts";
import { decodeMailboxName, type NameMode } from "./mailbox-name.ts";
import { readEntryNames } from "./metadata-entries.ts";
import { readStatusItems, type StatusItem } from "./status-items.ts";

export interface ListArguments {
  /** Decoded names; wildcards stay as they are. */
  readonly patterns: readonly string[];
  /** `LIST "" ""`: only the hierarchy delimiter is asked for. */
  readonly isRootAsked: boolean;
  readonly onlySubscribed: boolean;
  readonly onlySpecialUse: boolean;
  readonly isRecursive: boolean;
  readonly showsSubscribed: boolean;
  readonly showsRights: boolean;
  /** Entries of METADATA to show of each mailbox. */
  readonly metadata: readonly string[];
  readonly status: readonly StatusItem[];
}

const selectOptions = ["SUBSCRIBED", "REMOTE", "RECURSIVEMATCH", "SPECIAL-USE"];
const returnOptions = ["SUBSCRIBED", "CHILDREN", "SPECIAL-USE", "STATUS", "MYRIGHTS", "METADATA"];

export function readListArguments(reader: WireReader, context: ParseContext): ListArguments {
  reader.space();
  const selected: string[] = [];
  const hasOptions = reader.peek() === "(";
  if (hasOptions) {
    selected.push(...readOptions(reader, selectOptions, () => {}));
    reader.space();
  }
  const reference = reader.astring();
  reader.space();
  const hasPatternList = reader.peek() === "(";
  const patterns = hasPatternList
    ? reader.list(() => reader.listMailbox(), { max: listPatternsMax })
    : [reader.listMailbox()];
  const returned: string[] = [];
  let status: StatusItem[] = [];
  let metadata: string[] = [];
  if (reader.trySpace()) {
    if (!reader.tryWord("RETURN")) throw bad("Expected RETURN");
    reader.space();
    returned.push(
      ...readOptions(reader, returnOptions, (option) => {
        if (option !== "STATUS" && option !== "METADATA") return;
        reader.space();
        if (option === "STATUS") status = readStatusItems(reader);
        else metadata = readEntryNames(reader);
      }),
    );
  }
  // RECURSIVEMATCH only widens another option (RFC 5258 section 3).
  if (
    selected.includes("RECURSIVEMATCH") &&
    !selected.includes("SUBSCRIBED") &&
    !selected.includes("SPECIAL-USE")
  )
    throw bad("RECURSIVEMATCH needs another selection option");
  return {
    patterns: patterns.flatMap((pattern) => decodePattern(reference, pattern, context.names)),
    isRootAsked: !hasOptions && !hasPatternList && patterns[0] === "",
    onlySubscribed: selected.includes("SUBSCRIBED"),
    onlySpecialUse: selected.includes("SPECIAL-USE"),
    isRecursive: selected.includes("RECURSIVEMATCH"),
    showsSubscribed: selected.includes("SUBSCRIBED") || returned.includes("SUBSCRIBED"),
    metadata,
    showsRights: returned.includes("MYRIGHTS"),
    status,
  };
}

/** The reference is put before the pattern (RFC 9051 section 6.3.9). Empty where the text is not valid in the client's encoding:
 *  such a pattern matches nothing. */
export function decodePattern(reference: string, pattern: string, mode: NameMode): string[] {
  const octets = reference + pattern;
  if (octets.length > listPatternBytesMax) throw bad("Pattern is too long", "LIMIT");
  try {
    return [decodeMailboxName(octets, mode)];
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function readOptions(reader: WireReader, known: readonly string[], read: (option: string) => void): string[] {
  return reader.list(
    () => {
      const option = reader.word();
      if (!known.includes(option)) throw bad("Unknown LIST option");
      read(option);
      return option;
    },
    { max: 20, allowEmpty: true },
  );
}
