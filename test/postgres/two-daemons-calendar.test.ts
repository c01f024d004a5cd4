/** One event in a calendar, and answers to it that come to two daemons at the same time: none is refused, and none is lost. */

import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../support/daemon.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";
import { dropDatabase, makeDatabase, serverUrl } from "./database.ts";

const guestDomain = "guests.example";

describe.skipIf(serverUrl === undefined)("two daemons on one PostgreSQL", () => {
  let url: string;
  let sink: SmtpSink;
  let names: Awaited<ReturnType<typeof startDnsServer>>;
  let daemons: readonly [InProcessDaemon, InProcessDaemon];
  let organizer: { readonly address: string; readonly client: HttpClient };

  beforeAll(async () => {
    url = await makeDatabase("waypost_template");
    sink = await startSink();
    names = await startDnsServer({ [guestDomain]: [["TXT", "v=spf1 ip4:127.0.0.1 -all"]] });
    const set = [
      `storage.url=${url}`,
      "server.domain=waypost.example",
      `dns.servers=${names.address}`,
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
      "outbound.allow_private_addresses=true",
      ...manyRequests,
    ];
    const one = await startInProcessDaemon({ set });
    daemons = [one, await startInProcessDaemon({ set })];
    const { address, token } = one.agents[0]!;
    await operate("agent.update", { owner: address, holdPolicy: "open" });
    organizer = { address, client: httpClient(one.http.url, token) };
  });
  afterAll(async () => {
    for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
    await names[Symbol.asyncDispose]();
    await sink[Symbol.asyncDispose]();
    await dropDatabase(url);
  });

  const operate = (name: string, input: Record<string, unknown>) =>
    administer(atCommandLine, daemons[0].daemon.house, name, input);

  async function invite(title: string, guests: readonly string[]) {
    return organizer.client.ok("event.create", {
      body: { title, start: "2030-03-02T10:00:00", timeZone: "Europe/Berlin", participants: guests },
      invite: "send",
      idempotency_key: title,
    });
  }

  async function countAccepted(id: string): Promise<number> {
    const { content } = await organizer.client.ok("part.describe", { id });
    const participants = Object.values(
      content.event.participants as Record<
        string,
        { participationStatus?: string; roles?: { owner?: boolean } }
      >,
    );
    return participants.filter(
      ({ participationStatus, roles }) => participationStatus === "accepted" && roles?.owner !== true,
    ).length;
  }

  it("take fifty answers by mail at once: none is refused, and all are in the calendar", async () => {
    const guests = Array.from({ length: 50 }, (_, at) => `guest${at}@${guestDomain}`);
    const { ref, uid } = await invite("Fifty", guests);
    const answers = await Promise.all(
      guests.map(async (guest, at) => {
        const { smtp } = daemons[at % 2]!;
        const transport = createTransport({ ...smtp, secure: false, tls: { rejectUnauthorized: false } });
        const content = [
          ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Guest//EN", "METHOD:REPLY", "BEGIN:VEVENT"],
          ...[`UID:${uid}`, "DTSTAMP:20290101T000000Z", `ORGANIZER:mailto:${organizer.address}`],
          ...[`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${guest}`, "END:VEVENT", "END:VCALENDAR", ""],
        ].join("\r\n");
        const sent = await transport.sendMail({
          from: guest,
          to: organizer.address,
          subject: "Accepted: Fifty",
          text: "I come.\n",
          icalEvent: { method: "REPLY", content },
        });
        transport.close();
        return sent.response.slice(0, 3);
      }),
    );
    expect(answers.filter((code) => code !== "250")).toEqual([]);
    await expect.poll(() => countAccepted(ref), { timeout: 60_000, interval: 500 }).toBe(50);
    const rows = await daemons[0].daemon.house.store.all("select uid from calendar_arrival");
    expect(rows).toEqual([]);
  });

  it("take the answers of ten agents at once, each at the version that it has read", async () => {
    const { house } = daemons[0].daemon;
    const helpers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const address = `helper${at}@waypost.example`;
        const { token } = (await operate("agent.create", { address })) as { token: string };
        return { address, client: httpClient(daemons[at % 2]!.http.url, token) };
      }),
    );
    const { ref, uid } = await invite(
      "Ten",
      helpers.map(({ address }) => address),
    );
    const copies = await Promise.all(
      helpers.map(async ({ address, client }) => {
        const { agent } = (await house.accounts.findOwner(address))!;
        const [item] = await house.collections.findItemsByUid(agent, uid, { kind: "calendar" });
        const id = house.store.ids.encode("event", agent, item!.number);
        return { client, id, version: String(item!.modseq) };
      }),
    );
    const answers = await Promise.all(
      copies.map(({ client, ...named }) =>
        client.call("event.update", {
          ...named,
          patch: { "participants/me/participationStatus": "accepted" },
          invite: "send",
        }),
      ),
    );
    expect(answers.map(({ status, body }) => (status === 200 ? 200 : body))).toEqual(copies.map(() => 200));
    expect(await countAccepted(ref)).toBe(10);
  });
});
