/** One request of a login, for methods, properties and reports. */
import type { HttpContext } from "#/protocols/http/app.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import type { Locks } from "./locks/locks.ts";
import type { DavResource, ResourceKind } from "./resource.ts";
import type { CollectionReach, DavRooms } from "./rooms.ts";
import type { DavTree } from "./tree.ts";
import type { XmlName } from "./xml/names.ts";

/** RFC 4918 section 10.2. */
export type Depth = "0" | "1" | "infinity";

/** RFC 7240 and RFC 8144. `Brief: t` is return=minimal. */
export interface Preferences {
  readonly isMinimal: boolean;
  readonly isRepresentation: boolean;
  /** RFC 8144 section 4: the collection itself is left out of its listing. */
  readonly isWithoutRoot: boolean;
}

export interface DavRequest {
  readonly context: HttpContext;
  readonly rooms: DavRooms;
  readonly login: Principal;
  readonly reach: CollectionReach;
  /** The resources of this login by URL. */
  readonly tree: DavTree;
  /** The requested path. */
  readonly href: string;
  /** The resource of the path; undefined if there is none, which only methods that create a resource allow. */
  readonly target: DavResource | undefined;
  /** The same; throws 404 if there is none. */
  readonly resource: DavResource;
  /** The value of the Depth field; undefined if there is none. */
  readonly depth: Depth | undefined;
  readonly preferences: Preferences;
  readonly locks: Locks;
  /** DAV:supported-report-set of a kind of resource. */
  listReports(kind: ResourceKind): readonly XmlName[];
  /** The methods in Allow for a kind of resource; undefined: for a URL without a resource. */
  listMethods(kind: ResourceKind | undefined): readonly string[];
}
