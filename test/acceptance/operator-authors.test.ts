/** Each operation of an operator that changes something, at the command line and over HTTP: the log of the mailbox, or the log of access,
 *  names the operator, the door and the request. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { exchangeFolder } from "#/src/accounts/administration/exchange.ts";
import { administer, administrationOperations } from "#/src/accounts/administration/operations.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { changeRows } from "../support/engine.ts";
import { eventText } from "../support/item-texts.ts";

let server: InProcessDaemon;
let operator: { readonly token: string; readonly number: number };
beforeAll(async () => {
  server = await startInProcessDaemon({
    set: [
      "outbound.smarthost_host=127.0.0.1",
      "outbound.smarthost_port=1",
      "webhooks.allow_private_addresses=true",
      "server.public_url=https://mail.example",
      "operator.served_on=http",
      "dns.servers=none",
      "log.level=silent",
    ],
  });
  operator = (await locally("operator.create", { name: "platform" })).answer as typeof operator;
});
afterAll(() => server[Symbol.asyncDispose]());

type Answer = Readonly<Record<string, unknown>>;
interface Answered {
  readonly answer: Answer;
  readonly request: string | undefined;
}
type Call = (operation: string, input: object) => Promise<Answered>;
type DoorName = "command" | "operator";

async function locally(operation: string, input: object): Promise<Answered> {
  const answer = await runPrivateOperation(server.daemon.house, {
    ...{ operation, input: input as Record<string, unknown>, signal: new AbortController().signal },
    onProgress() {},
    onFrame() {},
  });
  return { answer: answer as Answer, request: undefined };
}

async function overHttp(operation: string, input: object): Promise<Answered> {
  const { status, body, headers } = await httpClient(server.http.url, operator.token).request(
    `/operator/v1/${operation}`,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(input),
    },
  );
  expect([operation, status, body]).toEqual([operation, expect.toBeOneOf([200, 202]), body]);
  // On a busy machine it is a job that goes on: its changes are not those of the next operation.
  if (status === 202)
    await expect
      .poll(() => locally("job.show", { number: body.job }))
      .toMatchObject({ answer: { state: "done" } });
  return { answer: body, request: headers.get("x-request-id") ?? undefined };
}

/** What earlier steps at the same door have answered, by their names. */
type Made = Readonly<Record<string, Answer>>;
interface Scene {
  readonly door: DoorName;
  readonly made: Made;
  /** The address of the agent or person that the steps make. */
  readonly agent: string;
  readonly person: string;
}
type Step = (scene: Scene) => object | Promise<object>;

const ofAgent: Step = ({ agent }) => ({ owner: agent });
const ofPerson: Step = ({ person }) => ({ owner: person });
const aliasOf = ({ door }: Scene) => `other-${door}@waypost.test`;
const numberOf =
  (name: string): Step =>
  ({ made }) => ({ number: made[name]!.number });

/** A mail of the agent that the steps make, by which it is named. */
async function send({ made }: Scene, more: object): Promise<Answer> {
  const body = { to: ["lee@elsewhere.example"], subject: "s", text: "t" };
  return httpClient(server.http.url, String(made["agent.create"]!.token)).ok("send", { body, ...more });
}

async function held(scene: Scene): Promise<object> {
  return { hold: (await send(scene, { hold: "always" })).hold };
}

/** A mail at whose only server nobody hears: it was tried once. */
async function tried(scene: Scene): Promise<object> {
  const { ref: id } = await send(scene, {});
  await vi.waitFor(
    async () => {
      const { recipients } = (await locally("queue.show", { id })).answer as {
        recipients: { attempts: number; nextAttemptAt: string | null }[];
      };
      expect(recipients[0]).toMatchObject({ attempts: 1, nextAttemptAt: expect.any(String) });
    },
    { timeout: 60_000, interval: 100 },
  );
  return { id };
}

async function suppressed({ door }: Scene): Promise<object> {
  const { storage } = server.daemon.house.settings;
  const { account } = (await server.daemon.house.store.get<{ account: number }>(
    "select account_id as account from account where name = ?",
    door,
  ))!;
  await changeRows(
    { folder: storage.folder, ...(storage.url === "" ? {} : { database: { url: storage.url } }) },
    `insert into suppression (account_id, address, reason, created_at) values (${account}, 'gone@far.example', 'failed', 0)`,
  );
  return { address: "gone@far.example", account: door };
}

