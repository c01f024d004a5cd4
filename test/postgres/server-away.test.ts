/** While the database cannot be reached, every protocol refuses with a temporary error. When it is back, open sessions continue. */
import { describe, expect, it, vi } from "vitest";
import { connect } from "#/storage/postgres/connection.ts";
import { converse } from "../support/clients/conversation.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { serverUrl } from "./database.ts";
import { startPostgres } from "./postgres-server.ts";

const waiting = { timeout: 60_000 };

describe.skipIf(serverUrl === undefined)("a daemon whose PostgreSQL goes away", () => {
  it("refuses requests as temporary over IMAP, SMTP and HTTP, keeps its sessions, and continues", async () => {
    const server = (await startPostgres({ isDurable: true }))!;
    try {
      await using started = await startInProcessDaemon({
        set: [`storage.url=${server.url}`, "log.level=silent", "metrics.enabled=true", "metrics.port=0"],
      });
      const { address, token, password } = started.agents[0]!;
      const search = async (): Promise<number> => {
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        return (await fetch(`${started.http.url}/v1/search`, { method: "POST", headers, body: "{}" })).status;
      };
      const mail = async (): Promise<string> => {
        await using smtp = await connectRawSmtp({ port: started.smtp.port });
        await smtp.command("EHLO client.example");
        await smtp.command("MAIL FROM:<eve@client.example>");
        const answer = await smtp.command(`RCPT TO:<${address}>`);
        if (!answer.startsWith("250")) return answer;
        await smtp.command("DATA");
        return await smtp.command("Subject: Hello\r\n\r\nHow are you?\r\n.");
      };
      const dav = async (): Promise<number> =>
        (
          await davClient(started.http.url, basic(address, password)).request(
            "PROPFIND",
            "/dav/",
            undefined,
            { Depth: "0" },
          )
        ).status;
      const metrics = started.daemon.listeners.find(({ name }) => name === "metrics")!;
      const health = async () => {
        const response = await fetch(`http://127.0.0.1:${metrics.port}/health`);
        return {
          ...((await response.json()) as { problems: readonly string[] }),
          status: response.status,
        };
      };
      // On a busy machine a part is also told as slow, for a while.
      await expect.poll(health, waiting).toMatchObject({ status: 200, problems: [] });
      await using stream = await httpClient(started.http.url, token).watch({ timeout_s: 1 });
      const script = `
        S: * OK {{*}}
        C: a1 LOGIN {{=login}}
        S*: a1 OK {{*}}
        C: a2 SELECT INBOX
        S*: a2 OK {{*}}
        DO away
        S2: * OK {{*}}
        C2: b1 LOGIN {{=login}}
        S2*: b1 NO [UNAVAILABLE] {{*}}
        C: a3 STATUS INBOX (MESSAGES)
        S: a3 NO [UNAVAILABLE] {{*}}
        C: a4 CREATE Other
        S: a4 NO [UNAVAILABLE] {{*}}
        DO back
        C: a5 CREATE Other
        S*: a5 OK {{*}}
        C: a6 STATUS INBOX (MESSAGES)
        S*: * STATUS "INBOX" (MESSAGES 1)
        S*: a6 OK {{*}}
        C: a7 IDLE
        S: + {{*}}
        DO awayAgain
        S*: * 2 EXISTS
        C: DONE
        S*: a7 OK {{*}}
      `;
      await converse(script.replaceAll(/^ +/gm, ""), {
        port: started.imap.port,
        variables: { login: `${address} "${password}"` },
        actions: {
          async away() {
            expect(await mail()).toMatch(/^250 /);
            await server.end("SIGQUIT");
            expect(await mail()).toMatch(/^4/);
            // Who may do what is known for two seconds more.
            await vi.waitUntil(() => !started.daemon.house.store.hearsAccess(), { timeout: 60_000 });
            expect(await search()).toBe(503);
            expect(await dav()).toBe(503);
            await expect.poll(health, waiting).toMatchObject({
              status: 503,
              problems: ["the store's database cannot be reached"],
            });
          },
          async back() {
            await server.start();
            await vi.waitUntil(async () => (await search()) === 200, { timeout: 60_000 });
          },
          // While a client waits for news.
          async awayAgain() {
            await server.end("SIGQUIT");
            await server.start();
            await vi.waitUntil(async () => (await mail()).startsWith("250"), { timeout: 60_000 });
          },
        },
      });
      expect(await mail()).toMatch(/^250 /);
      // The stream was open all the while.
      expect(await stream.events(3)).toHaveLength(3);
      expect(await dav()).toBe(207);
      await expect.poll(async () => (await health()).status, waiting).toBe(200);
      const slow = await connect({ url: server.url });
      await slow.run("begin");
      await slow.run("lock table hold in access exclusive mode");
      await expect.poll(health, waiting).toMatchObject({
        status: 503,
        problems: ["the store answers slowly: not within 2 s"],
      });
      await slow.run("rollback");
      await slow.close();
      await expect.poll(async () => (await health()).status, waiting).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
