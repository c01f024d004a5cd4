/** Bodies of requests: XML, and octets. */
import { LoopTurns, nextTurn } from "#/src/fairness/loop-turns.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { davXmlBytesMax } from "#/src/model/limits.ts";
import { DavError } from "./dav-error.ts";
import type { DavRequest } from "./request.ts";
import type { XmlElement } from "./xml/element.ts";
import { readXmlPieces } from "./xml/read-xml.ts";

/** Larger XML is read in turns of the event loop: 10,000 hrefs take 50 ms. */
const quickBytes = 16 * 1024;

/** The received octets, the parsed form, and the stored form. */
const copies = 3;

export interface MediaType {
  /** In lower case, without parameters; empty when there is none. */
  readonly type: string;
  readonly charset: string | undefined;
}

export function mediaTypeOf(field: string): MediaType {
  const [type = "", ...parameters] = field.slice(0, 1000).split(";");
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1])
    .find((one) => one !== undefined);
  return { type: type.trim().toLowerCase(), charset };
}

/** undefined for a request without a body. Throws 413, 415 and 400. */
export async function readXmlBody(request: DavRequest): Promise<XmlElement | undefined> {
  const { koa } = request.context;
  const body = await readOctets(request, davXmlBytesMax, () => new DavError(413, "The XML is too long."));
  if (body.length === 0) return undefined;
  // Clients send it as text/plain and as a form; what is no XML is refused as such.
  const { charset } = mediaTypeOf(koa.get("Content-Type"));
  if (body.length > quickBytes) await nextTurn();
  // RFC 7303 section 8.3: the default charset of text/xml is ignored, because clients do not mean it.
  const reading = readXmlPieces(body, charset);
  const turns = new LoopTurns();
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    await turns.turn();
  }
}

export async function readOctets(
  { context }: DavRequest,
  limitBytes: number,
  tooLarge: () => DavError,
): Promise<Buffer> {
  const encoding = context.koa.get("Content-Encoding").toLowerCase();
  if (encoding !== "" && encoding !== "identity")
    throw new DavError(415, "The body is encoded; send it without Content-Encoding.");
  try {
    return await context.readBody(limitBytes, copies);
  } catch (error) {
    if (isWaypostError(error) && error.details.reason === "too_large") throw tooLarge();
    throw error;
  }
}

/** RFC 4918 section 8.4: a body of a method that has none is refused. */
export async function assertNoBody(request: DavRequest): Promise<void> {
  const body = await readOctets(request, davXmlBytesMax, () => new DavError(415, "There is no body here."));
  if (body.length > 0) throw new DavError(415, "This method has no body here.");
}
