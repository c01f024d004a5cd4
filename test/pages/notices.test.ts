/** Notices of waiting mail in Chromium: the page asks its push service, the server sends, and the service worker shows it. The push service
 *  is the test: no browser here reaches a real one. */
import { describe, expect, test } from "vitest";
import { makePushKeys } from "../support/push-receiver.ts";
import { openWebhookReceiver } from "../support/servers/webhook-receiver.ts";
import { openPagesHouse } from "../web/pages-house.ts";
import { chromiumNote, hasChromium, startChromium, takeSeat } from "./chromium.ts";

describe.skipIf(!hasChromium)(`notices in Chromium${chromiumNote}`, () => {
  test.each([
    ["en-GB", "Tell this device", "2 mails wait for your approval"],
    ["de-DE", "Auf diesem Gerät melden", "2 Mails warten auf Ihre Freigabe"],
  ])("are shown by the service worker, in %s", async (locale, button, title) => {
    await using receiver = await openWebhookReceiver();
    await using house = await openPagesHouse(["webhooks.allow_private_addresses=true"]);
    await using browser = await startChromium();
    await using seat = await takeSeat(browser, house.origin, { locale });
    const { page, context } = seat;
    await context.grantPermissions(["notifications"], { origin: house.origin });
    const keys = makePushKeys();
    const known = { endpoint: receiver.url, keys: { p256dh: keys.p256dh, auth: keys.auth } };
    await page.addInitScript(
      `PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
        if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error("no such subscription");
        return { toJSON: () => (${JSON.stringify(known)}) };
      }`,
    );
    await page.goto(await house.invite());
    await page.locator('form[data-ask] button:not([name="without"])').click();
    await page.waitForURL("**/approvals");
    await page.goto("/mine");
    await page.getByRole("button", { name: button }).click();
    await page.locator('form[action="/mine/notices/end"]').waitFor();
    await Promise.all([house.send(), house.send({ subject: "Two" })]);
    const texts = () => receiver.requests.map(({ octets }) => keys.open(octets));
    await expect.poll(() => JSON.parse(texts().at(-1) ?? "{}").waiting).toBe(2);
    // What came to the push service is handed to the worker, as a push service does.
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const [first] = registrations;
        if (first !== undefined) resolve(first.registrationId);
      });
    });
    await session.send("ServiceWorker.enable");
    const shown = () =>
      page.evaluate(
        "navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => all.map(({ title }) => title))",
      );
    const registrationId = await registered;
    // A worker that is not active yet gets nothing, so it is handed over until it is shown.
    await expect
      .poll(async () => {
        const data = texts().at(-1)!;
        await session.send("ServiceWorker.deliverPushMessage", {
          origin: house.origin,
          registrationId,
          data,
        });
        return shown();
      })
      .toEqual([title]);
    expect([seat.foreign, seat.faults]).toEqual([[], []]);
  });
});