/** A file that an operator names at the door. */
function fileOf({ door }: Scene, name: string, text: string): string {
  const folder = exchangeFolder(server.daemon.house.settings);
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${door}-${name}`);
  fs.writeFileSync(file, text);
  return door === "command" ? file : path.basename(file);
}

/** Every operation that changes something, in an order in which each finds what it names; or why it leaves no author. */
const steps: Readonly<Record<string, Step | string>> = {
  "account.create": ({ door }) => ({ name: door }),
  "account.suspend": ({ door }) => ({ name: door }),
  "account.resume": ({ door }) => ({ name: door }),
  "domain.add": ({ door }) => ({ name: `${door}.waypost-own.net`, account: door }),
  "domain.rotate-keys": ({ door }) => ({ name: `${door}.waypost-own.net` }),
  "domain.delete": ({ door }) => ({ name: `${door}.waypost-own.net` }),
  "agent.create": ({ agent }) => ({ address: agent, holdPolicy: "open" }),
  "agent.update": ({ agent }) => ({ owner: agent, name: "Other" }),
  "agent.pause": ofAgent,
  "agent.resume": ofAgent,
  "agent.alias": (scene) => ({ owner: scene.agent, address: aliasOf(scene) }),
  "agent.unalias": (scene) => ({ owner: scene.agent, address: aliasOf(scene) }),
  "person.create": ({ person }) => ({ address: person }),
  "person.update": ({ person }) => ({ owner: person, name: "Other" }),
  "person.pause": ofPerson,
  "person.resume": ofPerson,
  "person.alias": (scene) => ({ owner: scene.person, address: aliasOf(scene) }),
  "person.unalias": (scene) => ({ owner: scene.person, address: aliasOf(scene) }),
  "person.invite": ofPerson,
  "token.create": ({ agent }) => ({ agent }),
  "token.revoke": numberOf("token.create"),
  "password.create": ofAgent,
  "password.revoke": numberOf("password.create"),
  "grant.create": ({ agent, person }) => ({ holder: person, target: agent }),
  "grant.revoke": numberOf("grant.create"),
  "hold.approve": held,
  "hold.wait": ({ made }) => ({ hold: made["hold.approve"]!.id }),
  "hold.decline": ({ made }) => ({ hold: made["hold.approve"]!.id }),
  "queue.retry": tried,
  "queue.cancel": async (scene) => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    return { id: (await send(scene, { send_at: sendAt })).ref };
  },
  "suppression.remove": suppressed,
  "webhook.add": ({ agent }) => ({ owner: agent, url: "https://127.0.0.1:1/" }),
  "webhook.resume": numberOf("webhook.add"),
  "webhook.remove": numberOf("webhook.add"),
  "webhook.test": "it sends what no mailbox has",
  "webhook.resend": "it sends once more what was sent",
  "job.cancel": "jobs are in memory; what one has stored has its author",
  "collection.import": (scene) => ({
    owner: scene.agent,
    file: fileOf(scene, "own.ics", eventText("own", "SUMMARY:Own").toString()),
  }),
  "mail.import": (scene) => ({
    owner: scene.agent,
    file: fileOf(scene, "own.mbox", "From x@y Mon Jan  1 00:00:00 2026\nSubject: Own\n\nOwn\n"),
  }),
  "operator.create": () => ({ name: "another" }),
  "operator.revoke": numberOf("operator.create"),
  "operator.sign-in": () => ({ name: "somebody" }),
  "agent.delete": ofAgent,
  "person.delete": ofPerson,
};

it("are all that there are", () => {
  const writing = administrationOperations.filter(({ isRead }) => !isRead).map(({ name }) => name);
  expect(Object.keys(steps).sort()).toEqual(writing.sort());
});

interface Shown {
  readonly position: number;
  readonly by: { readonly kind: string; readonly credential?: number };
  readonly door?: string;
  readonly request?: string;
}

/** The newest changes that an operator has made, of the log of access and of the logs of these owners. */
async function changesOf(owners: readonly string[]): Promise<ReadonlyMap<string, Shown>> {
  const show = async (log: string, input: object) => {
    const answer = await administer(atCommandLine, server.daemon.house, log, { by: "operator", ...input });
    return (answer as { changes: readonly Shown[] }).changes;
  };
  const access = await show("log.access", {});
  const rows = access.map((row): [string, Shown] => [`access ${row.position}`, row]);
  for (const owner of owners) {
    const own = await show("log.show", { owner }).catch(() => []);
    rows.push(...own.map((row): [string, Shown] => [`${owner} ${row.position}`, row]));
  }
  return new Map(rows);
}

describe.each([
  ["command", locally],
  ["operator", overHttp],
] as readonly (readonly [DoorName, Call])[])("at the door %s", (door, call) => {
  const made: Record<string, Answer> = {};
  const scene = { door, made, agent: `agent-${door}@waypost.test`, person: `person-${door}@waypost.test` };
  const here = administrationOperations.filter(({ isLocal }) => door === "command" || !isLocal);
  const tried = Object.entries(steps).flatMap(([name, step]) =>
    typeof step !== "string" && here.some((one) => one.name === name) ? [[name, step] as const] : [],
  );

  it.each(tried)("%s", async (name, step) => {
    const input = await step(scene);
    const owners = [scene.agent, scene.person];
    const before = await changesOf(owners);
    const { answer, request } = await call(name, input);
    made[name] = answer;
    const added = await vi.waitFor(
      async () => {
        const rows = [...(await changesOf(owners))].filter(([key]) => !before.has(key));
        expect(rows.length).toBeGreaterThan(0);
        return rows.map(([, row]) => row);
      },
      { timeout: 60_000, interval: 50 },
    );
    for (const row of added)
      if (door === "command") expect(row).toMatchObject({ by: { kind: "operator" }, door });
      else expect(row).toMatchObject({ by: { credential: operator.number }, door, request });
  });
});
