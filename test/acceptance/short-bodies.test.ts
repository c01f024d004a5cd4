/** What is announced and does not come whole is neither stored nor answered as whole, at any door: a body of HTTP that ends before its
 *  length, or whose last piece is missing, a literal of IMAP, a message of SMTP. What came of it would be complete in itself. The rows are
 *  the operations, methods, routes and commands as they are declared. */
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { remoteOperations } from "#/src/accounts/administration/operator-door.ts";
import { generateSessionToken, hashToken } from "#/src/accounts/secrets.ts";
import { server } from "#/src/model/author.ts";
import { schema, type TableName } from "#/storage/schema/schema.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { manyRequests } from "../support/daemon.ts";
import { davRequests, operationInputs } from "../support/every-verb.ts";
import { makeSoftPasskey } from "../support/soft-passkey.ts";
import { forms, operatorForms, pathOf, wanted } from "../web/forms.ts";
import { openPagesHouse, type PagesHouse } from "../web/pages-house.ts";

let house: PagesHouse;
let operator: string;
let cookie: string;
let operatorCookie: string;
/** Default collections, below `/dav/`. */
let calendar: string;
let addressbook: string;
beforeAll(async () => {
  house = await openPagesHouse([...manyRequests, "limits.login_failures_per_network=1000000"]);
  ({ token: operator } = (await house.administer("operator.create", { name: "x" })) as { token: string });
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  operatorCookie = await signInOperator();
  const { store, collections } = house.daemon.daemon.house;
  const { agent } = store.ids.decode(id())!;
  const hrefOf = async (kind: "calendar" | "addressbook") => {
    const { number } = (await collections.findCollectionOfRole(agent, kind, "default"))!;
    return `${kind}s/${id()}/${store.ids.encode(kind, agent, number)}`;
  };
  [calendar, addressbook] = [await hrefOf("calendar"), await hrefOf("addressbook")];
});
afterAll(() => house[Symbol.asyncDispose]());

/** The cookie of an operator at the pages. */
async function signInOperator(): Promise<string> {
  const { store } = house.daemon.daemon.house;
  const { link } = await house.administer("operator.sign-in", { name: "jonas" });
  const token = generateSessionToken();
  const { credential, publicKey } = makeSoftPasskey();
  await store.write(server, "useOperatorLink", {
    hash: hashToken(String(link).split("#")[1]!),
    session: { hash: hashToken(token), device: "Firefox", network: "loopback", proof: "invitation" },
    passkey: {
      ...{ credential, publicKey, signCount: 0, transports: [], host: "localhost", name: "Firefox" },
      challenge: { nonce: credential, expiresAt: store.clock.now() + 1000 },
    },
    at: store.clock.now(),
  });
  return `__Host-waypost-operator=${token}`;
}

interface Request {
  readonly line: string;
  readonly fields: readonly string[];
  readonly body: string;
}

const id = () => house.daemon.agents[0]!.id;
const basic = () =>
  `Authorization: Basic ${Buffer.from(`${house.agent.address}:${house.agent.password}`).toString("base64")}`;
const bearer = () => [`Authorization: Bearer ${house.agent.token}`, "Content-Type: application/json"];
const form = new URLSearchParams(wanted).toString();
const ofForm = ["Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin"];

const event =
  "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:x\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
const card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:x\r\nFN:x\r\nN:x;;;;\r\nEND:VCARD\r\n";

const puts = (): readonly Request[] =>
  [
    [`${calendar}/short.ics`, "text/calendar", event],
    [`${addressbook}/short.vcf`, "text/vcard", card],
    [`files/${id()}/short.txt`, "text/plain", "All of it."],
  ].map(([path, type, body]) => ({
    line: `PUT /dav/${path}`,
    fields: [basic(), `Content-Type: ${type}`],
    body: body!,
  }));

/** Those that take no body and change nothing. */
const without = new Set(["OPTIONS", "GET", "HEAD"]);

