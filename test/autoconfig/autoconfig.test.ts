import http from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatStsPolicy, stsPolicyId } from "#/src/accounts/sts-policy.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

let server: InProcessDaemon;
let imapsPort: number;
beforeAll(async () => {
  imapsPort = await freePort();
  server = await startInProcessDaemon({
    set: [
      "server.domain=ours.dev",
      "server.hostname=mx.ours.dev",
      `imaps.port=${imapsPort}`,
      "submission.enabled=false",
    ],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The name in whose Host field is asked can be any. */
async function ask(path: string, host = "mx.ours.dev", method = "GET", body = "") {
  const { port } = new URL(server.http.url);
  const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
    http
      .request({ host: "127.0.0.1", port, path, method, headers: { host } }, resolve)
      .on("error", reject)
      .end(body),
  );
  return { status: response.statusCode, text: (await response.setEncoding("utf8").toArray()).join("") };
}

const wellKnown = "/.well-known/autoconfig/mail/config-v1.1.xml";

test("a client finds the enabled servers by its address", async () => {
  const { status, text } = await ask(`${wellKnown}?emailaddress=anybody%40ours.dev`);
  expect(status).toBe(200);
  expect(text).toContain("<domain>ours.dev</domain>");
  expect(text).toMatch(
    new RegExp(
      `<incomingServer type="imap">\\s+<hostname>mx.ours.dev</hostname>\\s+<port>${imapsPort}</port>\\s+<socketType>SSL</socketType>\\s+<username>%EMAILADDRESS%`,
    ),
  );
  // Port 0 is a free port, which nobody can know; submission is not enabled.
  expect(text).not.toContain("STARTTLS");
});

test("the host autoconfig. of a domain gives the same answer", async () => {
  const asked = await ask("/mail/config-v1.1.xml", "autoconfig.ours.dev");
  expect(asked.status).toBe(200);
  expect(asked.text).toBe((await ask(`${wellKnown}?emailaddress=robin%40OURS.dev`)).text);
});

test("there is one answer for every address of a domain", async () => {
  const known = await ask(`${wellKnown}?emailaddress=${server.agents[0]!.address}`);
  expect(await ask(`${wellKnown}?emailaddress=nobody-at-all%40ours.dev`)).toEqual(known);
});

test.each([
  [`${wellKnown}?emailaddress=a%40theirs.dev`, "mx.ours.dev"],
  [`${wellKnown}?emailaddress=%3Cx%3E`, "mx.ours.dev"],
  [`${wellKnown}?emailaddress=${"a".repeat(5000)}%40ours.dev`, "mx.ours.dev"],
  ["/mail/config-v1.1.xml", "autoconfig.theirs.dev"],
  [wellKnown, "127.0.0.1"],
])("%s of %s is not of a domain here", async (path, host) => {
  expect(await ask(path, host)).toMatchObject({ status: 404 });
});

test("other methods than GET are refused", async () => {
  expect(await ask(wellKnown, "ours.dev", "POST")).toMatchObject({ status: 405 });
});

const policy = "/.well-known/mta-sts.txt";

test("the host mta-sts. of a domain of ours has the policy about TLS, which other servers can read", async () => {
  const { parsePolicy, validateMx } = await import("mailauth/lib/mta-sts.js");
  const { status, text } = await ask(policy, "mta-sts.ours.dev");
  expect(status).toBe(200);
  const parsed = parsePolicy(Buffer.from(text), { strict: true });
  expect(parsed).toMatchObject({ mode: "testing", mx: ["mx.ours.dev"], maxAge: 604_800 });
  expect(validateMx("mx.ours.dev", { ...parsed, id: "1" } as never).valid).toBe(true);
});

test.each([
  [policy, "ours.dev"],
  [policy, "mx.ours.dev"],
  [policy, "mta-sts.theirs.dev"],
  [policy, "mta-sts."],
])("there is no policy at %s of %s", async (path, host) => {
  expect((await ask(path, host)).status).toBe(404);
});

test("another policy has another id in the DNS", () => {
  const settings = server.daemon.settings;
  const ids = (["none", "testing", "enforce"] as const).map((mode) => {
    const changed = { ...settings, sts: { mode } };
    expect(formatStsPolicy(changed)).toContain(`mode: ${mode}\r\n`);
    return stsPolicyId(changed);
  });
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{1,32}$/);
});

const outlook = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";

function discover(address: string, schema = outlook, path = "/autodiscover/autodiscover.xml") {
  const request = `<?xml version="1.0"?><Autodiscover><Request><EMailAddress>${address}</EMailAddress><AcceptableResponseSchema>${schema}</AcceptableResponseSchema></Request></Autodiscover>`;
  return ask(path, "autodiscover.ours.dev", "POST", request);
}

test("Outlook finds the enabled servers", async () => {
  const { status, text } = await discover("anybody@ours.dev", outlook, "/Autodiscover/Autodiscover.xml");
  expect(status).toBe(200);
  expect(text).toMatch(
    new RegExp(
      `<Type>IMAP</Type>\\s+<Server>mx.ours.dev</Server>\\s+<Port>${imapsPort}</Port>\\s+<LoginName>anybody@ours.dev</LoginName>[^]*<Encryption>SSL</Encryption>`,
    ),
  );
  expect(text).not.toContain("SMTP");
});

test("Outlook gets the same answer for every address of a domain", async () => {
  const { address } = server.agents[0]!;
  const known = await discover(address);
  const unknown = await discover("nobody-at-all@ours.dev");
  expect(unknown.text).toBe(known.text.replace(address, "nobody-at-all@ours.dev"));
});

test.each([
  ["a@theirs.dev", outlook, 500],
  ["a@ours.dev", "http://schemas.microsoft.com/exchange/autodiscover/mobilesync/responseschema/2006", 601],
  ["<x>", outlook, 600],
  ["", outlook, 600],
])("Outlook's request for %s in %s gets the error %i", async (address, schema, code) => {
  const { text } = await discover(address, schema);
  expect(text).toContain(`<ErrorCode>${code}</ErrorCode>`);
  expect(text).not.toContain("<Account>");
});

test("Autodiscover accepts only POST with a small body", async () => {
  expect((await ask("/autodiscover/autodiscover.xml")).status).toBe(405);
  expect((await discover("a".repeat(20_000))).status).toBe(413);
});
