/** The resources that a login finds under /dav/: the principals of its account, and the homes and collections that it owns or that
 *  grants give access to. */
import type { Principal } from "#/src/accounts/accounts.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { Item, StoredItem } from "#/src/collections/item.ts";
import { itemSegment as segmentOfItem } from "#/src/collections/rows.ts";
import type { FileEntry } from "#/src/files/files.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { findReadableAttachment } from "#/src/reach/attachments.ts";
import { mayReadFiles } from "./files/file-rights.ts";
import {
  attachmentsHref,
  encodeSegment,
  filesHref,
  homeHref,
  homesHref,
  inboxSegment,
  outboxSegment,
  parseHref,
  principalHref,
  principalsHref,
  proxySegments,
  pushHref,
  rootHref,
} from "./hrefs.ts";
import { needPrivileges } from "./privileges.ts";
import {
  type CollectionResource,
  type DavPrincipal,
  type DavResource,
  type FileResource,
  type FolderResource,
  type HomeResource,
  type ItemResource,
  kindInHome,
} from "./resource.ts";
import type { CollectionReach, DavRooms, ReachedCollection } from "./rooms.ts";
import { dav } from "./xml/names.ts";

export interface DavTree {
  /** Finds the resource of an absolute path or a URL, as a request or a body names it. undefined if it does not exist, if the login may
   *  not see it, or if the URL is not one of this server. */
  find(href: string): Promise<DavResource | undefined>;
  /** Of an item or a collection that may not be there yet: what contains it, and its last segment. */
  findParent(href: string): Promise<{ readonly parent: DavResource; readonly segment: string } | undefined>;
  /** What a collection contains, its items not among them. */
  listMembers(resource: DavResource): Promise<readonly DavResource[]>;
  /** An item of a collection as it is named there. */
  itemOf(parent: CollectionResource, item: Item | StoredItem): ItemResource;
  hrefOf(parent: CollectionResource | FolderResource, segment: string): string;
  /** A file or a folder of the login. */
  fileOf(entry: FileEntry): FileResource | FolderResource;
  /** The last segment of its href. */
  itemSegment(parent: CollectionResource, item: Pick<Item, "number" | "segment">): string;
  /** In the home of the login itself, or of the owner where the login sees it there. */
  collectionOf(principal: DavPrincipal, collection: ReachedCollection): CollectionResource;
  /** One name for what has several hrefs, as a shared collection and its items have. Of what was found before. */
  placeOf(href: string): string;
  /** undefined for who is not of the login's account. */
  findPrincipal(agent: AgentNumber): Promise<DavPrincipal | undefined>;
  /** All principals of the login's account. */
  listPrincipals(): Promise<readonly DavPrincipal[]>;
  readonly own: DavPrincipal;
}

