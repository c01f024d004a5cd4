/** Everything of a person as an archive, from the page. */
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { withLimit } from "../limits/hand-in.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse } from "./pages-house.ts";

test("a person gets all own data as an archive, with a proof, and in that session alone", async () => {
  await using house = await openPagesHouse();
  await house.administer("agent.update", { owner: house.agent.address, holdPolicy: "open" });
  await house.client.ok("send", {
    body: { to: [house.person.address], subject: "Quincunx", text: "Marmalade for the archive." },
  });
  const signIn = async (person: { readonly address: string; readonly password: string }) => {
    const browser = openBrowser(house.origin);
    await browser.post("/sign-in", { address: person.address, password: person.password });
    return browser;
  };
  const browser = await signIn(house.person);
  for (const proof of [{}, { password: house.agent.password }, { assertion: "{}" }])
    expect((await browser.post("/mine/archive", proof)).status).toBe(409);
  expect((await browser.get("/mine/archive")).status).toBe(404);
  expect((await browser.post("/mine/archive", { password: house.person.password })).status).toBe(200);
  await expect
    .poll(async () => (await browser.get("/mine")).text.includes("Save the archive"), { timeout: 60_000 })
    .toBe(true);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await fetch(`${house.origin}/mine/archive`, { headers: { cookie } });
  expect([
    answer.status,
    answer.headers.get("content-disposition"),
    answer.headers.get("cache-control"),
  ]).toEqual([200, 'attachment; filename="waypost.tar.gz"', "no-store"]);
  const archive = gunzipSync(Buffer.from(await answer.arrayBuffer()));
  expect(archive.includes("Marmalade for the archive.")).toBe(true);
  // Neither another browser of the person, nor another person, nor the agent.
  expect((await (await signIn(house.person)).get("/mine/archive")).status).toBe(404);
  const kim = await house.createPerson("kim@waypost.test");
  expect((await (await signIn(kim as never)).get("/mine/archive")).status).toBe(404);
  const stranger = openBrowser(house.origin);
  const bearer = { authorization: `Bearer ${house.agent.token}` };
  expect(new URL((await stranger.get("/mine/archive", bearer)).url).pathname).toBe("/sign-in");
  // One at a time.
  const again = await browser.post("/mine/archive", { password: house.person.password });
  expect([again.status, again.text.includes("there is an archive already")]).toEqual([409, true]);
});

test("an archive that is not begun, because so many jobs run, has failed and can be asked for again", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  const { address, password } = house.person;
  await browser.post("/sign-in", { address, password });
  await withLimit("model", "operatorJobsMax", 0, async () => {
    await browser.post("/mine/archive", { password });
    await expect.poll(async () => (await browser.get("/mine")).text).toContain('role="alert"');
  });
  expect((await browser.post("/mine/archive", { password })).status).toBe(200);
  await expect
    .poll(async () => (await browser.get("/mine")).text.includes("Save the archive"), { timeout: 60_000 })
    .toBe(true);
});
