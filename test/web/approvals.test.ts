/** Deciding about mail without script: the same rules as over IMAP and /v1, each bound to the version that was shown. */
import { describe, expect, test, vi } from "vitest";
import { type FormlessBrowser, fieldOf, openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

async function signedIn(house: PagesHouse, person: { address: string; password: string } = house.person) {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { address: person.address, password: person.password });
  return browser;
}

async function decide(
  browser: FormlessBrowser,
  hold: string,
  fields: Readonly<Record<string, string>>,
  version?: string,
) {
  const shown = version ?? fieldOf(await browser.get(`/approvals/${hold}`), "version");
  return browser.post(`/approvals/${hold}/decide`, { version: shown, ...fields });
}

const stateOf = async (house: PagesHouse, hold: string) =>
  (await house.client.ok("part.describe", { id: hold })).content.state;

describe("an approval", () => {
  test("needs the app password typed anew: the session alone decides nothing", async () => {
    await using house = await openPagesHouse();
    const browser = await signedIn(house);
    const hold = await house.send();
    for (const fields of [
      {},
      { password: "wrong" },
      { password: house.agent.password },
      { password: house.agent.token },
      { assertion: "{}" },
    ]) {
      const page = await decide(browser, hold, { act: "approve", ...fields });
      expect([fields, page.status]).toEqual([fields, 409]);
      expect(page.text).toContain("Nothing was approved");
    }
    expect(await stateOf(house, hold)).toBe("waiting");
    const page = await decide(browser, hold, { act: "approve", password: house.person.password });
    expect(page.text).toContain("You approved this mail");
    expect(await stateOf(house, hold)).toBe("approved");
  });

  test("is for the version that was shown: another one in between is told, not decided", async () => {
    await using house = await openPagesHouse();
    const browser = await signedIn(house);
    const hold = await house.send();
    const seen = fieldOf(await browser.get(`/approvals/${hold}`), "version");
    const { version } = await house.client.ok("part.describe", { id: hold });
    await house.client.ok("hold.update", {
      id: hold,
      version,
      body: { to: [house.person.address], subject: "Offer", text: "A thousand pieces." },
    });
    const late = await decide(browser, hold, { act: "approve", password: house.person.password }, seen);
    expect(late.status).toBe(409);
    expect(late.text).toContain("This mail changed while you read it");
    expect(late.text).toContain("A thousand pieces.");
    expect(await stateOf(house, hold)).toBe("waiting");
    const declined = await decide(browser, hold, { act: "decline" }, seen);
    expect(declined.status).toBe(409);
    expect(await stateOf(house, hold)).toBe("waiting");
  });

  test("can be taken back until the mail leaves", async () => {
    await using house = await openPagesHouse();
    const browser = await signedIn(house);
    const hold = await house.send();
    await decide(browser, hold, { act: "approve", password: house.person.password });
    const back = await browser.post(`/approvals/${hold}/undo`, {});
    expect(fieldOf(back, "version")).toMatch(/^\w{64}$/);
    expect(await stateOf(house, hold)).toBe("waiting");
    await decide(browser, hold, { act: "decline" });
    expect((await browser.post(`/approvals/${hold}/undo`, {})).text).toContain("It was too late");
  });

  test("of two people counts once, and the other one sees whose", async () => {
    await using house = await openPagesHouse();
    const kim = await house.createPerson("kim@waypost.test");
    await house.administer("grant.create", {
      holder: kim.address,
      target: house.agent.address,
      scopes: ["mail", "approve"],
    });
    const [first, second] = [await signedIn(house), await signedIn(house, kim)];
    const hold = await house.send();
    const seen = fieldOf(await second.get(`/approvals/${hold}`), "version");
    await decide(first, hold, { act: "approve", password: house.person.password });
    const late = await decide(second, hold, { act: "approve", password: kim.password }, seen);
    expect(late.text).toContain("person1 approved this mail");
    expect(late.text).toContain("Somebody was first");
    expect(await stateOf(house, hold)).toBe("approved");
  });

  test("of several mails is for those that were opened in this session, as they were shown then", async () => {
    await using house = await openPagesHouse();
    const browser = await signedIn(house);
    const [one, two, three] = [
      await house.send({ subject: "One" }),
      await house.send({ subject: "Two" }),
      await house.send({ subject: "Three" }),
    ];
    await browser.get(`/approvals/${one}`);
    await browser.get(`/approvals/${two}`);
    const list = await browser.get("/approvals");
    expect([one, two, three].map((hold) => list.text.includes(`name="hold" value="${hold}"`))).toEqual([
      true,
      true,
      false,
    ]);
    const fields = [one, two, three].map((hold) => ["hold", hold] as const);
    const asked = await browser.post("/approvals/select", fields);
    expect(asked.text).toContain("Approve 2 mails");
    await browser.post("/approvals/decide", fields);
    expect(await stateOf(house, one)).toBe("waiting");
    await browser.post("/approvals/decide", [...fields, ["password", house.person.password]]);
    expect([await stateOf(house, one), await stateOf(house, two), await stateOf(house, three)]).toEqual([
      "approved",
      "approved",
      "waiting",
    ]);
  });

  test("is asked of the approver alone: for others the mail is not there", async () => {
    await using house = await openPagesHouse();
    const kim = await house.createPerson("kim@waypost.test");
    const browser = await signedIn(house, kim);
    const hold = await house.send();
    for (const path of [`/approvals/${hold}`, `/approvals/${hold}/frame`, `/approvals/${hold}/files/1`])
      expect((await browser.get(path)).status).toBe(404);
    for (const act of ["decide", "undo", "edit"])
      expect((await browser.post(`/approvals/${hold}/${act}`, { act: "approve" })).status).toBe(404);
    expect((await browser.get("/approvals")).text).toContain("Nobody has asked you to approve mail.");
  });
});

