/** Debian's Chromium with a person at it: a passkey that always says yes, and no name but localhost. */
import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from "playwright-core";

const binary = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);
export const hasChromium = binary !== undefined;
export const chromiumNote = hasChromium ? "" : " (skipped: no chromium; apt install chromium)";

/** A busy machine draws a page late. */
const waitMs = 100_000;

export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: binary!,
    timeout: waitMs,
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost"],
  });
}

export interface Seat extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every request to another place than our origin that the policy of the page has not stopped. */
  readonly foreign: string[];
  /** Violations of the policy, faults of scripts. */
  readonly faults: string[];
  /** Instead of the passkey device that the seat has. */
  takeOtherKey(): Promise<void>;
}

/** A browser of one person, with cookies and a passkey device of its own. */
export async function takeSeat(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Seat> {
  const context = await browser.newContext({ baseURL: origin, locale: "en-GB", ...options });
  context.setDefaultTimeout(waitMs);
  const foreign: string[] = [];
  const faults: string[] = [];
  const note = (request: Request): void => {
    const url = request.url();
    const isStopped = request.failure()?.errorText === "csp";
    if (!isStopped && !url.startsWith(origin) && !url.startsWith("data:")) foreign.push(url);
  };
  context.on("requestfinished", note);
  context.on("requestfailed", note);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const plugIn = (transport: "internal" | "usb") =>
    session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  const { authenticatorId } = await plugIn("internal");
  const takeOtherKey = async (): Promise<void> => {
    await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    await plugIn("usb");
  };
  return { context, page, foreign, faults, takeOtherKey, [Symbol.asyncDispose]: () => context.close() };
}
