/** Collects entries into pages, up to the limits of a page. */

export interface Described<T, D> {
  /** What is described. */
  readonly one: T;
  /** The entry of the page. */
  readonly entry: D;
}

export interface PageRoom {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/** In the order that is given: at most `entriesMax` entries on a page, and about `bytesMax` octets of JSON, or one entry that is longer. Holds one page
 *  and the next entry. */
export async function* pagesOf<T, D>(
  described: AsyncIterable<Described<T, D>> | Iterable<Described<T, D>>,
  { entriesMax, bytesMax }: PageRoom,
): AsyncGenerator<readonly Described<T, D>[]> {
  let page: Described<T, D>[] = [];
  let bytes = 0;
  for await (const next of described) {
    const size = Buffer.byteLength(JSON.stringify(next.entry));
    if (page.length >= entriesMax || (page.length > 0 && bytes + size > bytesMax)) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(next);
    bytes += size;
  }
  if (page.length > 0) yield page;
}
