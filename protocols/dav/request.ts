/** One request of a login, as methods, properties and reports see it. */
import type { HttpContext } from "#/protocols/http/app.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import type { DavResource } from "./resource.ts";
import type { CollectionReach, DavRooms } from "./rooms.ts";
import type { DavTree } from "./tree.ts";

/** RFC 4918 section 10.2. */
export type Depth = "0" | "1" | "infinity";

/** RFC 7240 and RFC 8144. `Brief: t` is return=minimal. */
export interface Preferences {
  readonly isMinimal: boolean;
  readonly isRepresentation: boolean;
}

export interface DavRequest {
  readonly context: HttpContext;
  readonly rooms: DavRooms;
  readonly login: Principal;
  readonly reach: CollectionReach;
  /** What there is for this login, by its URL. */
  readonly tree: DavTree;
  /** What the URL of the request names. */
  readonly resource: DavResource;
  /** What the Depth field says; undefined when there is none. */
  readonly depth: Depth | undefined;
  readonly preferences: Preferences;
}
