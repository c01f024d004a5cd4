/** A long text or inline data of an item, which its JSON has only as a link. */
import { cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally, type RemovalDetail } from "#/src/render/removal.ts";
import { type DataFacts, dataFacts, isDataUri, readData } from "#/src/render/shown-object.ts";

export type ItemPart =
  | ({ readonly kind: "data"; readonly bytes: Uint8Array } & DataFacts)
  | {
      readonly kind: "text";
      readonly text: string;
      readonly size: number;
      readonly removed: readonly RemovalDetail[];
    };

export function partOf(value: string): ItemPart {
  if (isDataUri(value)) return { kind: "data", bytes: new Uint8Array(readData(value)), ...dataFacts(value) };
  const tally = createRemovalTally();
  const text = cleanText(value, "body", tally);
  return { kind: "text", text, size: Buffer.byteLength(value), removed: tally.list() };
}
