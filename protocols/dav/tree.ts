/** What a login finds under /dav/. */
import type { Item, StoredItem } from "#/src/collections/item.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CollectionResource, DavPrincipal, DavResource, ItemResource } from "./resource.ts";

export interface DavTree {
  /** By an absolute path or URL of this server, as a request or a body names it; undefined for what is not there, is not seen
   *  by the login, or is no URL of ours. */
  find(href: string): Promise<DavResource | undefined>;
  /** What a collection contains, its items not among them. */
  listMembers(resource: DavResource): Promise<readonly DavResource[]>;
  /** An item of a collection as it is named there. */
  itemOf(parent: CollectionResource, item: Item | StoredItem): ItemResource;
  findPrincipal(agent: AgentNumber): Promise<DavPrincipal | undefined>;
}
