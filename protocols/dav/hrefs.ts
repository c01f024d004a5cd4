/** URLs of DAV: `/dav/principals/<ag_id>/`, `/dav/calendars/<ag_id>/<collection>/<item>`, `/dav/addressbooks/…`. */
import type { Settings } from "#/config/schema.ts";
import type { HttpContext } from "#/protocols/http/app.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";

export const rootHref = "/dav/";
export const principalsHref = `${rootHref}principals/`;
export const homesHref = {
  calendar: `${rootHref}calendars/`,
  addressbook: `${rootHref}addressbooks/`,
} as const satisfies Record<CollectionKind, string>;

/** Reserved last segments in a calendar home (RFC 6638 section 2). */
export const inboxSegment = "inbox";
export const outboxSegment = "outbox";
export { attachmentsPath as attachmentsHref } from "#/src/collections/attachments.ts";
export const pushHref = `${rootHref}push/`;
export const filesHref = `${rootHref}files/`;
export const proxySegments = { read: "calendar-proxy-read", write: "calendar-proxy-write" } as const;

export function principalHref(id: string): string {
  return `${principalsHref}${id}/`;
}

export function homeHref(kind: CollectionKind, id: string): string {
  return `${homesHref[kind]}${id}/`;
}

/** A segment; the characters that RFC 3986 section 3.3 allows are not escaped. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%(?:40|3A|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
}

/** An absolute URL of this server, as the client names it; behind a proxy the scheme is that of `server.public_url`. */
export function wholeUrl(
  {
    context: { koa },
    rooms,
  }: { readonly context: HttpContext; readonly rooms: { readonly settings: Settings } },
  path: string,
): string {
  const { publicUrl } = rooms.settings.server;
  if (publicUrl !== "" && new URL(publicUrl).host === koa.host) return new URL(path, publicUrl).href;
  return `${"encrypted" in koa.req.socket ? "https" : "http"}://${koa.host}${path}`;
}

export interface DavPath {
  /** The decoded segments after `/dav/`. */
  readonly segments: readonly string[];
  readonly hasSlash: boolean;
}

const pathCharactersMax = 4096;
const unfit = /[\0/]/;

/** The path of an href, as a request line or a body has it: absolute, or a whole URL. undefined for a path that is not below `/dav/`,
 *  and for segments that cannot be names. */
export function parseHref(href: string): DavPath | undefined {
  if (href.length > pathCharactersMax) return undefined;
  const path = pathOf(href);
  if (path === "/dav") return { segments: [], hasSlash: false };
  if (!path.startsWith(rootHref)) return undefined;
  const segments: string[] = [];
  for (const raw of path.slice(rootHref.length).split("/")) {
    if (raw === "") continue;
    const segment = decodeSegment(raw);
    if (segment === undefined || segment === "." || segment === ".." || unfit.test(segment)) return undefined;
    segments.push(segment);
  }
  return { segments, hasSlash: path.endsWith("/") };
}

function pathOf(href: string): string {
  const isWhole = /^https?:\/\//i.test(href);
  const start = isWhole ? href.indexOf("/", href.indexOf("//") + 2) : 0;
  const path = start < 0 ? "/" : href.slice(start);
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}

function decodeSegment(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
