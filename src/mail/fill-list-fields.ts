/** Stores the list fields of mail that came with a version that did not store them. It begins behind the last message that was looked at,
 *  also after a restart, and looks at each message once. */
import { octetString } from "#/src/formats/mime/octets.ts";
import { server } from "#/src/model/author.ts";
import { findListFieldsPlace, listMessagesBehind } from "#/storage/queries/mail/unlisted-messages.ts";
import type { Store } from "#/storage/store.ts";
import { pickInTurns } from "./header-reading.ts";
import {
  listedHeaderMax,
  listFieldsPicker,
  otherMarksPicker,
  storedFields,
  storedMarks,
} from "./list-fields.ts";

const pageMessages = 64;
/** Messages without anything to store, after which the place is stored. */
const unwrittenMax = 16 * pageMessages;

/** `messagesMax`: the messages that are looked at in one call. */
export async function fillListFields(store: Store, messagesMax = 50_000): Promise<void> {
  let place = await findListFieldsPlace(store);
  for (let seen = 0; seen < messagesMax; seen += pageMessages) {
    const page = { headerBytesMax: listedHeaderMax, limit: pageMessages };
    const rows = await listMessagesBehind(store, place, page);
    const last = rows.at(-1);
    if (last === undefined) return;
    const found = [];
    for (const { agent, message, trace, header } of rows) {
      if (header === null) continue;
      const text = octetString(header);
      const listFields = storedFields(await pickInTurns(listFieldsPicker, octetString(trace) + text));
      if (listFields === undefined) continue;
      const otherFields = storedMarks(text, await pickInTurns(otherMarksPicker, text)) ?? null;
      found.push({ agent, message, listFields, otherFields });
    }
    place = { agent: last.agent, message: last.message };
    const isLast = rows.length < pageMessages;
    if (found.length > 0 || isLast || seen % unwrittenMax === 0)
      await store.write(server, "fillListFields", { found, reached: place });
    if (isLast) return;
  }
}
