/** Write locks of collections and items (RFC 4918 section 6 and 7). They are in the memory of the process: a restart ends them, as
 *  section 6.6 allows. Writes by other protocols do not check them. Every lock has a timeout. */
import { randomUUID } from "node:crypto";
import { type Clock, leftUntil } from "#/src/model/clock.ts";
import { locksMax, locksOfLoginMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { DavError } from "../dav-error.ts";
import { dav } from "../xml/names.ts";
import { textElement, type Xml } from "../xml/write-xml.ts";

export interface Lock {
  /** `urn:uuid:…` */
  readonly token: string;
  /** Of the resource that was locked, as its locker called it. */
  readonly href: string;
  /** The same for everybody who sees it (`placeOf` of the tree). */
  readonly place: string;
  readonly isShared: boolean;
  readonly isDeep: boolean;
  /** The DAV:owner as the client sent it. */
  readonly owner: Xml | undefined;
  /** The login that made the lock. */
  readonly login: AgentNumber;
  readonly timeoutMs: number;
  readonly endsAt: number;
}

export const lockTimeoutMsMax = 3_600_000;
export const lockTimeoutMsDefault = 600_000;

export interface Locks {
  /** The locks that protect a resource: its own, and locks of depth infinity on the collections that contain it. */
  listOn(href: string): readonly Lock[];
  /** Locks of members of a collection, however deep. */
  listBelow(href: string): readonly Lock[];
  find(token: string): Lock | undefined;
  /** Throws 507 if the login, or all logins together, have too many locks. */
  add(lock: Omit<Lock, "token" | "place" | "endsAt">): Lock;
  refresh(lock: Lock, timeoutMs: number): Lock;
  remove(lock: Lock): void;
  /** Removes the locks of a deleted resource and its members (section 9.6). */
  removeAt(href: string): void;
}

/** The locks as one request asks for them. `placeOf`: of an href, as a shared collection has several. */
export type LocksOf = (placeOf: (href: string) => string) => Locks;

export function createLocks(clock: Clock): LocksOf {
  const index = createLockIndex();

  function current(locks: readonly Lock[]): Lock[] {
    const now = clock.now();
    return locks.filter((lock) => !hasEnded(lock, now));
  }

  return (placeOf) => ({
    listOn(href) {
      const place = withSlash(placeOf(href));
      const above = containersOf(place).flatMap((one) => index.at(one).filter(({ isDeep }) => isDeep));
      return current([...index.at(place), ...above]);
    },
    listBelow: (href) => current(index.below(withSlash(placeOf(href)))),
    find: (token) => current([index.find(token)].filter((lock) => lock !== undefined))[0],
    add(wanted) {
      const now = clock.now();
      index.forgetEnded(now);
      if (index.countOf(wanted.login) >= locksOfLoginMax)
        throw new DavError(507, "There are too many locks of this login.");
      if (index.size >= locksMax) throw new DavError(507, "There are too many locks.");
      const lock = {
        ...wanted,
        token: `urn:uuid:${randomUUID()}`,
        place: placeOf(wanted.href),
        endsAt: now + wanted.timeoutMs,
      };
      index.add(lock);
      return lock;
    },
    refresh(lock, timeoutMs) {
      const refreshed = { ...lock, timeoutMs, endsAt: clock.now() + timeoutMs };
      index.remove(lock);
      index.add(refreshed);
      return refreshed;
    },
    remove: index.remove,
    removeAt(href) {
      const place = withSlash(placeOf(href));
      for (const lock of [...index.at(place), ...index.below(place)]) index.remove(lock);
    },
  });
}

function hasEnded({ endsAt, timeoutMs }: Lock, now: number): boolean {
  return leftUntil(endsAt, now, timeoutMs) === 0;
}

/** Locks by their tokens, places and logins. Places end with a slash and are sorted, so the places below one of them are a range. */
function createLockIndex() {
  const byToken = new Map<string, Lock>();
  const byPlace = new Map<string, Lock[]>();
  const counts = new Map<AgentNumber, number>();
  const places: string[] = [];
  /** The earliest end of a lock. No lock ends before it. */
  let firstEndsAt = Number.POSITIVE_INFINITY;

  /** Where a place stands, or would stand. */
  function positionOf(place: string): number {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle]! < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function count(login: AgentNumber, growth: number): void {
    const left = (counts.get(login) ?? 0) + growth;
    if (left === 0) counts.delete(login);
    else counts.set(login, left);
  }

  function remove({ token }: Pick<Lock, "token">): void {
    const held = byToken.get(token);
    if (held === undefined) return;
    byToken.delete(token);
    count(held.login, -1);
    const place = withSlash(held.place);
    const others = byPlace.get(place)!.filter((one) => one.token !== token);
    if (others.length > 0) byPlace.set(place, others);
    else {
      byPlace.delete(place);
      places.splice(positionOf(place), 1);
    }
  }

  return {
    get size() {
      return byToken.size;
    },
    find: (token: string) => byToken.get(token),
    countOf: (login: AgentNumber) => counts.get(login) ?? 0,
    at: (place: string): readonly Lock[] => byPlace.get(place) ?? [],
    below(place: string): Lock[] {
      const found: Lock[] = [];
      for (let at = positionOf(place); places[at]?.startsWith(place) === true; at++)
        if (places[at] !== place) found.push(...byPlace.get(places[at]!)!);
      return found;
    },
    add(lock: Lock): void {
      const place = withSlash(lock.place);
      byToken.set(lock.token, lock);
      count(lock.login, 1);
      firstEndsAt = Math.min(firstEndsAt, lock.endsAt);
      const same = byPlace.get(place);
      if (same === undefined) places.splice(positionOf(place), 0, place);
      byPlace.set(place, [...(same ?? []), lock]);
    },
    remove,
    forgetEnded(now: number): void {
      if (leftUntil(firstEndsAt, now, lockTimeoutMsMax) > 0) return;
      for (const lock of [...byToken.values()]) if (hasEnded(lock, now)) remove(lock);
      firstEndsAt = [...byToken.values()].reduce(
        (first, { endsAt }) => Math.min(first, endsAt),
        Number.POSITIVE_INFINITY,
      );
    },
  };
}

/** `/a/b/c/`: `/a/b/`, `/a/`, `/`. */
function containersOf(place: string): string[] {
  const found: string[] = [];
  for (let end = place.length - 1; end > 0; ) {
    end = place.lastIndexOf("/", end - 1);
    if (end < 0) break;
    found.push(place.slice(0, end + 1));
  }
  return found;
}

function withSlash(href: string): string {
  return href.endsWith("/") ? href : `${href}/`;
}

/** Throws 423 unless the request has the token of a lock of its own for what it changes. `hrefs`: of the resource, and of the
 *  collection when a member comes or goes (section 7.4). */
export function assertUnlocked(
  locks: Locks,
  login: AgentNumber,
  submitted: ReadonlySet<string>,
  hrefs: readonly string[],
): void {
  for (const href of hrefs) {
    const found = locks.listOn(href);
    if (found.length === 0) continue;
    // Of several shared locks one is enough (section 6.2).
    if (found.some((lock) => lock.login === login && submitted.has(lock.token))) continue;
    throw new DavError(423, "The resource is locked.", {
      condition: dav("lock-token-submitted"),
      content: textElement(dav("href"), found[0]!.href),
    });
  }
}
