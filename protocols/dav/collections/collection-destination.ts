/** The destination of a MOVE or COPY of a calendar or an addressbook: a last segment in a home of the login. */

import { DavError, unmet } from "../dav-error.ts";
import { encodeSegment, inboxSegment, outboxSegment } from "../hrefs.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource, DavResource, HomeResource } from "../resource.ts";
import type { ReachedCollection } from "../rooms.ts";
import { collectionStandards } from "./collection-standard.ts";

export interface CollectionDestination {
  readonly home: HomeResource;
  readonly segment: string;
  readonly href: string;
  readonly existing: DavResource | undefined;
  /** The collection that is replaced. */
  readonly standing: ReachedCollection | undefined;
}

/** `destination`: as the client wrote it. Throws if the URL cannot have a collection of this kind, and 412 if a collection is there
 *  that must not be replaced. */
export async function findCollectionDestination(
  { tree }: DavRequest,
  resource: CollectionResource,
  destination: string,
  overwrite: boolean,
): Promise<CollectionDestination> {
  const { collection } = resource;
  const { conditions } = collectionStandards[collection.kind];
  const place = await tree.findParent(destination);
  if (place === undefined) throw new DavError(409, "What should contain the destination is not there.");
  const { parent: home, segment } = place;
  if (
    (home.kind !== "calendar-home" && home.kind !== "addressbook-home") ||
    home.kind !== `${collection.kind}-home`
  )
    throw unmet(403, conditions.location, "Calendars and addressbooks stand in their homes.");
  if (collection.kind === "calendar" && (segment === inboxSegment || segment === outboxSegment))
    throw new DavError(403, "The name has a meaning of its own.");
  const existing = await tree.find(destination);
  const href = `${home.href}${encodeSegment(segment)}/`;
  const found = existing !== undefined && "collection" in existing ? existing.collection : undefined;
  if (href === resource.href || existing?.href === resource.href)
    throw new DavError(403, "The destination is the resource itself.");
  if (found !== undefined && found.agent !== home.principal.agent)
    throw new DavError(403, "The name is that of a shared collection.");
  const isSame = found?.agent === collection.agent && found.number === collection.number;
  const standing = isSame ? undefined : found;
  if (standing !== undefined && !overwrite) throw new DavError(412, "There is something at the destination.");
  if (standing?.role === "default")
    throw unmet(403, conditions.defaultNeeded, "The default collection stays.");
  return { home, segment, href, existing, standing };
}
