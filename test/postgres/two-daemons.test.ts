/** Clients that change from one daemon to another, or use both at once. */

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listHrefs } from "#/protocols/dav/xml/element.ts";
import type { XmlName } from "#/protocols/dav/xml/names.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { converse } from "../support/clients/conversation.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { openWatch, postJson } from "../support/clients/events.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { eventText } from "../support/item-texts.ts";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";
import { dropDatabase, makeDatabase, serverUrl } from "./database.ts";

describe.skipIf(serverUrl === undefined)("two daemons on one PostgreSQL", () => {
  let url: string;
  let sink: SmtpSink;
  let one: InProcessDaemon;
  let two: InProcessDaemon;

  beforeAll(async () => {
    url = await makeDatabase("waypost_template");
    sink = await startSink();
    const set = [
      `storage.url=${url}`,
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
    ];
    one = await startInProcessDaemon({ set });
    // Its people and agents are those of the first, with secrets of their own.
    two = await startInProcessDaemon({ set });
  });
  afterAll(async () => {
    await two[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    await sink[Symbol.asyncDispose]();
    await dropDatabase(url);
  });

  async function mailTo(daemon: InProcessDaemon, address: string, subject: string): Promise<void> {
    await using smtp = await connectRawSmtp({ port: daemon.smtp.port });
    await smtp.command("EHLO client.example");
    await smtp.command("MAIL FROM:<eve@client.example>");
    await smtp.command(`RCPT TO:<${address}>`);
    await smtp.command("DATA");
    expect(await smtp.command(`Subject: ${subject}\r\n\r\nHow are you?\r\n.`)).toMatch(/^250 /);
  }

  it("accept a credential of the other, and refuse it soon after the other has revoked it", async () => {
    const { token } = one.agents[0]!;
    const health = (daemon: InProcessDaemon) => postJson(daemon.http.url, "search", token, {});
    expect(await health(two)).toMatchObject({ kind: "listing" });
    const { store } = one.daemon.house;
    const row = await store.get<{ token: number }>("select min(token_id) as token from token");
    expect(await health(one)).toMatchObject({ kind: "listing" });
    await store.write(nobody, "revokeToken", { token: row!.token, at: store.clock.now() });
    // Within two seconds, which `access.test.ts` measures by a clock of its own.
    await expect.poll(() => health(two), { timeout: 60_000 }).toMatchObject({ error: { status: 401 } });
  });

  it("show a message as \\Recent to one session alone, whichever daemon it is at", async () => {
    const { address, password } = two.people[0]!;
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      await using there = await connectRawImap(first.imap);
      await using later = await connectRawImap(second.imap);
      const recent: (string | undefined)[] = [];
      for (const session of [there, later]) {
        await session.command(`LOGIN ${address} ${password}`);
        if (session === there) await session.command("APPEND Drafts", Buffer.from("Subject: x\r\n\r\nx"));
        const { untagged } = await session.command("SELECT Drafts");
        recent.push(/(\d+) RECENT/.exec(untagged.map(({ text }) => text).join("\n"))?.[1]);
      }
      expect(recent).toEqual(["1", "0"]);
    }
  });

  it("send an IDLE client of one the mail that arrives at the other", async () => {
    const { address, password } = two.people[0]!;
    const script = `
      S: * OK {{*}}
      C: a1 LOGIN {{=login}}
      S*: a1 OK {{*}}
      C: a2 SELECT INBOX
      S*: a2 OK {{*}}
      C: a3 IDLE
      S: + {{*}}
      DO mail
      S*: * 1 EXISTS
      DO append
      S*: * 2 EXISTS
      DO flag
      S*: * 1 FETCH {{*}}
      C: DONE
      S*: a3 OK {{*}}
      C: a4 FETCH 1:2 (FLAGS)
      S: * 1 FETCH (FLAGS ({{*}}\\Flagged{{*}}))
      S: * 2 FETCH (FLAGS ({{*}}))
      S: a4 OK {{*}}
    `;
    const login = `${address} "${password}"`;
    const at = (daemon: InProcessDaemon, lines: string) =>
      converse(
        `S: * OK {{*}}\nC: b1 LOGIN {{=login}}\nS*: b1 OK {{*}}\nC: b2 SELECT INBOX\nS*: b2 OK {{*}}\n${lines}`,
        { port: daemon.imap.port, variables: { login } },
      );
    await converse(script.replaceAll(/^ +/gm, ""), {
      port: two.imap.port,
      variables: { login },
      actions: {
        mail: () => mailTo(one, address, "Hello"),
        append: () => at(one, "C: b3 APPEND INBOX {14+}\nC-: Subject: x\\r\\n\nC: \nC: \nS*: b3 OK {{*}}"),
        flag: () => at(one, "C: b4 STORE 1 +FLAGS (\\Flagged)\nS*: b4 OK {{*}}"),
      },
    });
  });

  it("give a watch that moves from one to the other each event once", async () => {
    const { address, token } = two.agents[0]!;
    const first = await openWatch(one.http.url, token, {});
    await mailTo(two, address, "One");
    await mailTo(one, address, "Two");
    const begun = await first.take(2);
    await first.close();
    await mailTo(one, address, "Three");
    const second = await openWatch(two.http.url, token, { cursor: begun.at(-1)!.cursor });
    await mailTo(one, address, "Four");
    const rest = await second.take(2);
    await second.close();
    const seen = [...begun, ...rest].map(({ cursor }) => cursor);
    expect(new Set(seen).size).toBe(4);
  });

  it("answer a wait at one when mail comes at the other", async () => {
    const { address, token } = two.agents[0]!;
    const { cursor } = await postJson(one.http.url, "wait", token, {});
    const waiting = postJson(two.http.url, "wait", token, { cursor, timeout_s: 20 });
    await mailTo(one, address, "Five");
    expect((await waiting).events).toHaveLength(1);
  });

  it("synchronise a calendar from one with the token of the other", async () => {
    const { address, password } = two.people[0]!;
    const at = (daemon: InProcessDaemon) => davClient(daemon.http.url, basic(address, password));
    const only = async (daemon: InProcessDaemon, path: string, name: XmlName): Promise<string> => {
      const [element] = (await at(daemon).properties(path, name)).values();
      return listHrefs(element!)[0]!;
    };
    const principal = await only(one, "/dav/", { namespace: "DAV:", name: "current-user-principal" });
    const caldav = "urn:ietf:params:xml:ns:caldav";
    const calendar = `${await only(two, principal, { namespace: caldav, name: "calendar-home-set" })}trips/`;
    expect((await at(one).request("MKCALENDAR", calendar)).status).toBe(201);
    const sync = async (daemon: InProcessDaemon, token: string) => {
      const body = `<sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>`;
      const { text } = await at(daemon).request("REPORT", calendar, body);
      return {
        hrefs: [...text.matchAll(/<(?:\w+:)?href>([^<]*)</g)].map(([, href]) => href!.split("/").at(-1)!),
        token: /<(?:\w+:)?sync-token>([^<]*)</.exec(text)![1]!,
      };
    };
    let { token } = await sync(one, "");
    for (let count = 0; count < 6; count++) {
      const [writer, reader] = count % 2 === 0 ? [one, two] : [two, one];
      const put = await at(writer).request("PUT", `${calendar}${count}.ics`, eventText(String(count)), {
        "Content-Type": "text/calendar",
      });
      expect(put.status).toBe(201);
      const changes = await sync(reader, token);
      expect(changes.hrefs).toEqual([`${count}.ics`]);
      ({ token } = changes);
    }
  });

  it("send a mail once when both get the request with one key", async () => {
    const { address, token } = two.agents[0]!;
    const { store } = one.daemon.house;
    await administer(atCommandLine, one.daemon.house, "agent.update", { owner: address, holdPolicy: "open" });
    const before = sink.mails.length;
    const refs: string[] = [];
    for (let count = 0; count < 5; count++) {
      const send = async (daemon: InProcessDaemon): Promise<string> => {
        const answer = await postJson(daemon.http.url, "send", token, {
          body: { to: ["mel@far.example"], subject: `Mail ${count}`, text: "Hello." },
          idempotency_key: `two-daemons-${count}-000000`,
        });
        expect(answer.error).toBeUndefined();
        return answer.ref;
      };
      const [first, second] = await Promise.all([send(one), send(two)]);
      expect(second).toBe(first);
      refs.push(first);
    }
    expect(new Set(refs).size).toBe(5);
    await vi.waitUntil(() => sink.mails.length >= before + 5, { timeout: 60_000 });
    await Promise.all([one.daemon.delivery.whenIdle(), two.daemon.delivery.whenIdle()]);
    const sent = await store.column<string>(
      "select state from submission_recipient where domain = 'far.example' order by 1",
    );
    expect(sent).toEqual(Array(5).fill("relayed"));
    expect(sink.mails.length).toBe(before + 5);
  });
});