const doors: Readonly<Record<string, () => readonly Request[]>> = {
  "/v1": () =>
    Object.entries(operationInputs).map(([name, input]) => ({
      line: `POST /v1/${name}`,
      fields: bearer(),
      body: JSON.stringify(input(id())),
    })),
  MCP: () =>
    Object.entries(operationInputs).map(([name, input]) => ({
      line: "POST /mcp",
      fields: [...bearer(), "Accept: application/json, text/event-stream"],
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: name.replaceAll(".", "_"), arguments: input(id()) },
      }),
    })),
  DAV: () => [
    ...Object.entries(davRequests)
      .filter(([method]) => !without.has(method))
      .flatMap(([method, [path, body]]) =>
        ["calendars", "addressbooks", "files"].map((home) => ({
          line: `${method} /dav/${home}/${id()}${path === "" ? "/" : path}`,
          fields: [basic(), "Content-Type: application/xml"],
          body: body === "" ? "<a/>" : body,
        })),
      ),
    ...puts(),
  ],
  "the operator": () =>
    remoteOperations.map(({ name }) => ({
      line: `POST /operator/v1/${name}`,
      fields: [`Authorization: Bearer ${operator}`, "Content-Type: application/json"],
      body: name === "agent.create" ? JSON.stringify({ address: "short@waypost.test" }) : "{}",
    })),
  "the pages": () => [
    ...[
      ...Object.keys(forms).map((path) => [path, cookie]),
      ...Object.keys(operatorForms).map((path) => [path, operatorCookie]),
    ].map(([path, own]) => ({
      line: `POST ${pathOf(path!, id())}`,
      fields: [`Cookie: ${own}`, ...ofForm],
      body: form,
    })),
    ...["/sign-in", "/join", "/join/options", "/operator/join", "/operator/join/options"].map((path) => ({
      line: `POST ${path}`,
      fields: ofForm,
      body: new URLSearchParams({ ...house.person }).toString(),
    })),
  ],
  "the discovery of accounts": () => [
    {
      line: "POST /autodiscover/autodiscover.xml",
      fields: ["Content-Type: text/xml"],
      body: `<a><EMailAddress>${house.person.address}</EMailAddress></a>`,
    },
  ],
};

const shortages: Readonly<Record<string, (body: string) => string>> = {
  "a body shorter than its length": (body) => `Content-Length: ${Buffer.byteLength(body) + 7}\r\n\r\n${body}`,
  "a body whose last piece is missing": (body) =>
    `Transfer-Encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`,
  "a body of whose last piece a part is missing": (body) =>
    `Transfer-Encoding: chunked\r\n\r\n${(Buffer.byteLength(body) + 7).toString(16)}\r\n${body}`,
};

/** What the server answers until it ends. A client that has ended its side says that no more comes. */
async function send(port: number, text: string, isMore = false): Promise<string> {
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let heard = "";
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.toString("latin1");
  });
  socket.on("error", () => {}).on("end", () => socket.end());
  if (isMore) socket.write(text);
  else socket.end(text);
  if (!socket.closed) await once(socket, "close");
  return heard;
}

/** An operator's call is logged before it is read, and a login is remembered. The server notes its own works by the clock, among them one a
 *  minute after its start. */
const notCounted: readonly string[] = ["operator_call", "familiar_network", "deployment"];
const kept = (Object.keys(schema) as TableName[]).filter((table) => !notCounted.includes(table));

async function count(): Promise<Readonly<Record<string, number>>> {
  const { store } = house.daemon.daemon.house;
  // Whatever was begun has been given up.
  await house.client.ok("health", {});
  const counts: Record<string, number> = {};
  for (const table of kept)
    counts[table] = Number(
      (await store.get<{ rows: number }>(`select count(*) as rows from ${table}`))!.rows,
    );
  return counts;
}

