import { once } from "node:events";
import net from "node:net";
import { setImmediate } from "node:timers/promises";
import { connect as connectTls, createSecureContext } from "node:tls";
import { pino } from "pino";
import { expect, test } from "vitest";
import { acceptorsOfPort } from "#/protocols/connection/bind-port.ts";
import { type ConnectionDoor, createConnectionDoor } from "#/protocols/connection/connection-door.ts";
import { type Listener, listen, openPorts } from "#/protocols/connection/listener.ts";
import { takeHandshake } from "#/protocols/connection/secure-socket.ts";
import { Gate } from "#/src/fairness/gate.ts";
import { testCertificate } from "../support/certificates/certificate.ts";

const secureContext = createSecureContext(testCertificate);

/** A door that says when it is empty. */
function watchedDoor(
  limit: number,
): ConnectionDoor & { entered: number; left: number; whenEmpty(): Promise<void> } {
  const door = openDoor(limit);
  const waiting: (() => void)[] = [];
  const watched = {
    entered: 0,
    left: 0,
    enter(socket: net.Socket) {
      const place = door.enter(socket);
      if (typeof place === "string") return place;
      watched.entered++;
      const leave = place.leave.bind(place);
      place.leave = () => {
        leave();
        if (++watched.left === watched.entered) for (const wake of waiting.splice(0)) wake();
      };
      return place;
    },
    whenEmpty: () =>
      watched.left === watched.entered
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiting.push(resolve)),
  };
  return watched;
}

function openDoor(limit: number): ConnectionDoor {
  return createConnectionDoor(new Gate({ what: "connections", total: limit, share: limit }));
}

/** Greets over TLS, and reads until the peer goes. */
function listenSecurely(door: ConnectionDoor, timeoutMs = 30_000): Promise<Listener> {
  return listen({
    name: "secure",
    host: "127.0.0.1",
    port: 0,
    door,
    log: pino({ level: "silent" }),
    async serve(socket, _place, signal) {
      const carrier = await takeHandshake(socket, { secureContext, timeoutMs, signal });
      if (carrier === undefined) return;
      carrier.write("hello");
      carrier.resume();
      signal.addEventListener("abort", () => carrier.end());
      await once(carrier, "close");
    },
  });
}

function silent(port: number): net.Socket {
  return net.connect({ port, host: "127.0.0.1" }).on("error", () => {});
}

test("counts a connection from before its handshake until its end", async () => {
  const door = watchedDoor(20);
  const listener = await listenSecurely(door);
  const flood = Array.from({ length: 20 }, () => silent(listener.port));
  await Promise.all(flood.map((socket) => once(socket, "connect")));
  // The sockets of a port are in no order.
  while (door.entered < 20) await setImmediate();
  // The next one finds it full: it is closed without a word.
  const refused = connectTls({ port: listener.port, rejectUnauthorized: false });
  await expect(once(refused, "secureConnect")).rejects.toThrow();

  for (const [index, socket] of flood.entries()) {
    if (index % 4 === 0) socket.destroy();
    else if (index % 4 === 1) socket.resetAndDestroy();
    else if (index % 4 === 2) socket.write("EHLO plain text\r\n");
    else socket.end(Buffer.from("16030100ff01", "hex"));
  }
  await door.whenEmpty();
  const welcome = connectTls({ port: listener.port, rejectUnauthorized: false });
  expect(String((await once(welcome, "data"))[0])).toBe("hello");
  welcome.destroy();
  await door.whenEmpty();
  await listener.close();
});

test("ends a handshake that does not finish", async () => {
  const door = watchedDoor(20);
  const listener = await listenSecurely(door, 50);
  const slow = silent(listener.port);
  slow.write(Buffer.from("1603", "hex"));
  await once(slow.resume(), "close");
  expect(slow.destroyed).toBe(true);
  await door.whenEmpty();
  await listener.close();
});

test("ends a handshake whose peer has closed, also where sockets may be half open", async () => {
  const server = net.createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const peer = silent((server.address() as net.AddressInfo).port);
  const [accepted] = (await once(server, "connection")) as [net.Socket];
  accepted.on("error", () => {});
  const { signal } = new AbortController();
  const handshake = takeHandshake(accepted, { secureContext, timeoutMs: 60_000, signal });
  peer.end(Buffer.from("1603", "hex"));
  expect(await handshake).toBe(undefined);
  expect(accepted.destroyed).toBe(true);
  server.close();
});

test("closes during handshakes at every stage", async () => {
  for (let round = 0; round < 20; round++) {
    const door = watchedDoor(200);
    const listener = await listenSecurely(door);
    const peers = Array.from({ length: 30 }, (_, index) =>
      index % 3 === 0
        ? silent(listener.port)
        : connectTls({ port: listener.port, rejectUnauthorized: false }).on("error", () => {}),
    );
    await once(peers[round]!, "connect");
    await listener.close();
    expect(door.left).toBe(door.entered);
    for (const peer of peers) peer.destroy();
  }
});

test("leaves no port open when one of them cannot be bound", async () => {
  const door = openDoor(10);
  const opened: Listener[] = [];
  const open = async (port: number): Promise<Listener> => {
    const options = { name: "x", host: "127.0.0.1", door, log: pino({ level: "silent" }) };
    const listener = await listen({ ...options, port, serve: async () => {} });
    opened.push(listener);
    return listener;
  };
  await expect(openPorts([() => open(0), () => open(opened[0]!.port)])).rejects.toThrow(/EADDRINUSE/);
  const again = await open(opened[0]!.port);
  await again.close();
});

test.runIf(acceptorsOfPort > 1)("accepts many connections in few turns of the loop", async () => {
  const count = 200;
  const door = watchedDoor(count);
  const options = { name: "x", host: "127.0.0.1", port: 0, door, log: pino({ level: "silent" }) };
  const listener = await listen({
    ...options,
    serve: (socket) => once(socket.resume(), "close").then(() => {}),
  });
  const peers = Array.from({ length: count }, () =>
    net.connect({ host: "127.0.0.1", port: listener.port }).on("error", () => {}),
  );
  let turns = 0;
  for (; door.entered < count; turns++) await setImmediate();
  expect(turns).toBeLessThan(count / 2);
  for (const peer of peers) peer.destroy();
  await listener.close();
});
