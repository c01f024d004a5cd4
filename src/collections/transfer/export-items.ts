/** The octets of every item of a collection, one after the other: a stream of iCalendar has any number of objects (RFC 5545
 *  section 3.4), as one of vCard has. So nothing is merged, and an import of it gives the same items again. */
import type { Collection } from "../collection.ts";
import type { Collections } from "../collections.ts";

/** Items that are read at a time, and their octets. */
const itemsAtATime = 50;
const bytesAtATime = 8 * 1024 * 1024;

export async function* exportItems(
  collections: Collections,
  { agent, number }: Pick<Collection, "agent" | "number">,
): AsyncGenerator<readonly Uint8Array[]> {
  let wanted: Parameters<Collections["readItems"]>[1][number][] = [];
  let bytes = 0;
  for await (const page of collections.listItems(agent, number))
    for (const item of page) {
      wanted.push(item.number);
      bytes += item.size;
      if (wanted.length < itemsAtATime && bytes < bytesAtATime) continue;
      yield await read();
    }
  if (wanted.length > 0) yield await read();

  async function read(): Promise<Uint8Array[]> {
    const items = await collections.readItems(agent, wanted);
    wanted = [];
    bytes = 0;
    return items.filter((item) => item !== undefined).map((item) => withLineEnd(item.bytes));
  }
}

/** The last line of an object can be without its line end. */
function withLineEnd(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === 10 ? bytes : Buffer.concat([bytes, Buffer.from("\r\n")]);
}
