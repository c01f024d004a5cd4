/** The local address from which mail leaves, and the name servers that are asked for the smarthost. */
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type Server } from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { findSource } from "#/protocols/delivery/source-address.ts";
import { startDaemon } from "#/src/daemon/daemon.ts";
import { testSettings } from "../support/daemon.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse } from "./delivery-house.ts";

const four = "8.8.1.1";
const six = "2606:4700::1";

describe("a connection leaves", () => {
  test.each([
    ["from the address that is bound", ["server.bind=9.9.9.9"], four, "9.9.9.9"],
    ["from the address that SMTP is bound to", ["server.bind=::", "smtp.host=9.9.9.9"], four, "9.9.9.9"],
    ["from a private address that is bound", ["server.bind=10.0.0.2"], four, "10.0.0.2"],
    [
      "from the one that is set, not the one that is bound",
      ["server.bind=9.9.9.9", "outbound.source_addresses=9.9.9.8"],
      four,
      "9.9.9.8",
    ],
    ["from the one of the family", ["outbound.source_addresses=9.9.9.8,2620:fe::8"], six, "2620:fe::8"],
    ["as the system chooses where all is bound", ["server.bind=::"], four, undefined],
    ["as the system chooses where all IPv4 is bound", ["server.bind=0.0.0.0"], four, undefined],
    ["as the system chooses where loopback is bound", [], four, undefined],
    [
      "as the system chooses to a server in the private network",
      ["server.bind=9.9.9.9"],
      "10.0.0.5",
      undefined,
    ],
    [
      "from a private address to a server in the private network",
      ["server.bind=10.0.0.2"],
      "10.0.0.5",
      "10.0.0.2",
    ],
    ["as the system chooses to a server on this host", ["server.bind=9.9.9.9"], "127.0.0.1", undefined],
    [
      "as the system chooses to a server on this host of another family",
      ["outbound.source_addresses=9.9.9.8"],
      "::1",
      undefined,
    ],
  ])("%s", (_, set, destination, localAddress) => {
    const source = findSource(loadSettings({ set }), destination);
    expect(source).toEqual({ isUsable: true, ...(localAddress === undefined ? {} : { localAddress }) });
  });

  test.each([[["server.bind=9.9.9.9"]], [["outbound.source_addresses=9.9.9.8"]]])(
    "does not connect to an address of a family without a source address: %j",
    (set) => {
      expect(findSource(loadSettings({ set }), six)).toEqual({ isUsable: false });
    },
  );
});

test.each([
  ["outbound.source_addresses=mx.example.org", /source_addresses: is no IP address/],
  ["outbound.source_addresses=9.9.9.8,9.9.9.9", /source_addresses: has two addresses of one family/],
])("%s is refused", (set, message) => {
  expect(() => loadSettings({ set: [set] })).toThrow(message);
});

test("an address that this host does not have is refused at the start, with its setting", async () => {
  const set = ["outbound.source_addresses=192.0.2.77"];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-source-"));
  await expect(startDaemon(testSettings(folder, set))).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("outbound.source_addresses: this host has no address 192.0.2.77"),
  });
  fs.rmSync(folder, { recursive: true });
});

/** Where a connection to 127.0.0.1 comes from. */
async function listenForPeers(): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly peers: string[];
}> {
  const peers: string[] = [];
  const server = createServer((socket) => {
    peers.push(socket.remoteAddress!);
    socket.end("421 Not now\r\n");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as { port: number }).port, peers };
}

test.runIf(process.platform === "linux").each([
  ["that is set", "outbound.source_addresses=127.0.0.3"],
  ["that is bound", "server.bind=127.0.0.3"],
])("another server sees the address %s", async (_, setting) => {
  const { server, port, peers } = await listenForPeers();
  await using house = await openDeliveryHouse({
    zone: { "theirs.net": [["A", "127.0.0.1"]] },
    set: [setting, `outbound.mx_port=${port}`],
  });
  await house.send({ to: ["bob@theirs.net"] });
  expect(peers).toEqual(["127.0.0.3"]);
  server.close();
});

describe("where name servers are set, the smarthost", () => {
  const smarthost = (name: string, port: number) => [
    `outbound.smarthost_host=${name}`,
    `outbound.smarthost_port=${port}`,
    "outbound.smarthost_tls=none",
    "dns.servers=192.0.2.53",
  ];

  test("is resolved by them", async () => {
    await using sink = await startSink();
    await using house = await openDeliveryHouse({
      zone: { "relay.theirs.net": [["A", "127.0.0.1"]] },
      set: smarthost("relay.theirs.net", sink.port),
    });
    await house.send({ to: ["bob@far.net"] });
    expect(sink.mails).toHaveLength(1);
  });

  test("that they do not know is resolved by this host", async () => {
    await using sink = await startSink();
    await using house = await openDeliveryHouse({ set: smarthost("localhost", sink.port) });
    await house.send({ to: ["bob@far.net"] });
    expect(sink.mails).toHaveLength(1);
  });

  test("waits while they do not answer", async () => {
    await using house = await openDeliveryHouse({
      zone: { "relay.theirs.net": ["TIMEOUT"] },
      set: smarthost("relay.theirs.net", 9),
    });
    const submission = await house.send({ to: ["bob@far.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state: "queued", status: "4.4.3" }]);
  });
});
