/** What of the pages, of Web Push and of WebDAV-Push a daemon loads at its start: who asks for none of it pays for none of it. */
import { expect, it, vi } from "vitest";
import { openBrowser } from "../support/clients/browser.ts";
import { loadedBy } from "../support/loaded-files.ts";
import { makePushKeys } from "../support/push-receiver.ts";
import { openPagesHouse } from "./pages-house.ts";

const theirs =
  /^(?:protocols\/web|src\/sign-in|protocols\/dav\/push)\/|^protocols\/webhooks\/.*push|passkeys/;

it("is what says when to load the rest", () => {
  const atStart = [...loadedBy("src/daemon/daemon.ts")].filter((file) => theirs.test(file));
  expect(atStart.sort()).toEqual([
    "protocols/dav/push/dont-notify.ts",
    "protocols/web/serve-web.ts",
    "protocols/webhooks/start-pushes.ts",
    "src/daemon/ended-passkeys.ts",
    "src/sign-in/collection-pushes.ts",
    "src/sign-in/own-archives.ts",
    "src/sign-in/push-subscriptions.ts",
    "src/sign-in/vapid-key.ts",
  ]);
  // The same walk finds them from where they are loaded.
  expect(loadedBy("protocols/web/web-app.ts").has("protocols/web/operator/routes.ts")).toBe(true);
  expect(loadedBy("src/sign-in/sign-in.ts").has("src/sign-in/passkeys.ts")).toBe(true);
  expect(loadedBy("protocols/webhooks/send-pushes.ts").has("protocols/webhooks/push-message.ts")).toBe(true);
});

it("and the rest of Web Push comes with the first subscription, that of the pages with the first request", async () => {
  await using house = await openPagesHouse();
  const loadPushes = vi.spyOn(house.daemon.daemon.house, "loadPushes");
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  await house.send();
  expect(loadPushes).not.toHaveBeenCalled();
  const { p256dh, auth } = makePushKeys();
  for (const endpoint of ["https://push.example/1", "https://push.example/2"])
    await browser.post("/mine/notices", { endpoint, p256dh, auth });
  await expect.poll(() => loadPushes.mock.calls.length).toBe(1);
});
