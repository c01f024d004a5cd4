/** What the pages of the operator show of the last day, and who is connected. */

import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLastDay } from "#/src/daemon/last-day.ts";
import { noTally } from "#/src/model/tally.ts";
import { httpClient } from "../support/clients/http.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

const hourMs = 3_600_000;

test("24 hours are kept, whatever happens, and an hour that nothing happened in is 0", () => {
  const clock = { at: 100 * hourMs + 5, now: () => clock.at };
  const day = createLastDay(clock);
  const tally = day.beside(noTally);
  for (let hour = 0; hour < 60; hour++) {
    if (hour % 2 === 0) {
      tally.count("messages", { port: "smtp", outcome: "accepted" });
      tally.count("messages", { port: "submission", outcome: "accepted" });
      tally.count("refusals", { port: "smtp", command: "RCPT", status: "5.1.1" });
      tally.count("deliveries", { way: "out", outcome: "relayed" });
      tally.count("deliveries", { way: "out", outcome: "deferred" });
    }
    clock.at += hourMs;
  }
  const hours = day.hours();
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toEqual({ at: new Date(160 * hourMs).toISOString(), mails: 0, queued: 0, refused: 0 });
  expect(hours.map(({ mails, refused }) => `${mails} ${refused}`)).toEqual(
    Array.from({ length: 24 }, (_, index) => (index === 23 || index % 2 === 0 ? "0 0" : "2 1")),
  );
});

test("the status names who is connected: a login by its address, others by their network", async () => {
  await using daemon = await startInProcessDaemon();
  const [agent] = daemon.agents;
  const { imap } = daemon;
  const socket = connect(imap.port, imap.host);
  await once(socket, "data");
  socket.write(`a LOGIN ${agent!.address} ${agent!.password}\r\n`);
  await once(socket, "data");
  await httpClient(daemon.http.url, agent!.token).ok("send", {
    body: { to: [agent!.address], subject: "x", text: "x" },
  });
  const stranger = connect(imap.port, imap.host);
  await once(stranger, "data");
  const { status } = daemon.daemon.house;
  // An hour may begin meanwhile.
  const mails = async () =>
    (await status.read()).lastDay.slice(-2).reduce((sum, hour) => sum + hour.mails, 0);
  await expect.poll(mails).toBe(1);
  const { connected, lastDay } = await status.read();
  expect(lastDay).toHaveLength(24);
  expect(connected).toContainEqual({ listener: "imap", who: agent!.address, connections: 1 });
  expect(connected).toContainEqual({ listener: "imap", who: "loopback", connections: 1 });
  for (const one of [socket, stranger]) one.destroy();
});
