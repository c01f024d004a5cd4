/** An event as readers get it. HTML in it (a description, or the copy that Outlook adds) is reduced to its visible part, and every
 *  text is cleaned, as in a contact. */
import { renderHtml } from "#/src/formats/html/render-html.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  put,
} from "#/src/formats/jscontact/json.ts";
import type { RemovalTally } from "../removal.ts";
import { type ShownObject, shownObject } from "../shown-object.ts";

/** Descriptions in HTML of one event that are rendered; a series may have one for each instance that differs. */
const renderingsMax = 10;

export interface ShownEvent {
  readonly event: JsonObject;
  readonly linked: ShownObject["linked"];
  /** The description as text to read. */
  readonly description: string;
}

/** `id`: of the event. */
export function shownEvent(event: JsonObject, id: string, tally: RemovalTally): ShownEvent {
  const html = createHtmlReading(tally);
  const seen = seenHtml(event, html) as JsonObject;
  const { object, linked } = shownObject(seen, id, tally);
  const description = member(event, "description");
  const isHtml = member(event, "descriptionContentType") === "text/html";
  const text =
    isHtml && typeof description === "string"
      ? html(description, "text")
      : (member(object, "description") ?? "");
  return { event: object, linked, description: String(text) };
}

type HtmlReading = (source: string, form: "html" | "text") => string;

function createHtmlReading(tally: RemovalTally): HtmlReading {
  let left = renderingsMax * 2;
  return (source, form) => {
    if (left-- <= 0) {
      tally.add("over-limit", "description");
      return "";
    }
    const { text, removed } = renderHtml(source, form);
    // The text is the same document again.
    if (form === "html") for (const [what, count, why] of removed) tally.add(what, "description", count, why);
    return text;
  };
}

/** `isHtml`: of the series, which its overrides share. */
function seenHtml(event: JsonObject, html: HtmlReading, isHtml = false): Json {
  const type = member(event, "descriptionContentType");
  const isOwn = type === undefined ? isHtml : type === "text/html";
  const object: OpenObject = {};
  for (const [key, value] of Object.entries(event)) {
    if (key === "description" && isOwn && typeof value === "string") object[key] = html(value, "html");
    else if (key === "iCalendar" && isObject(value)) object[key] = seenLeft(value, html);
    else if (key === "recurrenceOverrides" && isObject(value)) {
      const overrides: OpenObject = {};
      for (const [id, patch] of Object.entries(value))
        put(overrides, id, isObject(patch) ? seenHtml(patch, html, isOwn) : patch);
      object[key] = overrides;
    } else put(object, key, value);
  }
  return object;
}

/** X-ALT-DESC;FMTTYPE=text/html and what else says that it is HTML. */
function seenLeft(left: JsonObject, html: HtmlReading): JsonObject {
  const properties = member(left, "properties");
  if (!isArray(properties)) return left;
  return {
    ...left,
    properties: properties.map((property) => {
      if (!isArray(property)) return property;
      const [name, parameters, type, value] = property;
      return isHtmlLine(name, parameters) && typeof value === "string"
        ? [name!, parameters!, type!, html(value, "html")]
        : property;
    }),
  };
}

function isHtmlLine(name: Json | undefined, parameters: Json | undefined): boolean {
  if (name === "x-alt-desc") return true;
  return isObject(parameters) && String(member(parameters, "fmttype")).toLowerCase() === "text/html";
}
