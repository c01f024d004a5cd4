/** What is stored of a session that begins. */
import { generateSessionToken, hashToken } from "#/src/accounts/secrets.ts";
import { networkOf } from "#/src/model/network.ts";
import type { NewPageSession } from "#/storage/writing/accounts/page-sessions.ts";

/** The browser that asks. */
export interface Browser {
  readonly remoteAddress: string;
  /** In words, as "Firefox (Linux)". */
  readonly device: string;
}

/** How exactly the last use of a session is known. */
export const seenExactnessMs = 10 * 60_000;

/** `token`: for the cookie. It is not stored. */
export function newSession(browser: Browser, proof: NewPageSession["proof"]) {
  const token = generateSessionToken();
  const network = networkOf(browser.remoteAddress) ?? "loopback";
  const session: NewPageSession = { hash: hashToken(token), device: browser.device, network, proof };
  return { token, session };
}
