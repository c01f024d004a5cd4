/** The cookies of the pages. `__Host-` keeps them to this host and to connections that nobody else reads; no script sees them. */
import type { IncomingMessage } from "node:http";

/** Two names: cookies do not know ports, and somebody may be both. */
export const sessionCookie = "__Host-waypost";
export const operatorCookie = "__Host-waypost-operator";
export const languageCookie = "__Host-waypost-language";

const headerLengthMax = 4096;

export function readCookie({ headers: { cookie = "" } }: IncomingMessage, name: string): string | undefined {
  for (const pair of cookie.slice(0, headerLengthMax).split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** `seconds`: 0 deletes the cookie. */
export function cookieField(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
}
