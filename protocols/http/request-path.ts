import type { IncomingMessage } from "node:http";

/** The path of a request in origin form. */
export function requestPath({ url = "" }: Pick<IncomingMessage, "url">): string {
  if (!url.startsWith("/")) return "";
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** A request made as to a proxy has the whole URL (RFC 9112 section 3.2.2): it gets the form of the others, so that all who look at its
 *  path see the same. */
export function giveOriginForm(request: Pick<IncomingMessage, "url">): void {
  const { url = "" } = request;
  if (url.startsWith("/")) return;
  const whole = URL.parse(url);
  if (whole?.pathname.startsWith("/")) request.url = whole.pathname + whole.search;
}
