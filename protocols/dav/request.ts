/** One request of a login, as methods, properties and reports see it. */
import type { HttpContext } from "#/protocols/http/app.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import type { Locks } from "./locks.ts";
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
  /** What there is for this login, by its URL. */
  readonly tree: DavTree;
  /** The path as it was asked for. */
  readonly href: string;
  /** What it names; undefined where there is nothing, which only methods that make something allow. */
  readonly target: DavResource | undefined;
  /** The same; throws 404 where there is nothing. */
  readonly resource: DavResource;
  /** What the Depth field says; undefined when there is none. */
  readonly depth: Depth | undefined;
  readonly preferences: Preferences;
  readonly locks: Locks;
  /** What DAV:supported-report-set says of a kind of resource. */
  listReports(kind: ResourceKind): readonly XmlName[];
  /** What Allow says of a kind of resource; undefined: of a URL at which there is nothing. */
  listMethods(kind: ResourceKind | undefined): readonly string[];
}
