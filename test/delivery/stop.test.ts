/** When the daemon stops, deliveries that have not begun stay in the queue, and running ones have a short time to end. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse } from "./delivery-house.ts";

const zone = { "theirs.net": [["A", "127.0.0.1"]] } as const;

test("a stop does not wait for a server that does not greet", async () => {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = (server.address() as AddressInfo).port;
  await using house = await openDeliveryHouse({
    zone,
    set: [`outbound.mx_port=${port}`, "outbound.reply_timeout_ms=600000"],
  });
  const connected = once(server, "connection");
  const sent = house.send({ to: ["bob@theirs.net"] });
  await connected;
  await house.delivery[Symbol.asyncDispose]();
  expect(await house.recipients(await sent)).toMatchObject([{ state: "queued", attemptCount: 0 }]);
  for (const socket of sockets) socket.destroy();
  server.close();
});

test("a message whose reply is awaited is reported before the stop ends", async () => {
  const asked = Promise.withResolvers<() => void>();
  await using sink = await startSink({
    onSlowMessage: (answer) => asked.resolve(answer),
  });
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
  const sent = house.send({ to: ["bob@theirs.net"] });
  const answer = await asked.promise;
  const stopped = house.delivery[Symbol.asyncDispose]();
  answer();
  await stopped;
  expect(await house.recipients(await sent)).toMatchObject([{ state: "relayed" }]);
});
