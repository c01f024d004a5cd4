/** What a URL under /dav/ can name. */
import type { PlacedAttachment } from "#/src/collections/attachments.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { Item, StoredItem } from "#/src/collections/item.ts";
import type { FileEntry } from "#/src/files/files.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { ReachedCollection } from "./rooms.ts";

/** Whose home it is, or to whom a principal's URL belongs. */
export interface DavPrincipal {
  readonly agent: AgentNumber;
  /** `ag_…`: the segment of its URLs. */
  readonly id: string;
  /** The primary address. */
  readonly address: string;
  readonly name: string;
  readonly kind: "agent" | "person";
}

interface Named<K extends string> {
  readonly kind: K;
  /** The absolute path, percent-encoded; a collection's ends with a slash. */
  readonly href: string;
}

/** `/dav/`, and the collections of principals and of homes. */
export type RootResource = Named<"root" | "principals" | `${CollectionKind}-homes`>;

/** `/dav/principals/<ag_id>/` (RFC 3744 section 2). */
export interface PrincipalResource extends Named<"principal"> {
  readonly principal: DavPrincipal;
}

/** `/dav/principals/<ag_id>/calendar-proxy-read/` and `-write/`: the groups that Apple's clients ask for delegates. */
export interface ProxyGroupResource extends Named<"proxy-group"> {
  readonly principal: DavPrincipal;
  readonly right: "read" | "write";
}

/** `/dav/calendars/<ag_id>/` and `/dav/addressbooks/<ag_id>/`. */
export interface HomeResource extends Named<`${CollectionKind}-home`> {
  readonly principal: DavPrincipal;
}

/** A calendar, an addressbook or the scheduling inbox, in its owner's home or in that of the login that it is shared with. */
export interface CollectionResource extends Named<CollectionKind | "inbox"> {
  /** Whose home it is seen in. */
  readonly principal: DavPrincipal;
  readonly collection: ReachedCollection;
}

/** `/dav/calendars/<ag_id>/outbox/` (RFC 6638 section 2.1): it holds nothing. */
export interface OutboxResource extends Named<"outbox"> {
  readonly principal: DavPrincipal;
}

/** A calendar object resource or an address object resource. */
export interface ItemResource extends Named<"item"> {
  readonly parent: CollectionResource;
  readonly item: Item | StoredItem;
}

/** `/dav/files/<ag_id>/` and the folders below it: ordinary collections (RFC 4918 section 5.2). */
export interface FolderResource extends Named<"folder"> {
  readonly principal: DavPrincipal;
  /** Below the folder above all, whose is `""`. */
  readonly path: string;
  /** Of the folder above all there is none. */
  readonly entry: FileEntry | undefined;
}

/** An ordinary resource. */
export interface FileResource extends Named<"file"> {
  readonly principal: DavPrincipal;
  readonly entry: FileEntry;
}

/** `/dav/attachments/<MANAGED-ID>/<name>`: a managed attachment of calendar objects that the login reads (RFC 8607). */
export interface AttachmentResource extends Named<"attachment"> {
  readonly attachment: PlacedAttachment;
}

/** `/dav/push/<number>`: a push subscription of the login (WebDAV-Push). */
export interface PushResource extends Named<"push"> {
  readonly subscription: number;
}

export type DavResource =
  | RootResource
  | PrincipalResource
  | ProxyGroupResource
  | HomeResource
  | CollectionResource
  | OutboxResource
  | ItemResource
  | FolderResource
  | FileResource
  | AttachmentResource
  | PushResource;

export type ResourceKind = DavResource["kind"];
export type ResourceOf<K extends ResourceKind> = DavResource extends infer R
  ? R extends { readonly kind: infer Kinds }
    ? [K & Kinds] extends [never]
      ? never
      : R
    : never
  : never;

/** The kind of collections in a home. */
export const kindInHome = {
  "calendar-home": "calendar",
  "addressbook-home": "addressbook",
} as const satisfies Record<HomeResource["kind"], CollectionKind>;

/** Everything that is a collection of WebDAV. */
export const collectionResources = [
  "root",
  "principals",
  "calendar-homes",
  "addressbook-homes",
  "principal",
  "proxy-group",
  "calendar-home",
  "addressbook-home",
  "calendar",
  "addressbook",
  "inbox",
  "outbox",
  "folder",
] as const satisfies readonly ResourceKind[];

export const everyResource = [
  ...collectionResources,
  "item",
  "file",
] as const satisfies readonly ResourceKind[];

/** What a program can follow by Web Push. */
export const followable = ["calendar", "addressbook", "inbox"] as const satisfies readonly ResourceKind[];

/** The octets of an item are read only for those who need them. */
export function hasBytes(item: Item | StoredItem): item is StoredItem {
  return "bytes" in item;
}

export function isOfFiles(resource: DavResource): resource is FileResource | FolderResource {
  return resource.kind === "file" || resource.kind === "folder";
}
