/** What a monitoring system reads from the server, on a separate port. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpClient } from "../support/clients/http.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

let server: InProcessDaemon;
beforeAll(async () => {
  server = await startInProcessDaemon({
    set: ["metrics.enabled=true", "dns.servers=none", "log.level=silent"],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Values by name with labels, as `waypost_messages_total{port="smtp",outcome="accepted"}`. */
async function read(): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${server.metrics.url}/metrics`);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(" ")),
      Number(line.slice(line.lastIndexOf(" ") + 1)),
    ]),
  );
}

async function bring(to: string): Promise<void> {
  await using client = await connectRawSmtp(server.smtp);
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<a@outside.example>");
  await client.command(`RCPT TO:<${to}>`);
  await client.command("DATA");
  await client.send(stuff("Subject: x\r\n\r\nx\r\n"));
}

describe("/metrics", () => {
  it("counts mail, refusals, logins, requests, deliveries and writes", async () => {
    const before = await read();
    await bring(server.people[0]!.address);
    await bring("nobody@waypost.test");
    const { client, person } = {
      client: httpClient(server.http.url, server.agents[0]!.token),
      person: server.people[0]!,
    };
    await client.ok("send", { body: { to: [person.address], subject: "x", text: "x" } });
    await httpClient(server.http.url, "wp_wrong").call("health");
    await server.daemon.delivery.whenIdle();
    const after = await read();
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect({
      accepted: grown('waypost_messages_total{port="smtp",outcome="accepted"}'),
      refused: grown('waypost_refusals_total{port="smtp",command="RCPT",status="5.1.1"}'),
      good: grown('waypost_logins_total{credential="token",outcome="succeeded"}'),
      bad: grown('waypost_logins_total{credential="token",outcome="failed"}'),
      unauthorized: grown('waypost_requests_total{status="4xx"}'),
      delivered: grown('waypost_deliveries_total{way="here",outcome="delivered"}'),
    }).toEqual({ accepted: 1, refused: 1, good: 1, bad: 1, unauthorized: 1, delivered: 1 });
    expect(grown("waypost_write_seconds_count")).toBeGreaterThan(2);
    expect(grown("waypost_message_seconds_count")).toBe(1);
    expect(grown("waypost_write_seconds_sum")).toBeGreaterThan(0);
  });

  it("reports connections, queue, holds, certificate and disk", async () => {
    await using open = await connectRawSmtp(server.smtp);
    await open.command("EHLO mx.outside.example");
    const client = httpClient(server.http.url, server.agents[0]!.token);
    await client.ok("send", { body: { to: [server.people[0]!.address], text: "x" }, hold: "always" });
    const values = await read();
    expect(values.get('waypost_in_use{share="smtp"}')).toBe(1);
    expect(values.get("waypost_holds_waiting")).toBe(1);
    expect(values.get('waypost_queue_recipients{state="due"}')).toBe(0);
    expect(values.get("waypost_queue_oldest_seconds")).toBe(0);
    expect(values.get("waypost_certificate_expiry_seconds")).toBeGreaterThan(700 * 86_400);
    expect(values.get("waypost_disk_free_bytes")).toBeGreaterThan(0);
    expect(values.get('waypost_store_bytes{file="waypost.db"}')).toBeGreaterThan(0);
    expect(values.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
  });

  it("has no address, no name and no text of mail in it", async () => {
    const text = await (await fetch(`${server.metrics.url}/metrics`)).text();
    for (const { address } of [...server.agents, ...server.people]) expect(text).not.toContain(address);
    expect(text).not.toContain("outside.example");
  });
});

describe("/health", () => {
  const ask = async ({ metrics }: typeof server) => {
    const response = await fetch(`${metrics.url}/health`);
    return [response.status, await response.json()];
  };

  // On a busy machine a part is also told as slow, for a while.
  it("is 200 while the store accepts mail", async () => {
    await expect.poll(() => ask(server)).toEqual([200, { status: "ok", problems: [] }]);
  });

  it("is 503 with the reason when the store refuses mail", async () => {
    await using other = await startInProcessDaemon({ set: ["metrics.enabled=true", "log.level=silent"] });
    await other.daemon.house.store.close();
    await expect
      .poll(() => ask(other))
      .toMatchObject([503, { status: "unready", problems: [expect.any(String)] }]);
  });
});

it("serves nothing else on its port, which is off by default", async () => {
  expect((await fetch(`${server.metrics.url}/v1/health`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${server.metrics.url}/openapi.json`)).status).toBe(404);
  expect((await fetch(`${server.http.url}/metrics`)).status).toBe(404);
  await using plain = await startInProcessDaemon();
  expect(plain.metrics).toBeUndefined();
});
