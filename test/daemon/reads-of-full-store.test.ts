/** What only reads is answered while nothing can be stored, as with a full disk, through every door. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WaypostError } from "#/src/model/errors.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { manyRequests } from "../support/daemon.ts";
import { signInOperator } from "../web/operator-browser.ts";
import { openPagesHouse, type PagesHouse } from "../web/pages-house.ts";

const dayMs = 86_400_000;
let house: PagesHouse;
let isFull = false;

beforeAll(async () => {
  house = await openPagesHouse(manyRequests);
  const { store } = house.daemon.daemon.house;
  const write = store.write.bind(store);
  store.write = (async (...given: Parameters<typeof write>) => {
    if (isFull) throw new WaypostError("upstream_unavailable", "The disk is full.", { reason: "store_full" });
    return write(...given);
  }) as typeof write;
});
afterAll(() => house[Symbol.asyncDispose]());

test("a page is shown to a person and an operator who were last here a day ago", async () => {
  const { store } = house.daemon.daemon.house;
  await house.send({ subject: "Waiting" });
  const person = openBrowser(house.origin);
  await person.post("/sign-in", { ...house.person });
  const { browser: operator } = await signInOperator(house);
  const seen = async () => {
    const rows = await store.all<{ seenAt: number }>(
      'select seen_at as "seenAt" from page_session union all select seen_at from operator_session',
    );
    return rows.filter(({ seenAt }) => seenAt > Date.now() + dayMs / 2).length;
  };
  using _ = vi.spyOn(store.clock, "now").mockImplementation(() => Date.now() + dayMs);
  isFull = true;
  try {
    expect(await person.get("/approvals")).toMatchObject({
      status: 200,
      text: expect.stringContaining("Waiting"),
    });
    expect(await operator.get("/operator")).toMatchObject({ status: 200 });
    expect((await operator.get("/operator/queue")).status).toBe(200);
  } finally {
    isFull = false;
  }
  expect(await seen()).toBe(0);
  await person.get("/approvals");
  await operator.get("/operator");
  expect(await seen()).toBe(2);
});

test("a sign-in with the right password, and the approval of several mails, are refused as not possible now", async () => {
  const { log } = house.daemon.daemon.house;
  const person = openBrowser(house.origin);
  await person.post("/sign-in", { ...house.person });
  const hold = await house.send({ subject: "Of several" });
  await person.get(`/approvals/${hold}`);
  const warned = vi.spyOn(log, "warn");
  isFull = true;
  try {
    const refused = await openBrowser(house.origin).post("/sign-in", { ...house.person });
    expect([refused.status, warned.mock.calls.map(([, text]) => text)]).toEqual([
      503,
      ["login not possible"],
    ]);
    const { password } = house.person;
    expect((await person.post("/approvals/decide", { hold, password, proof: password })).status).toBe(503);
  } finally {
    isFull = false;
    warned.mockRestore();
  }
  expect((await person.get(`/approvals/${hold}`)).text).toContain("Of several");
});

test("a program of an operator reads, changes nothing, and is told why", async () => {
  const { token } = await house.administer("operator.create", { name: "robot" });
  const ask = async (operation: string, input: object) => {
    const answer = await fetch(`${house.origin}/operator/v1/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    return [answer.status, ((await answer.json()) as { error?: { code: string } }).error?.code];
  };
  isFull = true;
  try {
    expect(await ask("agent.list", {})).toEqual([200, undefined]);
    expect(await ask("agent.pause", { owner: house.agent.address })).toEqual([503, "upstream_unavailable"]);
    expect(await ask("agent.list", { odd: 1 })).toEqual([400, "invalid"]);
    expect(await ask("agent.no", {})).toEqual([404, "not_found"]);
  } finally {
    isFull = false;
  }
  expect(await ask("agent.pause", { owner: house.agent.address })).toEqual([200, undefined]);
  expect(await ask("agent.resume", { owner: house.agent.address })).toEqual([200, undefined]);
});

test("IMAP gives the text of a message that was not read, and marks it as read when there is room", async () => {
  await using smtp = await connectRawSmtp(house.daemon.smtp);
  for (const line of ["EHLO x.test", "MAIL FROM:<a@x.test>", `RCPT TO:<${house.agent.address}>`, "DATA"])
    await smtp.command(line);
  expect((await smtp.send(stuff("Subject: One\r\n\r\nHello.\r\n")))[0]).toMatch(/^250 /);
  await using imap = await connectRawImap(house.daemon.imap);
  await imap.command(`LOGIN ${house.agent.address} "${house.agent.password}"`);
  await imap.command("SELECT INBOX");
  const read = async () => {
    const { status, untagged } = await imap.command("FETCH 1 BODY[TEXT]");
    const text = untagged.flatMap(({ literals }) => literals).toString();
    return [status.slice(0, 2), text, untagged.some((one) => one.text.includes("\\Seen"))];
  };
  isFull = true;
  try {
    expect(await read()).toEqual(["OK", "Hello.\r\n", false]);
  } finally {
    isFull = false;
  }
  expect(await read()).toEqual(["OK", "Hello.\r\n", true]);
});
