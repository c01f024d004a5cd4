/** The text of a vCard as readers get it: cleaned, and with links to the contact in place of inline data. */
import { type Component, changeItems, changeProperty } from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { withoutParameters } from "#/src/formats/vcard/card.ts";
import { isEncoded, isMedia } from "#/src/formats/vcard/media.ts";
import { cleanText } from "../clean-text.ts";
import type { RemovalTally } from "../removal.ts";
import { inlineDataMax, isDataUri } from "../shown-object.ts";

/** `id`: of the contact. */
export function shownVcard(card: Component, id: string, tally: RemovalTally): string {
  const items = card.items.map((item) => {
    if (item.kind !== "property" || item.value.length <= inlineDataMax) return item;
    if (!isDataUri(item.value) && !(isMedia(item.name) && isEncoded(item))) return item;
    tally.add("over-limit", "vcard");
    const kept = withoutParameters(item.parameters, "ENCODING", "VALUE");
    return changeProperty(item, {
      value: `waypost:${id}`,
      parameters: [{ name: "VALUE", values: ["uri"] }, ...kept],
    });
  });
  const bytes = writeContentLines({ items: [changeItems(card, items)] });
  return cleanText(bytes.toString("utf8"), "vcard", tally);
}
