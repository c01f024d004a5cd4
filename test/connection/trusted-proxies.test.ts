import { once } from "node:events";
import net from "node:net";
import { expect, test } from "vitest";
import { type ClientHeader, clientAddress, trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { openMailRooms } from "../smtp/mail-rooms.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { openJsonServer } from "../support/servers/json-server.ts";

const trusted = ["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.1"];

test.each<[string, string, Record<string, string>, string, ClientHeader?]>([
  ["nobody that is not trusted", "203.0.113.9", { "x-forwarded-for": "198.51.100.7" }, "203.0.113.9"],
  ["a trusted proxy", "10.1.2.3", { "x-forwarded-for": "198.51.100.7" }, "198.51.100.7"],
  ["it as IPv6 writes it", "::ffff:10.1.2.3", { "x-forwarded-for": "198.51.100.7" }, "198.51.100.7"],
  ["the last word alone", "192.0.2.1", { "x-forwarded-for": "127.0.0.1, 198.51.100.7" }, "198.51.100.7"],
  ["a row of proxies", "10.1.2.3", { "x-forwarded-for": "8.8.8.8, 198.51.100.7, 10.9.9.9" }, "198.51.100.7"],
  [
    "Forwarded",
    "10.1.2.3",
    { forwarded: 'for=8.8.8.8, by=x;for="198.51.100.7:4711";proto=https' },
    "198.51.100.7",
    "forwarded",
  ],
  [
    "IPv6 in Forwarded",
    "2001:db8:1::1",
    { forwarded: 'For="[2001:db8:2::7]:80"' },
    "2001:db8:2::7",
    "forwarded",
  ],
  ["a proxy that hides the client", "10.1.2.3", { forwarded: "for=_hidden" }, "10.1.2.3", "forwarded"],
  [
    "no Forwarded of a client whose proxy writes X-Forwarded-For",
    "10.1.2.3",
    { forwarded: "for=8.8.8.8", "x-forwarded-for": "198.51.100.7" },
    "198.51.100.7",
  ],
  [
    "no X-Forwarded-For of a client whose proxy writes Forwarded",
    "10.1.2.3",
    { forwarded: "for=198.51.100.7", "x-forwarded-for": "8.8.8.8" },
    "198.51.100.7",
    "forwarded",
  ],
  ["no word", "10.1.2.3", {}, "10.1.2.3"],
  ["what is no address", "10.1.2.3", { "x-forwarded-for": "8.8.8.8, nonsense" }, "10.1.2.3"],
])("believes %s", (_, peer, headers, client, clientHeader) => {
  expect(clientAddress(trustProxies(trusted, clientHeader), peer, headers)).toBe(client);
});

test("X-Forwarded-For of a trusted proxy is used, so that invalid tokens count for their sender", async () => {
  await using server = await openJsonServer({
    server: { trustedProxies: ["127.0.0.1"] },
    limits: { loginFailuresPerNetwork: 1 },
  });
  const ask = async (address: string): Promise<number> => {
    const headers = { authorization: "Bearer wp_wrong", "x-forwarded-for": address };
    const response = await fetch(`${server.url}/v1/search`, { method: "POST", headers });
    await response.text();
    return response.status;
  };
  expect([await ask("192.0.2.7"), await ask("192.0.2.7"), await ask("198.51.100.7")]).toEqual([
    401, 429, 401,
  ]);
});

test("a PROXY header names the client of HTTP too", async () => {
  await using server = await openJsonServer({
    server: { trustedProxies: ["127.0.0.1"] },
    limits: { loginFailuresPerNetwork: 1 },
  });
  const ask = (address: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
      let text = "";
      socket.on("data", (piece) => (text += piece)).on("error", reject);
      socket.on("close", () => resolve(text.slice(9, 12)));
      socket.write(`PROXY TCP4 ${address} 198.51.100.1 4711 80\r\n`);
      socket.write(
        "POST /v1/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wp_x\r\nConnection: close\r\n\r\n",
      );
    });
  expect([await ask("192.0.2.7"), await ask("192.0.2.7"), await ask("198.51.100.7")]).toEqual([
    "401",
    "429",
    "401",
  ]);
});

test("mail behind a proxy comes from its client, also after STARTTLS", async () => {
  await using rooms = await openMailRooms({ trustedProxies: ["127.0.0.1"] });
  const header = "PROXY TCP4 192.0.2.7 198.51.100.1 4711 25\r\n";
  await using client = await connectRawSmtp({ port: rooms.ports.smtp, isGreeted: false });
  await client.send(header);
  await client.command("STARTTLS");
  await client.secure();
  const replies = await client.send(
    "EHLO x\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\nDATA\r\n",
    4,
  );
  expect(replies[3]).toMatch(/^354 /);
  expect((await client.send("Subject: x\r\n\r\ntext\r\n.\r\n"))[0]).toMatch(/^250 /);
  const [stored] = await rooms.messages(rooms.agents.robin);
  expect(await rooms.source(stored!)).toContain("[192.0.2.7]");
});

test("a tool of the host of a proxy is greeted without a header", async () => {
  await using rooms = await openMailRooms({ trustedProxies: ["127.0.0.1"] });
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  expect(await client.command("EHLO x")).toMatch(/^250/);
});

test("a broken header ends the connection", async () => {
  await using rooms = await openMailRooms({ trustedProxies: ["127.0.0.1"] });
  await using client = await connectRawSmtp({ port: rooms.ports.smtp, isGreeted: false });
  expect(await client.send("PROXY TCP4 nobody\r\n")).toEqual(["closed"]);
});

test("an incomplete header ends the connection, without a greeting", async () => {
  await using rooms = await openMailRooms({ trustedProxies: ["127.0.0.1"] });
  const socket = net.connect(rooms.ports.smtp, "127.0.0.1").on("error", () => {});
  let heard = "";
  socket.on("data", (octets) => (heard += octets));
  socket.end("PROXY TCP4 192.0.2.7");
  await once(socket, "close");
  expect(heard).toBe("");
});
