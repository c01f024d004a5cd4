/** Answers: a status, header fields, and a body, whole or in pieces. */
import type { DavError } from "./dav-error.ts";
import { dav, type XmlName } from "./xml/names.ts";
import {
  documentEnd,
  documentStart,
  element,
  noXml,
  textElement,
  type Xml,
  xmlDocument,
} from "./xml/write-xml.ts";

export interface DavAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** An iterable is read as fast as the client reads the answer. */
  readonly body?: string | Uint8Array | AsyncIterable<string>;
}

export const xmlType = "application/xml; charset=utf-8";

export function xmlAnswer(status: number, name: XmlName, ...content: readonly Xml[]): DavAnswer {
  return { status, headers: { "Content-Type": xmlType }, body: xmlDocument(name, ...content) };
}

const multistatusName = dav("multistatus");
/** Characters of XML that are collected into one piece of the body. */
export const pieceCharacters = 64 * 1024;

/** A 207 with DAV:response elements and the other elements of the multistatus. An error that is thrown before the first piece is
 *  full becomes the answer; a later error ends the connection. */
export function multistatus(contents: AsyncIterable<Xml> | readonly Xml[]): DavAnswer {
  if (Array.isArray(contents)) return xmlAnswer(207, multistatusName, ...(contents as readonly Xml[]));
  return {
    status: 207,
    headers: { "Content-Type": xmlType },
    body: writePieces(contents as AsyncIterable<Xml>),
  };
}

async function* writePieces(contents: AsyncIterable<Xml>): AsyncGenerator<string> {
  let piece = documentStart(multistatusName);
  for await (const content of contents) {
    piece += content;
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = "";
  }
  yield piece + documentEnd(multistatusName);
}

/** `HTTP/1.1 200 OK` as RFC 4918 section 14.28 wants it. */
export function statusLine(status: number): Xml {
  return textElement(dav("status"), `HTTP/1.1 ${status} ${statusTexts[status] ?? "Status"}`);
}

/** A response about a whole resource: a status instead of properties (RFC 4918 section 14.24). */
export function statusResponse(href: string, status: number, error?: DavError): Xml {
  return element(
    dav("response"),
    textElement(dav("href"), href),
    statusLine(status),
    error === undefined ? noXml : errorElement(error),
  );
}

/** DAV:error with the precondition that was not met; empty if no standard names one. */
export function errorElement({ details: { condition, content = noXml } }: DavError): Xml {
  return condition === undefined ? noXml : element(dav("error"), element(condition, content));
}

const statusTexts: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  423: "Locked",
  424: "Failed Dependency",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  507: "Insufficient Storage",
};
