/** LOCK and UNLOCK (RFC 4918 section 9.10 and 9.11): exclusive and shared write locks. Only in folders of files can an unmapped URL be
 *  locked, as this makes an empty file, and an empty resource is not a calendar object (RFC 4791 section 4.1). */

import { deadPropertyBytesMax } from "#/src/model/limits.ts";
import type { DavAnswer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import { DavError, unmet } from "../dav-error.ts";
import { assertWritesFiles, makeLockedFile } from "../files/files.ts";
import { checkLocks } from "../locks/conditions.ts";
import { parseIf, submittedTokens } from "../locks/if-field.ts";
import { writeActiveLock } from "../locks/lock-element.ts";
import { type Lock, lockTimeoutMsDefault, lockTimeoutMsMax } from "../locks/locks.ts";
import type { Method } from "../method.ts";
import { assertRight } from "../privileges.ts";
import { readXmlBody } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import {
  type CollectionResource,
  type FileResource,
  type FolderResource,
  type ItemResource,
  isOfFiles,
} from "../resource.ts";
import { findChild, type XmlElement } from "../xml/element.ts";
import { dav, isNamed } from "../xml/names.ts";
import { element, textElement, writeElement } from "../xml/write-xml.ts";

const lockable = ["calendar", "addressbook", "inbox", "item", "folder", "file"] as const;
type Lockable = CollectionResource | ItemResource | FolderResource | FileResource;

export const lock = {
  name: "LOCK",
  on: lockable,
  makesResource: true,
  async run(request) {
    const { target } = request;
    const body = await readXmlBody(request);
    if (body === undefined) return refresh(request, lockableOf(request));
    if (target !== undefined) return create(request, lockableOf(request), body);
    assertLockInfo(body);
    return { ...(await create(request, await makeLockedFile(request), body)), status: 201 };
  },
} as const satisfies Method;

export const unlock = {
  name: "UNLOCK",
  on: lockable,
  async run(request) {
    const { context, locks, login } = request;
    const resource = lockableOf(request);
    const token = /^<(.+)>$/.exec(context.koa.get("Lock-Token").trim())?.[1];
    if (token === undefined) throw new DavError(400, "There is no Lock-Token.");
    const found = locks.listOn(resource.href).find((one) => one.token === token);
    if (found === undefined)
      throw unmet(409, dav("lock-token-matches-request-uri"), "The resource has no such lock.");
    // RFC 3744 section 3.5: a login with DAV:unlock on the resource can remove locks of others.
    if (found.login !== login.agent && !isOfFiles(resource))
      assertRight(collectionOf(resource), "manage", resource.href, dav("unlock"));
    locks.remove(found);
    return { status: 204 };
  },
} as const satisfies Method;

function lockableOf({ resource }: DavRequest): Lockable {
  if (resource.kind !== "item" && !isOfFiles(resource) && !("collection" in resource))
    throw new DavError(405, "This is not locked.");
  return resource;
}

function assertMayLock(request: DavRequest, resource: Lockable): void {
  if (isOfFiles(resource)) assertWritesFiles(request, resource.href);
  else assertRight(collectionOf(resource), "write", resource.href, dav("write-content"));
}

function collectionOf(resource: CollectionResource | ItemResource) {
  return resource.kind === "item" ? resource.parent.collection : resource.collection;
}

function assertLockInfo(body: XmlElement): { readonly isShared: boolean } {
  const scope = findChild(body, dav("lockscope"));
  const type = findChild(body, dav("locktype"));
  const isShared = scope !== undefined && findChild(scope, dav("shared")) !== undefined;
  const isExclusive = scope !== undefined && findChild(scope, dav("exclusive")) !== undefined;
  const isWrite = type !== undefined && findChild(type, dav("write")) !== undefined;
  if (!isNamed(body, dav("lockinfo")) || isShared === isExclusive || !isWrite)
    throw new DavError(400, "The body is not a DAV:lockinfo of a write lock.");
  return { isShared };
}

async function create(request: DavRequest, resource: Lockable, body: XmlElement): Promise<DavAnswer> {
  const { locks, login, depth } = request;
  const { isShared } = assertLockInfo(body);
  if (depth === "1") throw new DavError(400, "A lock has depth 0 or infinity.");
  assertMayLock(request, resource);
  const isDeep = depth !== "0" && resource.kind !== "item" && resource.kind !== "file";
  await checkLocksButShared(request, resource.href, isDeep, isShared);
  const owner = findChild(body, dav("owner"));
  const written = owner && writeElement(owner);
  if ((written?.length ?? 0) > deadPropertyBytesMax) throw new DavError(413, "The DAV:owner is too long.");
  const made = locks.add({
    href: resource.href,
    isShared,
    isDeep,
    owner: written,
    login: login.agent,
    timeoutMs: timeoutOf(request),
  });
  return told(request, [made], { "Lock-Token": `<${made.token}>` });
}

/** A lock conflicts with each that is there, unless both are shared (section 6.2), and with those of members if it is deep. */
async function checkLocksButShared(
  request: DavRequest,
  href: string,
  isDeep: boolean,
  isShared: boolean,
): Promise<void> {
  await checkLocks(request, []);
  const there = [...request.locks.listOn(href), ...(isDeep ? request.locks.listBelow(href) : [])];
  const conflicts = there.filter((one) => !(isShared && one.isShared));
  if (conflicts.length === 0) return;
  throw new DavError(423, "The resource is locked.", {
    condition: dav("no-conflicting-lock"),
    content: textElement(dav("href"), conflicts[0]!.href),
  });
}

/** Without a body: the lock that If names lasts longer (section 9.10.2). */
async function refresh(request: DavRequest, { href }: Lockable): Promise<DavAnswer> {
  const { context, locks, login } = request;
  const field = context.koa.get("If");
  if (field === "") throw new DavError(400, "Neither a DAV:lockinfo nor a lock to refresh is named.");
  await checkLocks(request, []);
  const tokens = submittedTokens(parseIf(field));
  const found = locks.listOn(href).filter((one) => tokens.has(one.token) && one.login === login.agent);
  if (found.length === 0)
    throw unmet(412, dav("lock-token-matches-request-uri"), "The resource has no such lock.");
  return told(
    request,
    found.map((one) => locks.refresh(one, timeoutOf(request))),
  );
}

/** Timeout = 1#("Second-" 1*DIGIT | "Infinite"). The server chooses, and never exceeds its own maximum. */
function timeoutOf({ context }: DavRequest): number {
  const seconds = /Second-(\d{1,10})/i.exec(context.koa.get("Timeout"))?.[1];
  const wanted = seconds === undefined ? lockTimeoutMsDefault : Math.max(1, Number(seconds)) * 1000;
  return Math.min(wanted, lockTimeoutMsMax);
}

function told(
  { rooms }: DavRequest,
  locks: readonly Lock[],
  headers: Readonly<Record<string, string>> = {},
): DavAnswer {
  const now = rooms.collections.clock.now();
  const discovery = element(dav("lockdiscovery"), ...locks.map((one) => writeActiveLock(one, now)));
  const answer = xmlAnswer(200, dav("prop"), discovery);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
