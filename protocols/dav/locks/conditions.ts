/** The conditions of a request: If-Match and If-None-Match (RFC 9110 section 13), If (RFC 4918 section 10.4),
 *  If-Schedule-Tag-Match (RFC 6638 section 8.3). Throws 412 where one is not met. */
import type { ItemExpectation } from "#/src/collections/collections.ts";
import { DavError } from "../dav-error.ts";
import { etagOf } from "../item-content.ts";
import type { DavRequest } from "../request.ts";
import type { DavResource } from "../resource.ts";
import { type IfList, parseIf, submittedTokens } from "./if-field.ts";
import { assertUnlocked } from "./locks.ts";

/** The state of the item that the request relies on. The write asserts it. */
export function checkItemConditions(
  request: DavRequest,
  resource: DavResource | undefined,
  ofIf?: string,
): ItemExpectation {
  const version = checkConditions(request, resource, ofIf);
  const item = resource?.kind === "item" ? resource.item : undefined;
  const scheduleTag = request.context.koa.get("If-Schedule-Tag-Match");
  if (
    scheduleTag !== "" &&
    (item === undefined || item.scheduleTag === undefined || !matches(scheduleTag, `"${item.scheduleTag}"`))
  )
    throw failed("If-Schedule-Tag-Match");
  return {
    ...(version === undefined ? {} : { version }),
    ...(scheduleTag === "" ? {} : { scheduleTag: item!.scheduleTag }),
  };
}

/** The version that If-Match or If-None-Match relies on, or `absent`. Without either field: `ofIf`, the result of `checkLocks`. */
export function checkConditions(
  { context: { koa } }: DavRequest,
  resource: DavResource | undefined,
  ofIf?: string,
): string | undefined {
  const ifMatch = koa.get("If-Match");
  const ifNoneMatch = koa.get("If-None-Match");
  const etag = resource && findEtag(resource);
  if (ifMatch !== "" && (resource === undefined || !matches(ifMatch, etag))) throw failed("If-Match");
  if (ifNoneMatch !== "" && resource !== undefined && matches(ifNoneMatch, etag, "weak"))
    throw failed("If-None-Match");
  if (ifMatch === "" && ifNoneMatch === "") return ofIf;
  return etag === undefined ? "absent" : versionOf(etag);
}

function versionOf(etag: string): string {
  return etag.slice(1, -1);
}

/** Whether a GET is answered with 304 (RFC 9110 section 13.2.2). `updatedAt`: milliseconds. */
export function isUnmodified({ context: { koa } }: DavRequest, etag: string, updatedAt: number): boolean {
  const ifMatch = koa.get("If-Match");
  const ifNoneMatch = koa.get("If-None-Match");
  if (ifMatch !== "" && !matches(ifMatch, etag)) throw failed("If-Match");
  if (ifNoneMatch !== "") return matches(ifNoneMatch, etag, "weak");
  return Math.floor(updatedAt / 1000) * 1000 <= Date.parse(koa.get("If-Modified-Since"));
}

function findEtag(resource: DavResource): string | undefined {
  if (resource.kind === "item") return etagOf(resource.item.modseq);
  return resource.kind === "file" ? etagOf(resource.entry.modseq) : undefined;
}

/** `field`: `*` or a list of entity tags (RFC 9110 section 8.8.3.2). All tags of Waypost are strong; a proxy that compresses answers makes weak
 *  ones of them, which match only where the comparison is weak. */
export function matches(
  field: string,
  etag: string | undefined,
  comparison: "strong" | "weak" = "strong",
): boolean {
  if (field.trim() === "*") return true;
  if (etag === undefined) return false;
  return field
    .split(",")
    .map((one) => one.trim())
    .some((one) => one === etag || (comparison === "weak" && one === `W/${etag}`));
}

/** Checks the If field, and the locks that forbid a change. `changed`: the hrefs of changed resources, and of collections whose
 *  members change. Returns the version of the target that If relies on; the write asserts it. */
export async function checkLocks(
  request: DavRequest,
  changed: readonly string[],
): Promise<string | undefined> {
  const field = request.context.koa.get("If");
  const lists = field === "" ? [] : parseIf(field);
  const met = lists.length === 0 ? undefined : await findTrue(request, lists);
  if (lists.length > 0 && met === undefined) throw failed("If");
  assertUnlocked(request.locks, request.login.agent, submittedTokens(lists), changed);
  return met?.version;
}

/** The first list of If that is true, with the version of the target if the list names it. */
async function findTrue(
  request: DavRequest,
  lists: readonly IfList[],
): Promise<{ readonly version: string | undefined } | undefined> {
  for (const { href, conditions } of lists) {
    const resource = href === undefined ? request.target : await request.tree.find(href);
    const path = resource?.href ?? (href === undefined ? request.href : href);
    const etag = resource && findEtag(resource);
    const tokens = new Set(request.locks.listOn(path).map(({ token }) => token));
    const isTrue = conditions.every(
      (one) => one.isNegated !== (one.token === undefined ? one.etag === etag : tokens.has(one.token)),
    );
    if (!isTrue) continue;
    const isOfTarget = etag !== undefined && resource?.href === request.target?.href;
    const isByEtag = conditions.some((one) => one.etag !== undefined && !one.isNegated);
    return { version: isOfTarget && isByEtag ? versionOf(etag) : undefined };
  }
  return undefined;
}

function failed(field: string): DavError {
  return new DavError(412, `The condition of ${field} is not met.`);
}
