/** While the database is away every door refuses for the time being, and all goes on when it is back, in the sessions that were open. */
import { describe, expect, it, vi } from "vitest";
import { converse } from "../support/conversation.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { connectRawSmtp } from "../support/raw-smtp.ts";
import { serverUrl } from "./database.ts";
import { startPostgres } from "./postgres-server.ts";

describe.skipIf(serverUrl === undefined)("a daemon whose PostgreSQL goes away", () => {
  it("refuses as temporary over IMAP, SMTP and HTTP, keeps its sessions, and goes on", async () => {
    const server = (await startPostgres({ isDurable: true }))!;
    try {
      await using started = await startInProcessDaemon({
        set: [`storage.url=${server.url}`, "log.level=silent"],
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
      const script = `
        S: * OK {{*}}
        C: a1 LOGIN {{=login}}
        S*: a1 OK {{*}}
        C: a2 SELECT INBOX
        S*: a2 OK {{*}}
        DO away
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
      `;
      await converse(script.replaceAll(/^ +/gm, ""), {
        port: started.imap.port,
        variables: { login: `${address} "${password}"` },
        actions: {
          async away() {
            expect(await mail()).toMatch(/^250 /);
            await server.end("SIGQUIT");
            expect(await mail()).toMatch(/^4/);
            expect(await search()).toBe(503);
          },
          async back() {
            await server.start();
            await vi.waitUntil(async () => (await search()) === 200);
          },
        },
      });
      expect(await mail()).toMatch(/^250 /);
    } finally {
      await server.stop();
    }
  });
});
