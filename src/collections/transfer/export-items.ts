/** The octets of every item of a collection, one after the other: a stream of iCalendar has any number of objects (RFC 5545
 *  section 3.4), as one of vCard has. So nothing is merged, and an import of it gives the same items again. */
import type { Collection } from "../collection.ts";
import type { Collections } from "../collections.ts";
import { readPortions } from "../portions.ts";

export async function* exportItems(
  collections: Collections,
  { agent, number }: Pick<Collection, "agent" | "number">,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const page of collections.listItems(agent, number))
    for await (const items of readPortions(collections, agent, page))
      yield items.map(({ bytes }) => withLineEnd(bytes));
}

/** The last line of an object can be without its line end. */
function withLineEnd(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === 10 ? bytes : Buffer.concat([bytes, Buffer.from("\r\n")]);
}
