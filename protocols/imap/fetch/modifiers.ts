/** Modifiers of FETCH: which of the named messages are meant (RFC 4466 section 2.4).
 *
 *  fetch-modifier = "CHANGEDSINCE" SP mod-sequence-value / "VANISHED" / "PARTIAL" SP partial-range */
import type { Modseq } from "#/src/model/numbers.ts";
import type { Form } from "../command-context.ts";
import { bad } from "../errors.ts";
import { type PartialRange, readPartialRange } from "../search/options.ts";
import type { WireReader } from "../wire/wire-reader.ts";

export interface FetchModifiers {
  /** Only what changed after it (RFC 7162 section 3.1.4.1). */
  readonly changedSince?: Modseq;
  /** Also what went after it (RFC 7162 section 3.2.6). */
  readonly hasVanished?: boolean;
  /** Only those at these positions among the named ones (RFC 9394 section 3.3). */
  readonly partial?: PartialRange;
}

export function readFetchModifiers(reader: WireReader, form: Form): FetchModifiers {
  let modifiers: FetchModifiers = {};
  reader.list(
    () => {
      const read = readModifier(reader);
      if (Object.keys(read).some((name) => Object.hasOwn(modifiers, name)))
        throw bad("A modifier of FETCH stands twice");
      modifiers = { ...modifiers, ...read };
    },
    { max: 10 },
  );
  if (modifiers.hasVanished && (form !== "uid" || modifiers.changedSince === undefined))
    throw bad("VANISHED is for UID FETCH with CHANGEDSINCE");
  if (modifiers.partial !== undefined && form !== "uid") throw bad("PARTIAL is for UID FETCH");
  return modifiers;
}

function readModifier(reader: WireReader): FetchModifiers {
  switch (reader.word()) {
    case "CHANGEDSINCE":
      reader.space();
      return { changedSince: reader.number64() as Modseq };
    case "PARTIAL":
      reader.space();
      return { partial: readPartialRange(reader) };
    case "VANISHED":
      return { hasVanished: true };
    default:
      throw bad("Unknown modifier of FETCH");
  }
}
