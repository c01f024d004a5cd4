/** The kinds of text that a setting can have. Each refuses what it cannot be with an example of what it can. */
import { isIP } from "node:net";
import { z } from "zod";

/** Labels of RFC 1123 section 2.1, with no port and no path. */
const hostNamePattern =
  /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
/** Names of containers and of private networks have underscores too. */
const peerNamePattern = /^(?=.{1,253}$)[a-z\d_](?:[\w-]*[a-z\d_])?(?:\.[a-z\d_](?:[\w-]*[a-z\d_])?)*$/i;
const mailAddressPattern = /^[^\s@<>",;:\\()[\]]+@([^\s@]+)$/;

function isHostName(text: string): boolean {
  return hostNamePattern.test(text) && !isNumbers(text);
}

/** `1.2.3.4` and other names whose last label is a number are addresses or mistakes. */
function isNumbers(text: string): boolean {
  return /(?:^|\.)\d+$/.test(text);
}

function withoutDot(text: string): string {
  return text.length > 1 && text.endsWith(".") ? text.slice(0, -1) : text;
}

function orEmpty(isRight: (text: string) => boolean): (text: string) => boolean {
  return (text) => text === "" || isRight(text);
}

/** A dot at the end, as in zone files, is taken away. */
export function hostName(example: string) {
  return z
    .string()
    .overwrite(withoutDot)
    .refine(isHostName, `is no host name. It has no scheme, port or path, as ${example}.`);
}

/** Another server: a name or an address; empty for none. */
export const peerHost = z
  .string()
  .overwrite(withoutDot)
  .refine(
    orEmpty((text) => isIP(text) !== 0 || (peerNamePattern.test(text) && !isNumbers(text))),
    "is no host name or address. It has no scheme and no port, as relay.example.net; the port is smarthost_port.",
  );

const addressProblem = "is no IP address, as 127.0.0.1, 0.0.0.0 or ::.";

export const bindAddress = z.string().refine((text) => isIP(text) !== 0, addressProblem);
export const bindAddressOrEmpty = z.string().refine(
  orEmpty((text) => isIP(text) !== 0),
  addressProblem,
);

/** As `dns.setServers` takes them, or `none`. */
export const nameServer = z.string().refine((text) => {
  const [, bracketed, plain, port = "53"] =
    /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const isWithPort = isIP(bracketed ?? plain ?? "") !== 0 && Number(port) > 0 && Number(port) < 65_536;
  return text === "none" || isIP(text) !== 0 || isWithPort;
}, 'is no address of a name server, as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53, or "none".');

/** An address, or a network with the length of its prefix. */
export const network = z.string().refine((place) => {
  const [address = "", prefix, ...rest] = place.split("/");
  const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && isPrefix && rest.length === 0;
}, "is no address and no network, as 10.0.0.0/8.");

/** Browsers have passkeys and cookies of `__Host-` for https and for localhost alone. */
export const publicOriginOrEmpty = z.string().refine(
  orEmpty((text) => {
    const url = URL.parse(text);
    if (url === null || (url.origin !== text && url.href !== text)) return false;
    if (url.hostname.startsWith("[") || isIP(url.hostname) !== 0) return false;
    return url.protocol === "https:" || (url.protocol === "http:" && url.hostname === "localhost");
  }),
  "is no https://name or http://localhost:port, without a path.",
);

function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}

export function webUrl(example: string) {
  return z.string().max(1000).refine(isWebUrl, `is no URL with its scheme, as ${example}.`);
}

export function webUrlOrEmpty(example: string) {
  return z.string().max(1000).refine(orEmpty(isWebUrl), `is no URL with its scheme, as ${example}.`);
}

export const mailAddressOrEmpty = z
  .string()
  .max(254)
  .refine(
    orEmpty((text) => isHostName(mailAddressPattern.exec(text)?.[1] ?? "")),
    "is no mail address, as me@example.org.",
  );

/** Which of them exist is known where they are served (`src/daemon/assert-startable.ts`). */
export const operationName = z
  .string()
  .regex(/^[a-z]+(?:\.[a-z]+)?$/i, "is no name of an operation of /v1, as send or event.create.");
