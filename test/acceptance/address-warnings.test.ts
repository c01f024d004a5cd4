/** An address at which the mailbox's last mail failed for good says so in the answer of the next mail to it, and in its dry run: over `/v1`,
 *  MCP and the typed client; on both engines. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openThreeDoors, type ThreeDoors } from "../support/clients/three-doors.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

let server: JsonServer;
let doors: ThreeDoors;
beforeAll(async () => {
  server = await openJsonServer({
    outbound: { smarthostHost: "127.0.0.1" },
    breaker: { enabled: false },
    limits: { sendsPerHour: 0, sendsPerDay: 0 },
  });
  doors = await openThreeDoors(server.url, server.ada.token);
  for (const { address } of [server.ada, server.bob])
    await server.administer("agent.update", { owner: address, holdPolicy: "open" });
});
afterAll(async () => {
  await doors[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

let count = 0;
const mailTo = (...to: string[]) => ({
  body: { to, subject: "Hello", text: `Mail ${++count}.` },
  idempotency_key: `mail-${count}`,
});

type State = "failed" | "relayed" | "delivered";

/** Reports the outcome of everything that is due. */
async function report(state: State, status: string): Promise<void> {
  for (const delivery of await server.deliverQueued())
    await server.outbound.report(
      delivery,
      delivery.recipients.map(({ number }) => ({ number, state, status })),
    );
}

async function fails(address: string, status: string): Promise<void> {
  await server.ada.client.ok("send", mailTo(address));
  await report("failed", status);
}

it.each(["v1", "mcp", "typed"] as const)(
  "is told in the answer, its repeat and the dry run of a mail, a hold and an invitation, by %s",
  async (door) => {
    const address = `full-${door}@far.example`;
    await fails(address, "5.2.2");
    const call = doors[door];
    const asked = mailTo(`Fred <${address.replace("full", "FULL")}>`, "new@far.example");
    const warnings = [{ address: address.replace("full", "FULL"), reason: "mailbox_full" }];
    expect((await call("send", { ...asked, dry_run: true })).warnings).toEqual(warnings);
    const sent = await call("send", asked);
    expect([sent.state, sent.warnings]).toEqual(["queued", warnings]);
    expect(await call("send", asked)).toEqual({ ...sent, replayed: true });
    expect((await call("hold.create", mailTo(address))).warnings).toMatchObject([{ address }]);
    const invited = {
      body: { title: "Call", start: "2027-05-07T10:00:00", duration: "PT1H", participants: [address] },
      invite: "send",
    };
    for (const more of [{ dry_run: true }, {}])
      expect(await call("event.create", { ...invited, ...more })).toMatchObject({
        recipients: [{ address, state: "queued" }],
        warnings: [{ address, reason: "mailbox_full" }],
      });
    await report("relayed", "2.0.0");
  },
);

it("is told of reasons that are of the address alone", async () => {
  const told: Answer = {};
  for (const status of ["5.1.0", "5.2.1", "5.2.2", "5.3.4", "5.4.6", "5.6.0", "5.7.1", "5.0.0"]) {
    const address = `of-${status}@far.example`;
    await fails(address, status);
    told[status] = (await doors.v1("send", { ...mailTo(address), dry_run: true })).warnings?.[0].reason;
  }
  expect(told).toEqual({ "5.1.0": "no_such_mailbox", "5.2.1": "mail_not_accepted", "5.2.2": "mailbox_full" });
});

it("ends when a server accepts a mail to it, and begins again when it fails", async () => {
  const address = "comes-back@far.example";
  const warned = async () =>
    (await doors.v1("send", { ...mailTo(address), dry_run: true })).warnings !== undefined;
  expect(await warned()).toBe(false);
  const states: boolean[] = [];
  for (const [state, status] of [
    ["failed", "5.2.1"],
    ["relayed", "2.0.0"],
    ["failed", "5.2.1"],
    ["failed", "5.7.1"],
    ["delivered", "2.0.0"],
  ] as const) {
    await server.ada.client.ok("send", mailTo(address));
    await report(state, status);
    states.push(await warned());
  }
  expect(states).toEqual([true, false, true, true, false]);
});

it("ends when the operator takes the address off the suppression list", async () => {
  const address = "moved@far.example";
  await fails(address, "5.1.1");
  const refused = await server.ada.client.call("send", mailTo(address));
  expect(refused.body.error.reason).toBe("recipient_suppressed");
  await server.administer("suppression.remove", { account: "first", address });
  expect((await doors.v1("send", { ...mailTo(address), dry_run: true })).warnings).toBeUndefined();
});

it("is of the mailbox's own mail, and for credentials that read all of it", async () => {
  const { ada, bob } = server;
  const address = "gone@far.example";
  await fails(address, "5.2.1");
  const dry = () => ({ ...mailTo(address), dry_run: true });
  expect((await bob.client.ok("send", dry())).warnings).toBeUndefined();
  const sender = await server.token(ada, ["send"]);
  expect((await sender.client.ok("send", dry())).warnings).toBeUndefined();
  // A grant on the other mailbox: what it reads decides.
  const grant = async (more: object) =>
    server.administer("grant.create", { holder: bob.address, target: ada.address, ...more });
  const asBob = async () => (await bob.client.ok("send", { ...dry(), in: ada.id })).warnings;
  await grant({ scopes: ["send"] });
  expect(await asBob()).toBeUndefined();
  await grant({ scopes: ["mail:read"], mailboxes: ["INBOX"] });
  expect(await asBob()).toBeUndefined();
  await grant({ scopes: ["mail:read"] });
  expect(await asBob()).toEqual([{ address, reason: "mail_not_accepted" }]);
});
