/** Operators at the pages: how a session begins, what it may do, and what it shows. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { refusalOf } from "#/protocols/web/operator/operate.ts";
import { rowActs } from "#/protocols/web/operator/tables.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { fieldOf, openBrowser } from "../support/clients/browser.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { openWebhookReceiver } from "../support/servers/webhook-receiver.ts";
import { operatorActs, operatorForms, pathOf } from "./forms.ts";
import { link, operatorCookie, signInOperator } from "./operator-browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

function passTime({ daemon }: PagesHouse, ms: number): void {
  const { clock } = daemon.daemon.house.store;
  const now = clock.now();
  vi.spyOn(clock, "now").mockReturnValue(now + ms);
}

describe("a link for an operator", () => {
  test("is printed by the command line, for one hour, and a GET or a question spends nothing", async () => {
    await using house = await openPagesHouse();
    const printed = await link(house);
    expect(printed.link).toMatch(new RegExp(`^${house.origin}/operator/join#wpl_[0-9a-z]{32}$`));
    const browser = openBrowser(house.origin);
    expect((await browser.get("/operator/join")).status).toBe(200);
    for (const _ of [1, 2]) {
      const asked = await browser.post("/operator/join/options", { link: printed.text });
      expect(asked.status).toBe(200);
      expect(JSON.parse(asked.text).user.name).toBe("jonas (operator)");
    }
    passTime(house, 3_600_001);
    expect((await browser.post("/operator/join/options", { link: printed.text })).status).toBe(400);
  });

  test("without a passkey opens nothing", async () => {
    await using house = await openPagesHouse();
    const printed = await link(house);
    const browser = openBrowser(house.origin);
    for (const assertion of ["", "{}"]) {
      const answer = await browser.post("/operator/join", { link: printed.text, assertion });
      expect([answer.status, browser.cookies.size]).toEqual([403, 0]);
    }
    expect((await browser.post("/operator/join/options", { link: printed.text })).status).toBe(200);
  });

  test("the last one of a name alone can be used, and the name keeps its number and its passkeys", async () => {
    await using house = await openPagesHouse();
    const first = await link(house);
    const second = await link(house);
    expect(second.number).toBe(first.number);
    const browser = openBrowser(house.origin);
    expect((await browser.post("/operator/join/options", { link: first.text })).status).toBe(400);
    expect((await browser.post("/operator/join/options", { link: second.text })).status).toBe(200);
  });

  test("is no operator token, and makes none", async () => {
    await using house = await openPagesHouse();
    const { text } = await link(house);
    const { token } = await signInOperator(house);
    for (const bearer of [text, token, `wpo_${text.slice(4)}`]) {
      const answer = await fetch(`${house.origin}/operator/v1/domain.list`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
        body: "{}",
      });
      expect(answer.status).toBe(401);
    }
    const cookies = await fetch(`${house.origin}/operator/v1/domain.list`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: `${operatorCookie}=${token}` },
      body: "{}",
    });
    expect(cookies.status).toBe(401);
    const { operators } = await house.administer("operator.list", {});
    expect((operators as { signsIn: string }[]).map(({ signsIn }) => signsIn)).toEqual(["at the pages"]);
  });

  test("is not printed where the operator's interface is not on the HTTP ports, and there are no pages", async () => {
    await using house = await openPagesHouse(["operator.served_on=nowhere"]);
    await expect(link(house)).rejects.toMatchObject({ code: "invalid" });
    expect((await openBrowser(house.origin).get("/operator")).status).toBe(404);
  });
});

describe("the session of an operator", () => {
  test("opens the operator's pages and none of a person, and that of a person none of the operator's", async () => {
    await using house = await openPagesHouse();
    const { browser, token } = await signInOperator(house);
    expect((await browser.get("/operator")).status).toBe(200);
    expect(new URL((await browser.get("/approvals")).url).pathname).toBe("/sign-in");
    const person = openBrowser(house.origin);
    await person.post("/sign-in", { ...house.person });
    expect(new URL((await person.get("/operator")).url).pathname).toBe("/operator/sign-in");
    // Under the other's name neither is anything.
    const swapped = openBrowser(house.origin);
    swapped.cookies.set(operatorCookie, person.cookies.get("__Host-waypost")!);
    swapped.cookies.set("__Host-waypost", token);
    expect(new URL((await swapped.get("/operator")).url).pathname).toBe("/operator/sign-in");
    expect(new URL((await swapped.get("/mine")).url).pathname).toBe("/sign-in");
  });

  test("ends when the operator is revoked, and when the time of the operator is over", async () => {
    await using house = await openPagesHouse();
    const { browser, number } = await signInOperator(house);
    await house.administer("operator.revoke", { number });
    expect(new URL((await browser.get("/operator")).url).pathname).toBe("/operator/sign-in");
    const other = await signInOperator(house, { name: "mia", expiresInDays: 1 });
    expect((await other.browser.get("/operator")).status).toBe(200);
    passTime(house, 86_400_001);
    expect(new URL((await other.browser.get("/operator")).url).pathname).toBe("/operator/sign-in");
  });

  test("ends with the sign-out, and others of the operator one by one", async () => {
    await using house = await openPagesHouse();
    const [one, two] = [await signInOperator(house), await signInOperator(house)];
    const page = await one.browser.get("/operator/me");
    const [, action = ""] = /action="(\/operator\/me\/sessions\/\d+\/end)"/.exec(page.text) ?? [];
    await one.browser.post(action, {});
    expect(new URL((await two.browser.get("/operator")).url).pathname).toBe("/operator/sign-in");
    expect((await one.browser.post("/operator/sign-out", {})).text).toContain("You are signed out.");
    const thief = openBrowser(house.origin);
    thief.cookies.set(operatorCookie, one.token);
    expect(new URL((await thief.get("/operator")).url).pathname).toBe("/operator/sign-in");
  });

  test("has no more than the operator's scopes: one who may only read changes nothing with any form", async () => {
    await using house = await openPagesHouse();
    const { browser } = await signInOperator(house, { scopes: ["read"] });
    const { agents } = (await house.administer("agent.list", {})) as { agents: { id: string }[] };
    const fields = {
      domain: "new.example",
      act: "agent.pause",
      value: agents[0]!.id,
      id: "x",
      to: "x.example",
    };
    const before = JSON.stringify([
      await house.administer("agent.list", {}),
      await house.administer("domain.list", {}),
    ]);
    for (const [form, needs] of Object.entries(operatorForms)) {
      if (needs !== "write") continue;
      await browser.post(pathOf(form, ""), fields);
    }
    expect(
      JSON.stringify([await house.administer("agent.list", {}), await house.administer("domain.list", {})]),
    ).toBe(before);
    expect((await browser.get("/operator/accounts")).text).toContain("disabled");
  });

  test("every act is in the audit log with the operator's name, and in the change log as made at the pages", async () => {
    await using house = await openPagesHouse();
    const { browser } = await signInOperator(house);
    const { agents } = (await house.administer("agent.list", {})) as { agents: { id: string }[] };
    const done = await browser.post("/operator/act", {
      act: "agent.pause",
      value: agents[0]!.id,
      back: "/operator/accounts",
    });
    expect(done.text).toContain("Paused: this agent sends nothing");
    const { calls } = (await house.administer("audit.list", {})) as {
      calls: { by: string; operation: string; outcome: string }[];
    };
    expect(calls.filter(({ operation }) => operation === "agent.pause")).toMatchObject([
      { by: "jonas (1)", outcome: "done" },
    ]);
    const { changes } = (await house.administer("log.show", { owner: house.agent.address })) as {
      changes: { by: unknown; door: string }[];
    };
    expect(changes[0]).toMatchObject({ by: { kind: "operator", name: "jonas" }, door: "pages" });
  });

  test("has in a table what each act takes, and does nothing final without a passkey that signs it", async () => {
    await using house = await openPagesHouse();
    const found = [
      ...rowActs.map(({ operation, isFinal }) => [operation, isFinal === true ? "proof" : "session"]),
      ["queue.retry", "session"],
      ["queue.cancel", "proof"],
    ];
    expect(Object.fromEntries(found)).toEqual(operatorActs);
    const { browser, proved } = await signInOperator(house);
    const { store } = house.daemon.daemon.house;
    const live = () =>
      store.get<{ count: number }>(
        `select (select count(*) from token where revoked_at is null)
          + (select count(*) from app_password where revoked_at is null) as count`,
      );
    const before = await live();
    const fields = (act: string) => ({ act, value: "1", back: "/operator/access" });
    const final = Object.keys(operatorActs).filter(
      (act) => operatorActs[act] === "proof" && !act.startsWith("queue"),
    );
    for (const act of final)
      for (const assertion of ["", "{}", (await proved({ ...fields(act), value: "2" })).assertion!]) {
        const refused = await browser.post("/operator/act", { ...fields(act), assertion });
        expect([act, refused.status, refused.text.includes("Nothing was done")]).toEqual([act, 409, true]);
      }
    expect(await live()).toEqual(before);
    const sure = await proved(fields("token.revoke"));
    await browser.post("/operator/act", sure);
    expect((await live())!.count).toBe(before!.count - 1);
    // An answer is for once.
    expect((await browser.post("/operator/act", sure)).status).toBe(409);
  });

  test("deletes an agent with a passkey that signs it, suspends an account, and gives a domain new keys", async () => {
    await using house = await openPagesHouse();
    const { browser, proved } = await signInOperator(house);
    const { agents } = (await house.administer("agent.list", {})) as { agents: { id: string }[] };
    const deletion = { act: "agent.delete", value: agents[0]!.id, back: "/operator/accounts" };
    expect((await browser.get("/operator/accounts")).text).toContain('value="agent.delete"');
    expect((await browser.post("/operator/act", await proved(deletion))).text).toContain(
      "Deleted, with all mail",
    );
    const after = (await house.administer("agent.list", {})) as { agents: { id: string }[] };
    expect(after.agents.map(({ id }) => id)).toEqual(agents.slice(1).map(({ id }) => id));
    const { accounts } = (await house.administer("account.list", {})) as { accounts: { name: string }[] };
    const suspension = { value: accounts[0]!.name, back: "/operator/accounts" };
    await browser.post("/operator/act", { act: "account.suspend", ...suspension });
    expect(await house.administer("account.list", {})).toMatchObject({
      accounts: [{ state: "not_billable" }],
    });
    await browser.post("/operator/act", { act: "account.resume", ...suspension });
    const name = "shop-of-mia.net";
    await house.administer("domain.add", { name, account: accounts[0]!.name });
    expect((await browser.get("/operator/domains")).text).toContain('value="domain.rotate-keys"');
    const rotation = { act: "domain.rotate-keys", value: name, back: "/operator/domains" };
    expect((await browser.post("/operator/act", rotation)).text).toContain("New keys are made");
    const removal = { act: "domain.delete", value: name, back: "/operator/domains" };
    expect((await browser.post("/operator/act", await proved(removal))).text).not.toContain(name);
  });

  test("asks for nothing that no table has, and leads to no other place", async () => {
    await using house = await openPagesHouse();
    const { browser } = await signInOperator(house);
    for (const act of ["token.create", "agent.create", "operator.create", "hold.approve"]) {
      const answer = await browser.post("/operator/act", { act, value: house.agent.address });
      expect([act, new URL(answer.url).pathname, answer.url.includes("done")]).toEqual([
        act,
        "/operator",
        false,
      ]);
    }
    for (const back of ["//evil.example", "https://evil.example/operator", "/approvals"]) {
      const answer = await browser.post("/operator/act", { act: "x", back });
      expect(answer.url).toBe(`${house.origin}/operator`);
    }
  });
});

test("no page of an operator has text of anybody's mail, in English and in German", async () => {
  await using house = await openPagesHouse();
  await house.send({ subject: "Quincunx offer", text: "Marmalade." });
  const { browser } = await signInOperator(house);
  const places = ["", "/domains", "/accounts", "/access", "/queue", "/webhooks", "/trace", "/reports", "/me"];
  for (const place of places) {
    const english = await browser.get(`/operator${place}`);
    const german = await browser.get(`/operator${place}`, { "accept-language": "de" });
    expect([place, english.status, german.status]).toEqual([place, 200, 200]);
    expect(english.text + german.text, place).not.toMatch(/Quincunx|Marmalade/);
    expect(english.text, place).toContain('class="is-operator"');
    expect(german.text, place).toContain('lang="de"');
    expect(english.text.length, place).toBeLessThan(60_000);
  }
});

test("everything of an owner is written to a file of the server, and the page says into which folder", async () => {
  await using house = await openPagesHouse();
  const { browser, proved } = await signInOperator(house);
  const folder = path.join(house.daemon.daemon.house.settings.storage.folder, "exchange");
  const owner = house.agent.address;
  const page = await browser.get(`/operator/access?owner=${encodeURIComponent(owner)}`);
  expect(page.text).toContain(`<code>${folder}</code>`);
  const file = fieldOf(page, "to");
  expect(file).toMatch(/^[\w.@+-]+\.tar\.gz$/);
  const fields = { act: "mail.export", value: owner, to: file, back: new URL(page.url).pathname };
  const bare = await browser.post("/operator/export", fields);
  expect([bare.status, bare.text.includes("asks for your passkey"), fs.existsSync(folder)]).toEqual([
    409,
    true,
    false,
  ]);
  const sure = await proved(fields);
  const other = await browser.post("/operator/export", { ...sure, value: house.person.address });
  expect([other.status, other.text.includes("not accepted for this")]).toEqual([409, true]);
  const done = await browser.post("/operator/export", sure);
  expect([done.status, done.text.includes("The file is written.")]).toEqual([200, true]);
  expect(fs.readdirSync(folder)).toEqual([file]);
  const jobs = await browser.get(`/operator/access?owner=${encodeURIComponent(owner)}`);
  expect(jobs.text).toContain("<code>mail.export</code>");
  const outside = await browser.post("/operator/export", await proved({ ...fields, to: "../own.tar" }));
  expect([outside.status, outside.text.includes("named by letters")]).toEqual([409, true]);
  // Who may only read writes none.
  const reader = await signInOperator(house, { name: "mia", scopes: ["read"] });
  const asked = await reader.proved({ ...fields, to: "mia.tar" });
  expect((await reader.browser.post("/operator/export", asked)).status).toBe(409);
  expect(fs.readdirSync(folder)).toEqual([file]);
});

test("each delivery in the history of a webhook is sent once more by its button", async () => {
  await using sink = await openWebhookReceiver();
  await using house = await openPagesHouse(["webhooks.allow_private_addresses=true"]);
  const { number } = await house.administer("webhook.add", { owner: house.agent.address, url: sink.url });
  await house.send({ subject: "Quincunx offer" });
  await expect.poll(() => sink.requests.length).toBeGreaterThan(0);
  const { browser } = await signInOperator(house);
  const history = `/operator/webhooks?number=${number}`;
  await expect
    .poll(async () => (await browser.get(history)).text.includes('value="webhook.resend"'))
    .toBe(true);
  const page = await browser.get(history);
  const [, message = ""] = /value="(msg_[^"]+)"/.exec(page.text) ?? [];
  const before = sink.requests.length;
  const again = await browser.post("/operator/act", { act: "webhook.resend", value: message, back: history });
  expect(again.text).toContain("The events have arrived once more.");
  const ids = sink.requests.map(({ headers }) => headers["webhook-id"]);
  expect(ids.slice(before)).toContain(message);
  sink.onRequest = (_, response) => void response.writeHead(500).end();
  const lost = await browser.post("/operator/act", { act: "webhook.resend", value: message, back: history });
  expect(lost.status).toBe(409);
  expect(lost.text).toContain("It did not arrive: 500");
  expect(page.text).not.toContain("Quincunx");
});

test("a form shows why an operation was refused, and takes no fault of the server for a refusal", async () => {
  const refusal = new WaypostError("invalid", "No.", { hint: "Ask again." });
  expect(await refusalOf(() => Promise.reject(refusal))).toBe("No. Ask again.");
  for (const fault of [new WaypostError("upstream_unavailable", "Full."), new TypeError("x")])
    await expect(refusalOf(() => Promise.reject(fault))).rejects.toBe(fault);
});

test("a trace tells the way of a mail and no text of it", async () => {
  await using house = await openPagesHouse();
  const hold = await house.send({ subject: "Quincunx offer", text: "Marmalade." });
  const { browser } = await signInOperator(house);
  const page = await browser.get(`/operator/trace?id=${hold}`);
  expect(page.text).toContain("It waits for a decision");
  expect(page.text).toContain("Holds/Waiting");
  expect(page.text).not.toMatch(/Quincunx|Marmalade/);
  const unknown = await browser.get("/operator/trace?id=%3Cb%3Ewhat");
  expect(unknown.text).toContain("Nothing is known about this id");
  expect(unknown.text).not.toContain("<b>what");
});

test("what the server warns of is on the first page, and its certificate; what gets no more mail is with the reports", async () => {
  await using house = await openPagesHouse();
  const { browser } = await signInOperator(house);
  const { conditions, store } = house.daemon.daemon.house;
  expect((await browser.get("/operator")).text).not.toContain("Look after this");
  vi.spyOn(conditions, "standing").mockReturnValue([
    {
      condition: "disk_full",
      subject: "",
      text: "The disk is <b>nearly</b> full.",
      since: store.clock.now(),
    },
  ]);
  const { text } = await browser.get("/operator");
  expect(text).toContain("The disk is &lt;b&gt;nearly&lt;/b&gt; full.");
  expect(text).toMatch(/Certificate<\/dt><dd>until [^<]+ <span class="state is-warn">self-signed/);
  expect((await browser.get("/operator/reports")).text).toContain("Addresses that get no more mail");
});

test("a new server's first page has the five steps, and a check goes on from there", async () => {
  await using house = await openPagesHouse();
  const { browser } = await signInOperator(house);
  const first = await browser.get("/operator");
  expect(first.text.match(/<li class="step/g)).toHaveLength(5);
  expect(first.text).toContain("waypost setup --domain example.org");
  await house.administer("domain.add", { name: "nordhafen.net" });
  const second = await browser.get("/operator");
  expect(second.text).toContain('action="/operator/domains/nordhafen.net/check"');
});

test("the queue is by destination with the last answer, and a mail or a destination is retried or given up", async () => {
  await using sink = await startSink({ onRecipient: () => ({ code: 450, text: "4.2.1 <b>busy</b>" }) });
  await using house = await openPagesHouse([
    "outbound.smarthost_host=127.0.0.1",
    `outbound.smarthost_port=${sink.port}`,
    "outbound.smarthost_tls=none",
  ]);
  await house.administer("agent.update", { owner: house.agent.address, holdPolicy: "open" });
  for (const to of ["a@far.example", "b@far.example", "c@near.example"])
    await house.client.ok("send", { body: { to: [to], subject: "Quincunx", text: "Marmalade." } });
  const { browser, proved } = await signInOperator(house);
  await expect
    .poll(async () => (await browser.get("/operator/queue")).text.match(/&lt;b&gt;busy/g)?.length)
    .toBe(2);
  const page = await browser.get("/operator/queue?to=far.example");
  expect(page.text).toContain("3 mails are on their way out");
  expect(page.text).toMatch(/b@far\.example/);
  expect(page.text).not.toMatch(/Quincunx|Marmalade|<b>busy/);
  const [, id = ""] = /name="id" value="(\w+)"/.exec(page.text) ?? [];
  expect((await browser.get(`/operator/trace?id=${id}`)).text).toContain("It is on its way");
  expect((await browser.post("/operator/queue", { id, act: "retry" })).text).toContain("tried again now");
  const bare = await browser.post("/operator/queue", { to: "far.example", act: "cancel" });
  expect([bare.status, bare.text.includes("asks for your passkey")]).toEqual([409, true]);
  expect((await browser.get("/operator/queue")).text).toContain("3 mails are on their way out");
  const sure = await proved({ to: "far.example", act: "cancel" });
  const other = await browser.post("/operator/queue", { ...sure, to: "near.example" });
  expect([other.status, other.text.includes("not accepted for this")]).toEqual([409, true]);
  await browser.post("/operator/queue", sure);
  expect((await browser.get("/operator/queue")).text).toContain("One mail is on its way out");
  expect((await browser.get(`/operator/trace?id=${id}`)).text).toContain("on its way no more");
  const gone = await browser.post("/operator/queue", { id, act: "retry" });
  expect([gone.status, gone.text.includes("finished or scheduled")]).toEqual([409, true]);
});

test("all mail to a destination is given up, also where that is more calls than the rate of an operator", async () => {
  await using sink = await startSink({ onRecipient: () => ({ code: 450, text: "4.2.1 busy" }) });
  await using house = await openPagesHouse([
    "outbound.smarthost_host=127.0.0.1",
    `outbound.smarthost_port=${sink.port}`,
    "outbound.smarthost_tls=none",
    "limits.requests_burst=3",
    "limits.requests_per_second=20",
  ]);
  await house.administer("agent.update", { owner: house.agent.address, holdPolicy: "open" });
  for (let at = 0; at < 8; ) {
    const body = { to: [`a${at}@far.example`], subject: "Quincunx", text: "Marmalade." };
    if ((await house.client.call("send", { body })).status === 200) at++;
  }
  const { browser, proved } = await signInOperator(house);
  const sure = await proved({ to: "far.example", act: "cancel" });
  expect((await browser.post("/operator/queue", sure)).status).toBe(200);
  expect(await house.administer("queue.list", {})).toEqual({ mails: [] });
  // Several pages at once.
  const pages = await Promise.all(Array.from({ length: 5 }, () => browser.get("/operator/queue")));
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});
