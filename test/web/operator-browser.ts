/** An operator who is signed in to the pages. */
import { generateSessionToken, hashToken } from "#/src/accounts/secrets.ts";
import { server } from "#/src/model/author.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { makeSoftPasskey } from "../support/soft-passkey.ts";
import type { PagesHouse } from "./pages-house.ts";

export const operatorCookie = "__Host-waypost-operator";

/** A link that the command line prints. */
export async function link(house: PagesHouse, input: Record<string, unknown> = {}) {
  const printed = await house.administer("operator.sign-in", { name: "jonas", ...input });
  return { number: printed.number, link: String(printed.link), text: String(printed.link).split("#")[1]! };
}

/** A browser of an operator, with a passkey. */
export async function signInOperator(house: PagesHouse, input: Record<string, unknown> = {}) {
  const { text, number } = await link(house, input);
  const { store } = house.daemon.daemon.house;
  const token = generateSessionToken();
  const passkey = makeSoftPasskey();
  await store.write(server, "useOperatorLink", {
    hash: hashToken(text),
    session: { hash: hashToken(token), device: "Firefox on Linux", network: "loopback", proof: "invitation" },
    passkey: {
      credential: passkey.credential,
      publicKey: passkey.publicKey,
      signCount: 0,
      transports: [],
      host: "localhost",
      name: "Firefox on Linux",
      challenge: { nonce: passkey.credential, expiresAt: store.clock.now() + 1000 },
    },
    at: store.clock.now(),
  });
  const browser = openBrowser(house.origin);
  browser.cookies.set(operatorCookie, token);
  /** What the page would send after the passkey has said yes to these fields. */
  const proved = async (fields: Record<string, string>): Promise<Record<string, string>> => {
    const { text: options } = await browser.post("/operator/ask", fields);
    return { ...fields, assertion: passkey.answer(JSON.parse(options), house.origin) };
  };
  return { browser, number: Number(number), token, proved };
}
