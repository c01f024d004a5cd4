/** Write locks of collections and items (RFC 4918 section 6 and 7). They are in the memory of the process: a restart ends them, as
 *  section 6.6 allows for, and what is written by other protocols does not ask for them. All have a timeout. */
import { randomUUID } from "node:crypto";
import type { Clock } from "#/src/model/clock.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { DavError } from "./dav-error.ts";
import { dav } from "./xml/names.ts";
import { textElement, type Xml } from "./xml/write-xml.ts";

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
  /** Whose credential it was. */
  readonly login: AgentNumber;
  readonly timeoutMs: number;
  readonly endsAt: number;
}

export const lockTimeoutMsMax = 3_600_000;
export const lockTimeoutMsDefault = 600_000;
/** Locks of one login, so that nobody fills the memory with them. */
const locksOfLoginMax = 200;

export interface Locks {
  /** The locks that a resource is under: its own, and deep ones of what contains it. */
  listOn(href: string): readonly Lock[];
  /** Locks of members of a collection, however deep. */
  listBelow(href: string): readonly Lock[];
  find(token: string): Lock | undefined;
  add(lock: Omit<Lock, "token" | "place" | "endsAt">): Lock;
  refresh(lock: Lock, timeoutMs: number): Lock;
  remove(lock: Lock): void;
  /** The resource has gone, with its members (section 9.6: its locks go with it). */
  removeAt(href: string): void;
}

/** The locks as one request asks for them. `placeOf`: of an href, as a shared collection has several. */
export type LocksOf = (placeOf: (href: string) => string) => Locks;

export function createLocks(clock: Clock): LocksOf {
  const locks = new Map<string, Lock>();

  function current(): Lock[] {
    const now = clock.now();
    for (const lock of locks.values()) if (lock.endsAt <= now) locks.delete(lock.token);
    return [...locks.values()];
  }

  return (placeOf) => ({
    listOn(href) {
      if (locks.size === 0) return [];
      const place = placeOf(href);
      return current().filter(
        (lock) => isSame(lock.place, place) || (lock.isDeep && isBelow(place, lock.place)),
      );
    },
    listBelow(href) {
      if (locks.size === 0) return [];
      const place = placeOf(href);
      return current().filter((lock) => isBelow(lock.place, place));
    },
    find: (token) => current().find((lock) => lock.token === token),
    add(wanted) {
      if (current().filter(({ login }) => login === wanted.login).length >= locksOfLoginMax)
        throw new DavError(507, "There are too many locks of this login.");
      const lock = {
        ...wanted,
        token: `urn:uuid:${randomUUID()}`,
        place: placeOf(wanted.href),
        endsAt: clock.now() + wanted.timeoutMs,
      };
      locks.set(lock.token, lock);
      return lock;
    },
    refresh(lock, timeoutMs) {
      const refreshed = { ...lock, timeoutMs, endsAt: clock.now() + timeoutMs };
      locks.set(lock.token, refreshed);
      return refreshed;
    },
    remove(lock) {
      locks.delete(lock.token);
    },
    removeAt(href) {
      const place = placeOf(href);
      for (const lock of locks.values())
        if (isSame(lock.place, place) || isBelow(lock.place, place)) locks.delete(lock.token);
    },
  });
}

function isSame(one: string, other: string): boolean {
  return withSlash(one) === withSlash(other);
}

function isBelow(href: string, above: string): boolean {
  const base = withSlash(above);
  return withSlash(href).startsWith(base) && !isSame(href, above);
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