function ask(
  { line, fields, body }: Request,
  shorten: (body: string) => string,
  isMore = false,
): Promise<string> {
  const { port, host } = new URL(house.origin);
  const head = [`${line} HTTP/1.1`, `Host: ${host}`, ...fields].join("\r\n");
  return send(Number(port), `${head}\r\n${shorten(body)}`, isMore);
}

const rows = Object.keys(doors).flatMap((door) =>
  Object.keys(shortages).map((shortage) => ({ door, shortage })),
);

test.each(rows)("$shortage, at $door", async ({ door, shortage }) => {
  const before = await count();
  const answered: string[] = [];
  for (const request of doors[door]!()) {
    const heard = await ask(request, shortages[shortage]!);
    if (/^HTTP\/1\.1 [123]/.test(heard)) answered.push(`${request.line}: ${heard.slice(0, 100)}`);
  }
  expect(answered).toEqual([]);
  expect(await count()).toEqual(before);
});

test("whole, they are taken", async () => {
  const whole = (body: string) =>
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
  const taken = [
    ...puts(),
    ...doors["/v1"]!().filter(({ line }) => line.endsWith("/draft.create")),
    ...doors.MCP!().filter(({ body }) => body.includes('"draft_create"')),
    ...doors["the operator"]!().filter(({ line }) => line.endsWith("/agent.create")),
  ];
  expect(taken).toHaveLength(6);
  for (const request of taken)
    expect([request.line, await ask(request, whole, true)]).toEqual([
      request.line,
      expect.stringMatching(/^HTTP\/1\.1 20/),
    ]);
});

test.each(["APPEND INBOX {60}", "APPEND INBOX {60+}", "REPLACE 1 INBOX {60+}", "APPEND INBOX ~{60+}"])(
  "a literal of IMAP, %s",
  async (command) => {
    const { imap } = house.daemon;
    const { address, password } = house.agent;
    const before = await count();
    const text = `a LOGIN ${address} "${password}"\r\nb SELECT INBOX\r\nc ${command}\r\nSubject: short\r\n\r\nx\r\n`;
    const heard = await send(imap.port, text);
    expect(heard).toMatch(/^a OK/m);
    expect(heard).not.toMatch(/^c OK/m);
    expect((await count()).message).toBe(before.message);
  },
);

const mails: Readonly<Record<string, string>> = {
  DATA: "DATA\r\nSubject: short\r\n\r\nAll of it.\r\n",
  "DATA with half of its end": "DATA\r\nSubject: short\r\n\r\nAll of it.\r\n.",
  BDAT: "BDAT 60 LAST\r\nSubject: short\r\n\r\nx\r\n",
  "BDAT without a last one": "BDAT 20\r\nSubject: short\r\n\r\nx\r\n",
};

test.each(["smtp", "submission"].flatMap((door) => Object.keys(mails).map((mail) => [mail, door] as const)))(
  "a message of SMTP: %s, at %s",
  async (mail, door) => {
    const before = await count();
    const { daemon, agent, person } = house;
    if (door === "smtp") {
      const heard = await send(
        daemon.smtp.port,
        `EHLO x.test\r\nMAIL FROM:<a@x.test>\r\nRCPT TO:<${person.address}>\r\n${mails[mail]}`,
      );
      expect(heard).not.toMatch(/^250 2\.0\.0/m);
    } else {
      const smtp = await connectRawSmtp({ port: daemon.submissions.port, isTls: true });
      const login = Buffer.from(`\0${agent.address}\0${agent.password}`).toString("base64");
      for (const line of [
        "EHLO x.test",
        `AUTH PLAIN ${login}`,
        `MAIL FROM:<${agent.address}>`,
        `RCPT TO:<${person.address}>`,
      ])
        expect(await smtp.command(line)).toMatch(/^2/);
      await smtp.send(mails[mail]!, 0);
      await new Promise(setImmediate);
      smtp.destroy();
    }
    expect((await count()).message).toBe(before.message);
  },
);
