/** What axe-core finds of a page, and its picture for `docs`. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CDPSession, Page } from "playwright-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const docs = new URL("../../docs/", import.meta.url).pathname;

const sessions = new WeakMap<Page, CDPSession>();

/** What axe finds of WCAG 2.2 A and AA. */
export async function faultsOf(page: Page): Promise<string[]> {
  // The page's own policy lets no script of others in; the debugger is not bound to it.
  const source = readFileSync(axeFile, "utf8");
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send("Runtime.evaluate", { expression: source });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run({ exclude: ["iframe"] }, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
      .then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes[0].html)))`,
    awaitPromise: true,
  });
  return JSON.parse(result.value as string) as string[];
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.WAYPOST_RECORD !== undefined) await page.screenshot({ path: `${docs}${name}.png` });
}
