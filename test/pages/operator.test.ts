/** An operator at a browser. The pictures of `docs` are made here: WAYPOST_RECORD=1 npm run test:pages */
import { describe, expect, test } from "vitest";
import { startSink } from "../support/servers/smtp-sink.ts";
import { openPagesHouse, type PagesHouse } from "../web/pages-house.ts";
import { faultsOf, keepPicture } from "./axe.ts";
import { chromiumNote, hasChromium, type Seat, startChromium, takeSeat } from "./chromium.ts";

const places = ["", "/domains", "/accounts", "/access", "/queue", "/webhooks", "/trace", "/reports", "/me"];

async function join(house: PagesHouse, { page }: Seat): Promise<void> {
  const { link } = await house.administer("operator.sign-in", { name: "jonas" });
  await page.goto(String(link));
  await page.locator("form[data-ask] button").click();
  await page.waitForURL("**/operator");
}

describe.skipIf(!hasChromium)(`an operator in Chromium${chromiumNote}`, () => {
  test("a printed link becomes a passkey, once, and the passkey signs in", async () => {
    await using house = await openPagesHouse();
    await using browser = await startChromium();
    await using seat = await takeSeat(browser, house.origin);
    const { page } = seat;
    const { link } = await house.administer("operator.sign-in", { name: "jonas" });
    await page.goto(String(link));
    await page.locator("form[data-ask] button").click();
    await page.waitForURL("**/operator");
    await page.getByRole("heading", { name: "Nothing is wrong" }).waitFor();
    await page.locator(".me summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL("**/operator");
    // A person's page takes no passkey of an operator.
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("This passkey was not accepted").waitFor();
    await page.goto(String(link));
    await page.locator("form[data-ask] button").click();
    await page.getByText("This link is unknown, used").waitFor();
    expect(seat.foreign).toEqual([]);
  });

  test("removes one of two passkeys with the word of one, and never the last", async () => {
    await using house = await openPagesHouse();
    await using browser = await startChromium();
    await using first = await takeSeat(browser, house.origin);
    await join(house, first);
    await first.page.goto("/operator/me");
    expect(await first.page.getByRole("button", { name: "Remove" }).isDisabled()).toBe(true);
    await using second = await takeSeat(browser, house.origin);
    await join(house, second);
    await second.page.goto("/operator/me");
    await second.page.getByRole("button", { name: "Remove" }).first().click();
    await expect.poll(() => second.page.getByRole("button", { name: "Remove" }).count()).toBe(1);
  });

  test.each([
    { name: "desk", width: 1280, scheme: "light" },
    { name: "phone", width: 360, scheme: "dark" },
  ] as const)("no page has a fault of WCAG 2.2 or scrolls sideways: $name", async ({ width, scheme }) => {
    await using house = await openPagesHouse();
    await house.administer("webhook.add", { owner: house.agent.address, url: "https://hooks.example/" });
    await using browser = await startChromium();
    await using seat = await takeSeat(browser, house.origin, {
      viewport: { width, height: 800 },
      colorScheme: scheme,
    });
    const { page } = seat;
    for (const open of ["/operator/sign-in", "/operator/join"]) {
      await page.goto(open);
      expect([open, await faultsOf(page)]).toEqual([open, []]);
    }
    await join(house, seat);
    for (const place of [...places, `/access?owner=${house.agent.address}`, "/webhooks?number=1"]) {
      await page.goto(`/operator${place}`);
      expect([place, await faultsOf(page)]).toEqual([place, []]);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([place, overflow]).toEqual([place, 0]);
    }
    expect([seat.foreign, seat.faults]).toEqual([[], []]);
    if (width === 1280) {
      await page.goto("/operator/accounts");
      await keepPicture(page, "operator-accounts");
    }
  });

  test("shows what is wrong, the domains, the queue and the way of a mail, and gives up a mail with a passkey", async () => {
    await using sink = await startSink({
      onRecipient: () => ({ code: 451, text: "4.7.1 Greylisted, try later" }),
    });
    await using house = await openPagesHouse([
      "dns.servers=none",
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
    ]);
    await house.administer("domain.add", { name: "nordhafen.net" });
    await house.administer("agent.update", { owner: house.agent.address, holdPolicy: "open" });
    for (const to of ["bestellung@stoffwerk.example", "lena@stoffwerk.example", "post@werkhof.example"])
      await house.client.ok("send", { body: { to: [to], subject: "Quincunx", text: "Marmalade." } });
    await using browser = await startChromium();
    await using seat = await takeSeat(browser, house.origin, { viewport: { width: 1280, height: 900 } });
    const { page } = seat;
    await join(house, seat);
    await page.goto("/operator/domains");
    await page.locator('form[action$="/check"] button').last().click();
    await page.waitForLoadState();
    const look = async (name: string): Promise<void> => {
      expect([name, await faultsOf(page)]).toEqual([name, []]);
      await keepPicture(page, `operator-${name}`);
    };
    await page.goto("/operator/domains");
    await look("domains");
    await expect
      .poll(async () => {
        await page.goto("/operator/queue");
        return page.getByText("Greylisted").count();
      })
      .toBe(2);
    await look("queue");
    await page.getByRole("link", { name: "stoffwerk.example" }).click();
    await page.locator('#mails a[href^="/operator/trace"]').first().click();
    await page.waitForURL("**/operator/trace?id=*");
    await look("trace");
    await page.goto("/operator");
    expect(await page.locator(".chart svg").count()).toBe(3);
    await look("now");
    await page.goto("/operator/queue");
    const giveUp = page.getByRole("button", { name: "Give up" });
    const before = await giveUp.count();
    await giveUp.first().click();
    await page.waitForURL("**/operator/queue?done=queue.cancel");
    expect(await giveUp.count()).toBe(before - 1);
    expect([seat.foreign, seat.faults]).toEqual([[], []]);
  });

  test("pauses an agent and takes it back without script, in German", async () => {
    await using house = await openPagesHouse();
    await using browser = await startChromium();
    await using seat = await takeSeat(browser, house.origin);
    await join(house, seat);
    const cookies = await seat.context.cookies();
    await using quiet = await takeSeat(browser, house.origin, { javaScriptEnabled: false, locale: "de-DE" });
    await quiet.context.addCookies(cookies);
    const { page } = quiet;
    await page.goto("/operator/accounts");
    const agents = page.locator("#agents");
    await agents.getByRole("button", { name: "Anhalten" }).click();
    await page.getByText("dieser Agent sendet nichts").waitFor();
    await agents.getByRole("button", { name: "Weiter" }).click();
    await page.getByText("Geht weiter.").waitFor();
  });
});