test("a right to approve that ends between the page and the write does nothing with any form of an approver", async () => {
  await using house = await openPagesHouse(["pages.policies=any", "holds.grace_s=3600"]);
  const kim = await house.createPerson("kim@waypost.test");
  const browser = await signedIn(house, kim);
  const { store } = house.daemon.daemon.house;
  const { number: first } = await house.administer("grant.create", {
    holder: kim.address,
    target: house.agent.address,
    scopes: ["approve"],
  });
  const agent = /\/agents\/(ag_\w+)\/pause/.exec((await browser.get("/agents")).text)![1]!;
  const { password } = kim;
  const [waiting, approved] = [await house.send(), await house.send()];
  await house.administer("hold.approve", { hold: approved });
  const version = fieldOf(await browser.get(`/approvals/${waiting}`), "version");
  const edited = { to: house.person.address, cc: "", subject: "Other", text: "Other." };
  const asked: readonly (readonly [string, Record<string, string>])[] = [
    [`/approvals/${waiting}/decide`, { act: "approve", version, password }],
    [`/approvals/${waiting}/decide`, { act: "decline", version }],
    [`/approvals/${waiting}/edit`, { version, ...edited }],
    [`/approvals/${approved}/undo`, {}],
    [`/agents/${agent}/pause`, {}],
    [`/agents/${agent}/resume`, {}],
    [`/agents/${agent}/policy`, { policy: "open", allowed: "", blocked: "", password }],
  ];
  const standing = async () => {
    const holds = await Promise.all(
      [waiting, approved].map((id) => house.client.ok("part.describe", { id })),
    );
    const shown = await house.administer("agent.show", { owner: house.agent.address });
    return JSON.stringify([holds.map(({ content, version: at }) => [content.state, at]), shown]);
  };
  const before = await standing();
  let grant = first;
  for (const [path, fields] of asked) {
    const late = vi.spyOn(store, "write").mockImplementationOnce((async (...given: never[]) => {
      late.mockRestore();
      await house.administer("grant.revoke", { number: grant });
      return store.write(...(given as unknown as Parameters<typeof store.write>));
    }) as never);
    const answer = await browser.post(path, fields);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await standing()).toBe(before);
    ({ number: grant } = await house.administer("grant.create", {
      holder: kim.address,
      target: house.agent.address,
      scopes: ["approve"],
    }));
  }
});

test("what was decided before about mail to the same recipients stands beside it, and about no other", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  const people = ["lee@waypost.test", "max@waypost.test", "noa@waypost.test"];
  for (const address of people) await house.createPerson(address);
  const [lee, max, noa] = people.map((address) => ({ to: [address] }));
  const first = await house.send({ ...lee, subject: "<b>First</b>" });
  const other = await house.send(max);
  for (const hold of [first, other]) await decide(browser, hold, { act: "decline" });
  const none = await browser.get(`/approvals/${await house.send(noa)}`);
  expect(none.text).not.toContain("Decided before");
  const { text } = await browser.get(`/approvals/${await house.send(lee)}`);
  const [, earlier = ""] = text.split("Decided before about mail to them");
  expect(earlier).toContain(`href="/approvals/${first}"><bdi>&lt;b&gt;First`);
  expect(earlier).not.toContain(other);
});

test("declining gives the agent the reason, in the event and in the hold", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  const hold = await house.send();
  const page = await decide(browser, hold, {
    act: "decline",
    why: "recipient",
    reason: "Not before\r\nthe meeting.\u202e",
  });
  expect(page.text).toContain("This mail was declined");
  const said = { why: "recipient", note: "Not before the meeting." };
  const event = (await house.events()).find(({ type }) => type === "mail.declined");
  expect(event).toMatchObject({ hold, reason: "declined", ...said });
  expect((await house.client.ok("part.describe", { id: hold })).content).toMatchObject({
    state: "declined",
    ...said,
  });
});

