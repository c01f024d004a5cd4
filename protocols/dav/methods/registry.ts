import type { Method } from "../method.ts";
import type { ResourceKind } from "../resource.ts";
import { acl } from "./acl.ts";
import { copy, move } from "./copy-move.ts";
import { deleteMethod } from "./delete.ts";
import { get, head } from "./get.ts";
import { lock, unlock } from "./lock.ts";
import { mkcalendar, mkcol } from "./mkcol.ts";
import { options } from "./options.ts";
import { post } from "./post.ts";
import { propfind } from "./propfind.ts";
import { proppatch } from "./proppatch.ts";
import { put } from "./put.ts";
import { report } from "./report-method.ts";

/** Every method that is served, by its declaration. */
const declared = [
  options,
  get,
  head,
  put,
  deleteMethod,
  post,
  propfind,
  proppatch,
  report,
  mkcol,
  mkcalendar,
  copy,
  move,
  lock,
  unlock,
  acl,
] as const;

export const methods: readonly Method[] = declared;
export type MethodName = (typeof declared)[number]["name"];

/** MKCALENDAR is listed for calendar homes: programs ask a home whether calendars can be made in it, although the method fails for a
 *  URL that exists (RFC 4791 section 5.3.1). */
export function listMethods(kind: ResourceKind | undefined): readonly string[] {
  return methods
    .filter(({ on, makesResource }) => (kind === undefined ? makesResource : on.includes(kind)))
    .map(({ name }) => name)
    .filter((name) => name !== mkcalendar.name || kind === undefined || kind === "calendar-home");
}