export function createTree(rooms: DavRooms, login: Principal, reach: CollectionReach): DavTree {
  const { accounts, collections } = rooms;
  const { ids } = collections;
  const own = principalOf(login);
  const principals = new Map<AgentNumber, Promise<DavPrincipal | undefined>>([
    [login.agent, Promise.resolve(own)],
  ]);
  const reached = new Map<CollectionKind, Promise<readonly ReachedCollection[]>>();
  const collectionsByHref = new Map<string, Promise<CollectionResource | undefined>>();
  /** Hrefs of the collections that were found, with the href in the owner's home, which is the same for every login. */
  const places = new Map<string, string>();

  function principalOf(facts: Pick<Principal, "agent" | "address" | "name" | "kind">): DavPrincipal {
    const { agent, address, name, kind } = facts;
    return { agent, id: ids.encode("agent", agent), address, name, kind };
  }

  async function lookUpPrincipal(agent: AgentNumber): Promise<DavPrincipal | undefined> {
    const facts = await accounts.findAgentFacts(agent);
    return facts?.account === login.account ? principalOf(facts) : undefined;
  }

  function findPrincipal(agent: AgentNumber): Promise<DavPrincipal | undefined> {
    const known = principals.get(agent) ?? lookUpPrincipal(agent);
    principals.set(agent, known);
    return known;
  }

  function findPrincipalById(id: string): Promise<DavPrincipal | undefined> {
    const name = ids.decode(id);
    return name?.kind === "agent" ? findPrincipal(name.agent) : Promise.resolve(undefined);
  }

  function listReached(kind: CollectionKind): Promise<readonly ReachedCollection[]> {
    const known = reached.get(kind) ?? reach.list(kind);
    reached.set(kind, known);
    return known;
  }

  /** Of the own home all that is reached; of another's what is reached of its owner. The inbox is in its owner's home alone. */
  async function listOfHome(kind: CollectionKind, { agent }: DavPrincipal) {
    const all = await listReached(kind);
    return all.filter((one) =>
      agent === login.agent ? one.isOwn || one.role !== "inbox" : one.agent === agent,
    );
  }

  async function findHome(kind: CollectionKind, id: string): Promise<HomeResource | undefined> {
    const principal = await findPrincipalById(id);
    if (principal === undefined) return undefined;
    if (principal.agent !== login.agent && (await listOfHome(kind, principal)).length === 0) return undefined;
    return { kind: `${kind}-home`, href: homeHref(kind, principal.id), principal };
  }

  function collectionOf(principal: DavPrincipal, collection: ReachedCollection): CollectionResource {
    const { agent, kind, number, role, segment } = collection;
    const isInbox = role === "inbox";
    const last = isInbox
      ? inboxSegment
      : agent === principal.agent && segment !== undefined
        ? segment
        : ids.encode(kind, agent, number);
    const href = `${homeHref(kind, principal.id)}${encodeSegment(last)}/`;
    places.set(href, `${homeHref(kind, ids.encode("agent", agent))}${ids.encode(kind, agent, number)}/`);
    return {
      kind: isInbox ? "inbox" : kind,
      href,
      principal,
      collection,
    };
  }

  /** A request comes to its collection several times: by the item, by what it relies on, by each href of a multiget. */
  function findCollection(home: HomeResource, segment: string): Promise<CollectionResource | undefined> {
    const key = `${home.href}${encodeSegment(segment)}`;
    const known = collectionsByHref.get(key) ?? lookUpCollection(home, segment);
    collectionsByHref.set(key, known);
    return known;
  }

  async function lookUpCollection(
    home: HomeResource,
    segment: string,
  ): Promise<CollectionResource | undefined> {
    const kind = kindInHome[home.kind];
    const { principal } = home;
    const { agent } = principal;
    const found =
      kind === "calendar" && segment === inboxSegment
        ? await collections.findCollectionOfRole(agent, kind, "inbox")
        : await collections.findCollectionBySegment(agent, kind, segment);
    if (found?.role === "inbox" && segment !== inboxSegment) return undefined;
    const place = found ?? sharedPlace(principal, kind, segment);
    const seen = place && (await reach.find(place.agent, place.number, "freebusy"));
    if (seen === undefined || seen.kind !== kind) return undefined;
    // The owner's segment can be private text, which a login with busy time alone does not see.
    const isNamed = found?.segment === segment;
    return isNamed && !seen.rights.has("read") ? undefined : collectionOf(principal, seen);
  }

  /** Collections of others are in the login's own home by their ids. */
  function sharedPlace(principal: DavPrincipal, kind: CollectionKind, segment: string) {
    if (principal.agent !== login.agent) return undefined;
    const name = ids.decode(segment);
    if (name?.kind !== kind || name.agent === login.agent) return undefined;
    return { agent: name.agent, number: name.object as CollectionNumber };
  }

  function itemSegment({ collection }: CollectionResource, item: Pick<Item, "number" | "segment">): string {
    return segmentOfItem(ids, { ...item, agent: collection.agent, kind: collection.kind });
  }

  function itemOf(parent: CollectionResource, item: Item | StoredItem): ItemResource {
    return { kind: "item", href: `${parent.href}${encodeSegment(itemSegment(parent, item))}`, parent, item };
  }

  async function findItem(parent: CollectionResource, segment: string): Promise<ItemResource | undefined> {
    const { agent, number, rights } = parent.collection;
    if (!rights.has("read")) return undefined;
    const item = await collections.findItemBySegment(agent, number, segment);
    return item && itemOf(parent, item);
  }

  async function findPrincipalResource(
    id: string,
    below: readonly string[],
  ): Promise<DavResource | undefined> {
    const principal = await findPrincipalById(id);
    if (principal === undefined || below.length > 1) return undefined;
    const href = principalHref(principal.id);
    if (below.length === 0) return { kind: "principal", href, principal };
    return proxyGroups(principal).find(({ right }) => proxySegments[right] === below[0]);
  }

  async function findInHome(
    kind: CollectionKind,
    [id, segment, item, ...more]: readonly string[],
    hasSlash: boolean,
  ): Promise<DavResource | undefined> {
    const href = homesHref[kind];
    if (id === undefined) return { kind: `${kind}-homes`, href };
    const home = more.length === 0 ? await findHome(kind, id) : undefined;
    if (home === undefined || segment === undefined) return home;
    if (kind === "calendar" && segment === outboxSegment) {
      if (item !== undefined || home.principal.agent !== login.agent) return undefined;
      return { kind: "outbox", href: `${home.href}${outboxSegment}/`, principal: home.principal };
    }
    const collection = await findCollection(home, segment);
    if (collection === undefined || item === undefined) return collection;
    return hasSlash ? undefined : findItem(collection, item);
  }

  async function findSegments(
    segments: readonly string[],
    hasSlash: boolean,
  ): Promise<DavResource | undefined> {
    const [first, ...rest] = segments;
    switch (first) {
      case undefined:
        return { kind: "root", href: rootHref };
      case "principals":
        return rest.length === 0
          ? { kind: "principals", href: principalsHref }
          : findPrincipalResource(rest[0]!, rest.slice(1));
      case "calendars":
        return findInHome("calendar", rest, hasSlash);
      case "addressbooks":
        return findInHome("addressbook", rest, hasSlash);
      case "files":
        return findFile(rest, hasSlash);
      case "attachments":
        return findAttachment(rest, hasSlash);
      case "push":
        return findPush(rest, hasSlash);
      default:
        return undefined;
    }
  }

  function fileOf(entry: FileEntry): FileResource | FolderResource {
    const { path, mediaType } = entry;
    const href = `${filesHref}${own.id}/${path.split("/").map(encodeSegment).join("/")}`;
    if (mediaType !== undefined) return { kind: "file", href, principal: own, entry };
    return { kind: "folder", href: `${href}/`, principal: own, path, entry };
  }

  /** A login sees only its own files. */
  async function findFile([id, ...segments]: readonly string[], hasSlash: boolean) {
    if (id !== own.id) return undefined;
    if (!mayReadFiles(login))
      throw needPrivileges("The token is not for files.", `${filesHref}${id}/`, dav("read"));
    const path = segments.join("/");
    if (path === "")
      return { kind: "folder", href: `${filesHref}${id}/`, principal: own, path, entry: undefined } as const;
    const entry = await rooms.files.findFile(login.agent, path);
    const isFile = entry?.mediaType !== undefined;
    return entry === undefined || (isFile && hasSlash) ? undefined : fileOf(entry);
  }

  async function findPush([name = "", ...more]: readonly string[], hasSlash: boolean) {
    if (!/^[1-9]\d{0,14}$/.test(name) || more.length > 0 || hasSlash) return undefined;
    const subscription = Number(name);
    const isThere = await rooms.collectionPushes.has(login, subscription);
    return isThere ? ({ kind: "push", href: `${pushHref}${name}`, subscription } as const) : undefined;
  }

  /** 403 for what is not there too, so that nobody learns what is. */
  async function findAttachment([managedId, name, ...more]: readonly string[], hasSlash: boolean) {
    if (managedId === undefined || name === undefined || more.length > 0 || hasSlash) return undefined;
    const href = `${attachmentsHref}${encodeSegment(managedId)}/${encodeSegment(name)}`;
    const attachment = await findReadableAttachment({ collections, principal: login, reach }, managedId);
    if (attachment === undefined)
      throw needPrivileges("The login reads no event with this attachment.", href, dav("read"));
    return { kind: "attachment" as const, href, attachment };
  }

  async function listMembers(resource: DavResource): Promise<readonly DavResource[]> {
    switch (resource.kind) {
      case "root":
        return [
          { kind: "principals", href: principalsHref },
          { kind: "calendar-homes", href: homesHref.calendar },
          { kind: "addressbook-homes", href: homesHref.addressbook },
        ];
      case "principals":
        return (await listPrincipals()).map((principal) => ({
          kind: "principal",
          href: principalHref(principal.id),
          principal,
        }));
      case "principal":
        return proxyGroups(resource.principal);
      case "calendar-homes":
        return listHomes("calendar");
      case "addressbook-homes":
        return listHomes("addressbook");
      case "calendar-home": {
        const { principal, href } = resource;
        const members = (await listOfHome("calendar", principal)).map((one) => collectionOf(principal, one));
        return principal.agent === login.agent
          ? [...members, { kind: "outbox", href: `${href}${outboxSegment}/`, principal }]
          : members;
      }
      case "addressbook-home": {
        const { principal } = resource;
        return (await listOfHome("addressbook", principal)).map((one) => collectionOf(principal, one));
      }
      default:
        return [];
    }
  }

  async function listHomes(kind: CollectionKind): Promise<readonly DavResource[]> {
    const agents = new Set([login.agent, ...(await listReached(kind)).map(({ agent }) => agent)]);
    const homes = await Promise.all([...agents].map((agent) => findHome(kind, ids.encode("agent", agent))));
    return homes.filter((home) => home !== undefined);
  }

  async function listPrincipals(): Promise<readonly DavPrincipal[]> {
    return (await accounts.listColleagues(login.account)).map(principalOf);
  }

  return {
    own,
    async find(href) {
      const path = parseHref(href);
      return path && findSegments(path.segments, path.hasSlash);
    },
    async findParent(href) {
      const segments = parseHref(href)?.segments ?? [];
      const segment = segments.at(-1);
      if (segment === undefined) return undefined;
      const parent = await findSegments(segments.slice(0, -1), true);
      return parent && { parent, segment };
    },
    listMembers,
    itemOf,
    hrefOf: (parent, segment) => `${parent.href}${encodeSegment(segment)}`,
    itemSegment,
    fileOf,
    collectionOf,
    placeOf(href) {
      const whole = places.get(href.endsWith("/") ? href : `${href}/`);
      if (whole !== undefined) return whole;
      const end = href.lastIndexOf("/", href.length - 2) + 1;
      const above = places.get(href.slice(0, end));
      return above === undefined ? href : `${above}${href.slice(end)}`;
    },
    findPrincipal,
    listPrincipals,
  };
}

export function proxyGroups(principal: DavPrincipal) {
  return (["read", "write"] as const).map((right) => ({
    kind: "proxy-group" as const,
    href: `${principalHref(principal.id)}${proxySegments[right]}/`,
    principal,
    right,
  }));
}
