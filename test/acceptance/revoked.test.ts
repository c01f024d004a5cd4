/** A credential that is revoked is refused at once by every door, also where it was in use just before: what the daemon keeps in memory
 *  of access (`src/accounts/access.ts`) lets nobody in. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

let server: InProcessDaemon;
/** Of the pages. */
let origin: string;
beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = await startInProcessDaemon({ set: [...manyRequests, `http.port=${port}`] });
});
afterAll(() => server[Symbol.asyncDispose]());

const agent = () => server.agents[0]!;
const person = () => server.people[0]!;
const run = async (name: string, input: Record<string, unknown>) =>
  (await administer(atCommandLine, server.daemon.house, name, input)) as Record<string, unknown>;

interface Credential {
  readonly address: string;
  readonly secret: string;
  end(): Promise<unknown>;
}

async function makeToken(): Promise<Credential> {
  const { address } = agent();
  const scopes = ["mail", "send", "calendar", "contacts"];
  const { token, number } = await run("token.create", { agent: address, scopes, name: "revoked" });
  return { address, secret: token as string, end: () => run("token.revoke", { number }) };
}

async function makePassword(): Promise<Credential> {
  const { address } = agent();
  const { password, number } = await run("password.create", { owner: address, name: "revoked" });
  return { address, secret: password as string, end: () => run("password.revoke", { number }) };
}

/** An agent of its own, which is deleted. */
async function makeAgent(): Promise<Credential> {
  const name = `gone${made++}`;
  const address = `${name}@${agent().address.split("@")[1]}`;
  const { token } = await run("agent.create", { address, name });
  return { address, secret: token as string, end: () => run("agent.delete", { owner: address }) };
}
let made = 0;

/** Uses a credential again and again in what one client has open; answers whether it was accepted. */
type Use = AsyncDisposable & { readonly accepts: () => Promise<boolean> };

const nothing = { async [Symbol.asyncDispose]() {} };

const doors: Readonly<Record<string, (credential: Credential) => Promise<Use>>> = {
  async v1({ secret }) {
    const client = httpClient(server.http.url, secret);
    return { ...nothing, accepts: async () => (await client.call("health")).status === 200 };
  },
  async mcp({ secret }) {
    const accepts = async () => {
      const { status } = await fetch(`${server.http.url}/mcp`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${secret}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "health", arguments: {} },
        }),
      });
      return status === 200;
    };
    return { ...nothing, accepts };
  },
  async imap({ address, secret }) {
    const imap = await connectRawImap(server.imap);
    const login = await imap.command(`LOGIN ${address} ${secret}`);
    expect(login.status).toMatch(/^OK/);
    await imap.command("SELECT INBOX");
    const accepts = async () =>
      imap.command("NOOP").then(
        ({ status }) => status.startsWith("OK"),
        () => false,
      );
    return { accepts, [Symbol.asyncDispose]: () => imap[Symbol.asyncDispose]() };
  },
  async "a new login of IMAP"({ address, secret }) {
    const accepts = async () => {
      await using imap = await connectRawImap(server.imap);
      return (await imap.command(`LOGIN ${address} ${secret}`)).status.startsWith("OK");
    };
    return { ...nothing, accepts };
  },
  async dav({ address, secret }) {
    const client = davClient(server.http.url, basic(address, secret));
    const accepts = async () =>
      (await client.request("PROPFIND", "/dav/", undefined, { Depth: "0" })).status < 300;
    return { ...nothing, accepts };
  },
  async submission({ address, secret }) {
    const smtp = await connectRawSmtp({ port: server.submission.port });
    await smtp.command("EHLO client.example");
    await smtp.command("STARTTLS");
    await smtp.secure();
    await smtp.command("EHLO client.example");
    const plain = Buffer.from(`\0${address}\0${secret}`).toString("base64");
    expect(await smtp.command(`AUTH PLAIN ${plain}`)).toMatch(/^235/);
    const accepts = async () => {
      const reply = await smtp.command(`MAIL FROM:<${address}>`);
      if (reply.startsWith("250")) await smtp.command("RSET");
      return reply.startsWith("250");
    };
    return { accepts, [Symbol.asyncDispose]: () => smtp[Symbol.asyncDispose]() };
  },
};

const onlyTokens = new Set(["v1", "mcp"]);

const rows = Object.keys(doors).flatMap((door) =>
  (
    [
      ["a token", makeToken],
      ["a password", makePassword],
      ["a token of a deleted agent", makeAgent],
    ] as const
  )
    .filter(([, make]) => make !== makePassword || !onlyTokens.has(door))
    .map(([what, make]) => [what, door, make] as const),
);

it.each(rows)("%s, at %s", async (_what, door, make) => {
  const credential = await make();
  await using use = await doors[door]!(credential);
  expect([await use.accepts(), await use.accepts()]).toEqual([true, true]);
  await credential.end();
  expect(await use.accepts()).toBe(false);
});

it.each([
  ["a token", makeToken],
  ["a token of a deleted agent", makeAgent],
] as const)("%s, in an open stream of events, which ends", async (_what, make) => {
  const credential = await make();
  await using stream = await httpClient(server.http.url, credential.secret).watch();
  expect(stream.status).toBe(200);
  await credential.end();
  let last: string | undefined;
  for (let frame = await stream.next(); frame !== undefined; frame = await stream.next())
    last = frame.data?.error?.code ?? last;
  expect(last).toBe("unauthorized");
});

it("a session of the pages", async () => {
  const browser = openBrowser(origin);
  await browser.post("/sign-in", { address: person().address, password: person().password });
  const isIn = async () => {
    const { status, url } = await browser.get("/mine");
    return status === 200 && url.endsWith("/mine");
  };
  expect([await isIn(), await isIn()]).toEqual([true, true]);
  const { store, accounts } = server.daemon.house;
  const { agent: owner } = (await accounts.findOwner(person().address))!;
  await store.write(atCommandLine, "endPageSessions", { agent: owner, at: store.clock.now() });
  expect(await isIn()).toBe(false);
});

it("a grant", async () => {
  const other = await makeAgent();
  const { number } = await run("grant.create", {
    holder: other.address,
    target: agent().address,
    scopes: ["mail:read"],
  });
  const reader = httpClient(server.http.url, other.secret);
  const reads = async () => (await reader.call("part.describe", { id: agent().id })).status === 200;
  expect([await reads(), await reads()]).toEqual([true, true]);
  await run("grant.revoke", { number });
  expect(await reads()).toBe(false);
});

it("a paused agent, at submission", async () => {
  const credential = await makePassword();
  await using use = await doors.submission!(credential);
  expect(await use.accepts()).toBe(true);
  await run("agent.pause", { owner: credential.address });
  expect(await use.accepts()).toBe(false);
  await run("agent.resume", { owner: credential.address });
  expect(await use.accepts()).toBe(true);
});
