import type { IncomingMessage } from "node:http";

/** The path of a request in origin form. */
export function requestPath({ url = "" }: Pick<IncomingMessage, "url">): string {
  return url.startsWith("/") ? withoutQuery(url) : "";
}

export function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** So that all who look at the path of a request see the same: a request made as to a proxy has the whole URL (RFC 9112 section 3.2.2),
 *  and gets the form of the others; a fragment and octets that no URL has (section 3.2.1) are cut off and escaped. */
export function giveOriginForm(request: Pick<IncomingMessage, "url">): void {
  const { url = "" } = request;
  if (url.startsWith("/")) {
    if (/[^!-~]|#/.test(url)) request.url = url.replace(/#.*$/s, "").replace(/[^!-~]/g, encodeURIComponent);
    return;
  }
  const whole = URL.parse(url);
  if (whole?.pathname.startsWith("/")) request.url = whole.pathname + whole.search;
}
