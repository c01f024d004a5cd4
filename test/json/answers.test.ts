/** Answers to invitations with a reason, participants as recipients of mail are written, times with and without a zone, and whose a
 *  shared addressbook is: over `/v1`, MCP and the typed client. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { doorNames, openThreeDoors, type ThreeDoors } from "../support/clients/three-doors.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

let server: JsonServer;
let doors: ThreeDoors;
beforeAll(async () => {
  server = await openJsonServer({ outbound: { smarthostHost: "127.0.0.1" } });
  doors = await openThreeDoors(server.url, server.ada.token);
});
afterAll(async () => {
  await doors[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const participantsOf = async (client: Answer, id: string): Promise<Answer[]> =>
  Object.values((await client.ok("part.describe", { id })).content.event.participants);

it.each(doorNames)("declines with a reason that the organizer reads, by %s", async (door) => {
  const { ada, bob } = server;
  const invited = await bob.client.ok("event.create", {
    body: {
      title: `Audit ${door}`,
      start: "2027-05-03T10:00:00",
      timeZone: "Etc/UTC",
      duration: "PT1H",
      participants: [ada.address],
    },
    invite: "send",
  });
  const { items } = (await ada.client.ok("calendarMonth.list", { month: "2027-05" })).content;
  const event = items.find(({ title }: Answer) => title === `Audit ${door}`);
  const comment = `The machine is "serviced", ä, then\nby ${door}.`;
  await doors[door]("event.update", {
    id: event.id,
    version: event.version,
    patch: {
      "participants/me/participationStatus": "declined",
      "participants/me/participationComment": comment,
    },
  });
  const told = (await participantsOf(bob.client, invited.ref)).find(({ calendarAddress }) =>
    calendarAddress.includes(ada.address),
  );
  expect(told).toMatchObject({ participationStatus: "declined", participationComment: comment });
  const own = (await participantsOf(ada.client, event.id)).find(({ calendarAddress }) =>
    calendarAddress.includes(ada.address),
  );
  expect(own.participationComment).toBe(comment);
});

it("takes a comment of 1000 characters, and no longer one", async () => {
  const { ada, bob } = server;
  await bob.client.ok("event.create", {
    body: { title: "Long", start: "2027-05-04T10:00:00", duration: "PT1H", participants: [ada.address] },
    invite: "send",
  });
  const { items } = (await ada.client.ok("calendarMonth.list", { month: "2027-05" })).content;
  const { id, version } = items.find(({ title }: Answer) => title === "Long");
  const answer = (length: number) =>
    ada.client.call("event.update", {
      id,
      version,
      patch: { "participants/me/participationComment": "x".repeat(length) },
    });
  expect((await answer(1001)).status).toBe(400);
  expect((await answer(1000)).status).toBe(200);
});

it.each([
  [["Ann <ann@example.com>", "bob@example.com"]],
  [[{ name: "Ann", address: "ann@example.com" }, "bob@example.com"]],
  [{ a: '"Ann" <ann@example.com>', b: { address: "bob@example.com" } }],
  [[{ name: "Ann", calendarAddress: "mailto:ann@example.com" }, "mailto:bob@example.com"]],
])("takes participants as recipients of mail are written: %j", async (participants) => {
  for (const door of doorNames) {
    const { ref } = await doors[door]("event.create", {
      body: { title: `Review ${door}`, start: "2027-05-05T10:00:00", duration: "PT1H", participants },
    });
    const shown = await participantsOf(server.ada.client, ref);
    expect(shown.map(({ name, calendarAddress }) => [name, calendarAddress])).toEqual([
      ["Ann", "mailto:ann@example.com"],
      [undefined, "mailto:bob@example.com"],
    ]);
  }
});

it.each(doorNames)("says of each recipient of an invitation what became of it, by %s", async (door) => {
  const { ada, bob } = server;
  await server.administer("agent.update", { owner: ada.address, block: ["blocked.example"] });
  const asked = {
    body: {
      title: `Meeting ${door}`,
      start: "2027-05-06T10:00:00",
      duration: "PT1H",
      participants: [bob.address, "mel@far.example", "eve@blocked.example"],
    },
    invite: "send",
  };
  const dry = await doors[door]("event.create", { ...asked, dry_run: true });
  const made = await doors[door]("event.create", asked);
  expect(made.scheduling).toBe("held");
  const [here, waits, blocked] = made.recipients;
  expect(here).toEqual({ address: bob.address, state: "delivered" });
  expect(waits).toEqual({
    address: "mel@far.example",
    state: "held",
    reason: "invitation",
    hold: expect.stringMatching(/^hold_/),
  });
  expect(blocked).toEqual({
    address: "eve@blocked.example",
    state: "refused",
    reason: "recipient_blocked",
  });
  const hold = (await ada.client.ok("part.describe", { id: waits.hold })).content;
  expect([hold.state, hold.reason, hold.recipients]).toEqual(["waiting", waits.reason, ["mel@far.example"]]);
  const { hold: _, ...unheld } = waits;
  expect(dry.recipients).toEqual([here, unheld, blocked]);
  const taken = await doors[door]("event.delete", { id: made.ref, version: made.version, invite: "send" });
  expect(taken.recipients).toContainEqual({ address: "mel@far.example", state: "cancelled" });
});

it.each(doorNames)("says of an invitation that leaves that it is queued, by %s", async (door) => {
  const { ada } = server;
  await server.administer("agent.update", { owner: ada.address, holdPolicy: "open" });
  const { scheduling, recipients } = await doors[door]("event.create", {
    body: {
      title: "Call",
      start: "2027-05-07T10:00:00",
      duration: "PT1H",
      participants: ["mel@far.example"],
    },
    invite: "send",
  });
  await server.administer("agent.update", { owner: ada.address, holdPolicy: "first_contact" });
  expect([scheduling, recipients]).toEqual(["sent", [{ address: "mel@far.example", state: "queued" }]]);
});

it.each(doorNames)("forwards one file of a mail without the mail, by %s", async (door) => {
  const { ada, bob } = server;
  const subject = `Certificate ${door}`;
  const { ref: blob } = await bob.client.ok("blob.create", {
    data: Buffer.from("The house may print.").toString("base64"),
    type: "text/plain",
    name: "trade certificate 2026.txt",
  });
  await bob.client.ok("send", {
    body: { to: [ada.address], subject, text: "My notes are for you only.", attachments: [{ blob }] },
  });
  await server.deliverQueued();
  const find = async (client: Answer) =>
    (await client.ok("search", { folder: "inbox", limit: 100 })).content.items.find(
      (one: Answer) => one.subject === subject || one.subject === `Fwd ${door}`,
    );
  const item = await find(ada.client);
  const [file] = item.attachments;
  const sent = await doors[door]("send", {
    body: {
      to: [bob.address],
      subject: `Fwd ${door}`,
      text: "The certificate.",
      attachments: [{ part: `${item.id}#${file.part}` }],
    },
    idempotency_key: `forward-${door}`,
  });
  expect(sent.state).toBe("queued");
  await server.deliverQueued();
  const got = await bob.client.ok("part.describe", { id: (await find(bob.client)).id });
  const named = got.content.parts.filter(({ name }: Answer) => name !== undefined);
  expect(named.map(({ name }: Answer) => name)).toEqual(["trade certificate 2026.txt"]);
  expect(got.text).not.toContain("for you only");
  const help = JSON.stringify(await doors[door]("help.describe", { operation: "send" }));
  expect(help).toContain("without the mail");
});

it.each(doorNames)("takes times with and without a zone, by %s", async (door) => {
  const client = { ok: doors[door] };
  const read = async (id: string) => {
    const { start, timeZone } = (await server.ada.client.ok("part.describe", { id })).content.event;
    return [start, timeZone];
  };
  const create = (body: object) =>
    client.ok("event.create", { body: { title: "T", duration: "PT1H", ...body } });
  const utc = await create({ start: "2027-07-01T08:00:00Z" });
  expect(await read(utc.ref)).toEqual(["2027-07-01T08:00:00", "Etc/UTC"]);
  const berlin = await create({ start: "2027-07-01T08:00:00Z", timeZone: "Europe/Berlin" });
  expect(await read(berlin.ref)).toEqual(["2027-07-01T10:00:00", "Europe/Berlin"]);
  // Of two hours that its clock shows alike it can say the first alone.
  const night = { start: "2027-10-31T00:30:00Z", timeZone: "Europe/Berlin" };
  expect(await read((await create(night)).ref)).toEqual(["2027-10-31T02:30:00", "Europe/Berlin"]);
  await expect(create({ ...night, start: "2027-10-31T01:30:00Z" })).rejects.toThrow(
    "A time that the event's clock shows once",
  );
  const moved = await client.ok("event.update", {
    id: berlin.ref,
    version: berlin.version,
    patch: { start: "2027-12-01T08:00:00-05:00" },
  });
  expect(await read(moved.ref)).toEqual(["2027-12-01T14:00:00", "Europe/Berlin"]);
  const sent = await client.ok("send", {
    body: { to: [server.bob.address], subject: "Later", text: "Hello." },
    send_at: new Date(server.clock.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, ""),
  });
  expect(sent.state).toBe("scheduled");
  const listed = async (input: object) => (await client.ok("search", input)).content.items.length;
  const day = new Date(server.clock.now() + 86_400_000).toISOString();
  for (const before of [day, day.replace(/\.\d+Z$/, "")])
    expect(await listed({ before, limit: 100 })).toBeGreaterThan(0);
  expect(await listed({ since: day.replace(/\.\d+Z$/, "") })).toBe(0);
  const { calendars } = (await server.ada.client.ok("part.describe", { id: server.ada.id })).content;
  const spans = [
    { since: "2027-07-01T00:00:00", before: "2027-07-02T00:00:00" },
    { since: "2027-07-01T00:00:00Z", before: "2027-07-02T00:00:00Z" },
  ];
  for (const span of spans) {
    expect(await listed({ in: calendars[0].id, ...span })).toBeGreaterThan(0);
    expect(await listed({ kind: "freebusy", ...span })).toBeGreaterThan(0);
    expect(await listed({ kind: "freetime", duration: "PT1H", ...span })).toBeGreaterThan(0);
  }
});

it("says whose addressbooks of one name are", async () => {
  const { ada, bob } = server;
  await server.administer("grant.create", {
    holder: ada.address,
    target: bob.address,
    scopes: ["contacts"],
  });
  const { addressbooks } = (await ada.client.ok("part.describe", { id: ada.id })).content;
  for (const door of doorNames) {
    const told = (await doors[door]("part.describe", { id: ada.id })).content.addressbooks;
    expect(told.map(({ name, owner }: Answer) => [name, owner?.address])).toEqual([
      [addressbooks[0].name, undefined],
      [addressbooks[0].name, bob.address],
    ]);
  }
  const { ref } = await ada.client.ok("contact.create", {
    in: addressbooks[1].id,
    body: { name: "Bindery", emails: ["office@binders.example"] },
  });
  expect((await bob.client.ok("part.describe", { id: ref })).content.card.name.full).toBe("Bindery");
});

it("names every address that has failed for good before, in each client", async () => {
  const { ada } = server;
  const to = ["gone@far.example", "left@far.example"];
  await server.administer("agent.update", { owner: ada.address, holdPolicy: "open" });
  const body = { to, subject: "Hello", text: "Hello." };
  await ada.client.ok("send", { body, idempotency_key: "first" });
  const due = await server.deliverQueued();
  for (const delivery of due)
    await server.outbound.report(
      delivery,
      delivery.recipients.map(({ number }) => ({ number, state: "failed", status: "5.1.1" })),
    );
  const asked = (key: string) => ({
    body: { ...body, to: [...to, "new@far.example"] },
    idempotency_key: key,
  });
  for (const door of doorNames)
    await expect(doors[door]("send", asked(door))).rejects.toThrow(
      `Mail to ${to.join(", ")} has failed for good before.`,
    );
});
