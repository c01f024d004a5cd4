/** sequence-set (RFC 9051 section 9): numbers, ranges, `*` for the highest number in use, and `$` for the saved result
 *  of a search (section 6.4.4.1).
 *
 *  sequence-set = (seq-number / seq-range) ["," sequence-set] / "$" */
import { type NumberRange, type NumberSet, numberSetOfRanges } from "#/src/model/number-set.ts";
import { bad } from "../errors.ts";
import type { WireReader } from "./wire-reader.ts";

/** `star` stands for `*`. */
export type SequenceSet = "saved" | readonly (readonly [SequenceBound, SequenceBound])[];
export type SequenceBound = number | "star";

export function readSequenceSet(reader: WireReader): SequenceSet {
  const text = reader.sequenceText();
  if (text === "$") return "saved";
  return text.split(",").map((part) => {
    const bounds = part.split(":");
    if (bounds.length > 2) throw bad("Malformed sequence set");
    const first = readBound(bounds[0]!);
    return [first, bounds.length === 1 ? first : readBound(bounds[1]!)] as const;
  });
}

function readBound(text: string): SequenceBound {
  if (text === "*") return "star";
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 0xffffffff) throw bad("Malformed sequence set");
  return Number(text);
}

/** The set as numbers, with `highest` for `*`. If no number is in use (`highest` is 0), `*` alone gives the empty set. */
export function resolveSequenceSet(set: Exclude<SequenceSet, "saved">, highest: number): NumberSet {
  const ranges: NumberRange[] = [];
  for (const [first, last] of set) {
    const from = first === "star" ? highest : first;
    const to = last === "star" ? highest : last;
    if (from === 0 && to === 0) continue;
    ranges.push([Math.max(1, from), Math.max(1, to)]);
  }
  return numberSetOfRanges(ranges);
}