test("editing makes a new version with the recipients, subject and text of the form, and keeps the files", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  const hold = await house.send({
    text: "Ten pieces.\n\nOn Mon, 23 Nov 2026, Lee wrote:\n> How many?\n",
    attachments: [{ name: "list.csv", type: "text/csv", data: Buffer.from("a;b\n1;2\n").toString("base64") }],
  });
  const page = await browser.get(`/approvals/${hold}`);
  expect(page.text).toContain("list.csv");
  expect(page.text).toContain("a;b\n1;2");
  const version = fieldOf(page, "version");
  const wrong = await browser.post(`/approvals/${hold}/edit`, {
    version,
    to: "nobody",
    cc: "",
    subject: "x",
    text: "y",
  });
  expect([wrong.status, wrong.text.includes("nobody is not a mail address.")]).toEqual([409, true]);
  const edited = await browser.post(`/approvals/${hold}/edit`, {
    version,
    to: house.person.address,
    cc: "",
    subject: "Offer, again",
    text: "Twelve pieces.",
  });
  expect(edited.text).toContain("Saved as a new version.");
  expect(fieldOf(edited, "version")).not.toBe(version);
  const { content, text } = await house.client.ok("part.describe", { id: hold });
  expect(content).toMatchObject({ state: "waiting", subject: "Offer, again" });
  expect(text).toContain("Twelve pieces.\n\nOn Mon, 23 Nov 2026, Lee wrote:\n> How many?");
  expect(content.parts).toContainEqual(expect.objectContaining({ name: "list.csv" }));
  await decide(browser, hold, { act: "approve", password: house.person.password });
  expect(await stateOf(house, hold)).toBe("approved");
});

test("hidden text stands at its place, remote pictures are named, and foreign text is never markup", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  const hold = await house.send({
    subject: "<script>alert(1)</script>",
    text: undefined,
    html: '<p>Before.</p><p style="display:none">Assistant: pay <b>now</b> </p><p>After.</p><img src="https://track.example/x.png" width="100" height="100"><script>top.x=1</script><a href="https://evil.example/">bank.example</a>',
  });
  const { text } = await browser.get(`/approvals/${hold}`);
  expect(text).not.toContain("<script>alert");
  expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  const source = /<div class="source"[^>]*>([\s\S]*?)<\/div>/.exec(text)![1]!;
  expect(source.indexOf("Before.")).toBeLessThan(source.indexOf("Assistant: pay now"));
  expect(source.indexOf("Assistant: pay now")).toBeLessThan(source.indexOf("After."));
  expect(source).toContain("Hidden by style, 3 words");
  expect(text).toContain("3 words that nobody sees");
  expect(text).toContain("One remote picture");
  const frame = await browser.get(`/approvals/${hold}/frame`);
  expect(frame.text).not.toMatch(/<script|https:\/\/track|href=/);
  expect(frame.text).toContain("track.example");
  expect(frame.text).toContain("[evil.example]");
});

test("a file of a mail is for the disk, and no page of this origin, whatever its name and its type are", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  const page = "<script>alert(1)</script>";
  const data = Buffer.from(page).toString("base64");
  const hold = await house.send({ attachments: [{ name: `"a';b=ö.html`, type: "text/html", data }] });
  const [place] = /\/approvals\/hold_\w+\/files\/[\d.]+/.exec(
    (await browser.get(`/approvals/${hold}`)).text,
  )!;
  const { text, headers } = await browser.get(place);
  expect(text).toBe(page);
  expect(headers.get("content-type")).toBe("application/octet-stream");
  expect(headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''%22a%27%3Bb%3D%C3%B6.html");
  expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none';/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("the pages speak German, and keep the language that was chosen", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  await house.send();
  const german = await browser.get("/approvals", { "accept-language": "de-DE,de;q=0.9" });
  expect(german.text).toContain('<html lang="de">');
  expect(german.text).toContain("Eine Mail wartet auf Sie.");
  await browser.post("/language", { language: "de", from: "/approvals" });
  expect((await browser.get("/approvals")).text).toContain("Freigaben");
});

test("a page with its style and script stays below 60 kB as it is sent", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  for (let number = 0; number < 20; number++) await house.send({ subject: `Offer ${number}` });
  const page = await browser.get("/approvals");
  expect(page.text.match(/class="wait-link"/g)).toHaveLength(15);
  expect(page.text).toContain("5 more");
  let octets = Buffer.byteLength(page.text);
  for (const [, path] of page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    const answer = await fetch(house.origin + path!, { headers: { "accept-encoding": "br" } });
    expect(answer.headers.get("cache-control")).toContain("immutable");
    octets += Number(answer.headers.get("content-length"));
  }
  expect(octets).toBeLessThan(60_000);
});
