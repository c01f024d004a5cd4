/** A Card or an Event as readers get it. A name or a note can contain invisible text as a mail can, so every text is cleaned. Photos,
 *  attachments, other long values and unsafe addresses are replaced by links. A link in a change stands for the value that it replaced. */

import { linkTarget } from "#/src/formats/html/links.ts";
import {
  formatPointer,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  type Path,
  parsePointer,
  put,
} from "#/src/formats/jscontact/json.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { cleanText } from "./clean-text.ts";
import type { RemovalTally } from "./removal.ts";

/** Characters of a `data:` URI, and of any other text, that stand in it themselves. Real notes are far shorter. */
export const inlineDataMax = 1000;
const inlineTextMax = 20_000;

/** What stands behind a link. */
export interface LinkedValue {
  /** JSON pointer in the object, as `part` takes it. */
  readonly part: string;
  /** Of data. */
  readonly type?: string;
  /** Octets of data, characters of text. */
  readonly size: number;
}

export interface ShownObject {
  readonly object: JsonObject;
  readonly linked: readonly LinkedValue[];
}

/** `id`: of the contact or event. */
export function shownObject(whole: JsonObject, id: string, tally: RemovalTally): ShownObject {
  const linked: LinkedValue[] = [];
  return { object: shown(whole, []) as JsonObject, linked };

  function shown(value: Json, path: Path): Json {
    if (typeof value === "string") return shownText(value, path);
    if (isArray(value)) return value.map((inner, at) => shown(inner, [...path, String(at)]));
    if (!isObject(value)) return value;
    const object: OpenObject = {};
    for (const [key, inner] of Object.entries(value)) {
      const at = [...path, key];
      const isUnsafe = addressMember.test(key) && typeof inner === "string" && tellOfLink(inner, value, at);
      put(
        object,
        cleanText(key, whereOf(path), tally),
        isUnsafe ? linkTo(inner as string, at) : shown(inner, at),
      );
    }
    return object;
  }

  /** Whether the address is not shown, as in a mail: it runs something. One that leads elsewhere than its title says is told alone. */
  function tellOfLink(address: string, { title, name }: JsonObject, path: Path): boolean {
    // An attachment of the object itself.
    if (isDataUri(address) && path[0] !== "virtualLocations") return false;
    const label = typeof title === "string" ? title : typeof name === "string" ? name : "";
    const target = linkTarget(address, label, undefined);
    if (target === undefined || (target !== "unsafe" && !target.isMisleading)) return false;
    tally.add("unsafe-link", whereOf(path));
    return target === "unsafe";
  }

  function shownText(text: string, path: Path): string {
    const isData = isDataUri(text);
    if (text.length <= (isData ? inlineDataMax : inlineTextMax)) return cleanText(text, whereOf(path), tally);
    return linkTo(text, path);
  }

  function linkTo(text: string, path: Path): string {
    const part = formatPointer(path);
    linked.push(isDataUri(text) ? { part, ...dataFacts(text) } : { part, size: text.length });
    return linkOf(id, part);
  }
}

/** Members of links, calls, media and services whose value is an address, also as the pointer of a patch. */
const addressMember = /(?:^|\/)(?:href|uri)$/;

/** The member of the object, which says enough, and none that somebody has made up. */
function whereOf([first = "card"]: Path): string {
  return /^[A-Za-z]{1,40}$/.test(first) ? first : "card";
}

function linkOf(id: string, part: string): string {
  return `waypost:${id}#${part.split("/").map(encodeURIComponent).join("/")}`;
}

/** The body of a change with what stands behind the links that `id` was shown with. */
export function withoutLinks(body: JsonObject, id: string, stored: JsonObject): JsonObject {
  const prefix = `waypost:${id}#`;
  return resolved(body, []) as JsonObject;

  function resolved(value: Json, path: Path): Json {
    if (typeof value === "string") return value.startsWith("waypost:") ? resolvedLink(value, path) : value;
    if (isArray(value)) return value.map((inner, at) => resolved(inner, [...path, String(at)]));
    if (!isObject(value)) return value;
    const object: OpenObject = {};
    for (const [key, inner] of Object.entries(value)) put(object, key, resolved(inner, [...path, key]));
    return object;
  }

  function resolvedLink(link: string, path: Path): string {
    const found = link.startsWith(prefix) ? findText(stored, decoded(link.slice(prefix.length))) : undefined;
    if (found !== undefined) return found;
    const field = `/${formatPointer(path)}`;
    throw new WaypostError("invalid", `${field} is a link to nothing that is stored here.`, {
      field,
      hint: "Send a data: URI, or the link as part.describe shows it.",
    });
  }
}

function decoded(part: string): string {
  try {
    return part.split("/").map(decodeURIComponent).join("/");
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** A text of it by its pointer. */
export function findText(object: JsonObject, part: string): string | undefined {
  let at: Json | undefined = object;
  for (const step of parsePointer(part)) {
    if (isArray(at)) at = /^\d{1,6}$/.test(step) ? at[Number(step)] : undefined;
    else at = isObject(at) ? member(at, step) : undefined;
  }
  return typeof at === "string" ? at : undefined;
}

export function isDataUri(text: string): boolean {
  return /^data:/i.test(text);
}

/** RFC 2397: what stands before the comma. */
const headLengthMax = 400;
const dataType = /^data:([\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100})/i;

function dataHead(text: string): string {
  const comma = text.slice(0, headLengthMax).indexOf(",");
  return comma === -1 ? "data:" : text.slice(0, comma + 1);
}

function isBase64(head: string): boolean {
  return head.toLowerCase().endsWith(";base64,");
}

export interface DataFacts {
  readonly type: string;
  /** Octets. */
  readonly size: number;
}

export function dataFacts(text: string): DataFacts {
  const head = dataHead(text);
  const type = dataType.exec(head)?.[1] ?? "application/octet-stream";
  const length = text.length - head.length;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return { type: type.toLowerCase(), size: isBase64(head) ? Math.floor((length * 3) / 4) - padding : length };
}

/** The octets of a `data:` URI. */
export function readData(text: string): Buffer {
  const head = dataHead(text);
  const data = text.slice(head.length);
  return isBase64(head) ? Buffer.from(data, "base64") : Buffer.from(decoded(data));
}
