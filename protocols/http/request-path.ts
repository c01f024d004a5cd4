import type { IncomingMessage } from "node:http";

/** The path. A request made as to a proxy has the whole URL (RFC 9112 section 3.2.2). */
export function requestPath({ url = "" }: Pick<IncomingMessage, "url">): string {
  if (!url.startsWith("/")) return URL.parse(url)?.pathname ?? "";
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
