/** Many requests at once on one connection, over real sockets. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createConnectionDoor } from "#/protocols/connection/connection-door.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import { noProxies } from "#/protocols/connection/trusted-proxies.ts";
import { unansweredMax } from "#/protocols/http/http-connection.ts";
import { listenHttpPort } from "#/protocols/http/listen.ts";
import { RequestTurns } from "#/protocols/http/request-turns.ts";
import { Gate } from "#/src/fairness/gate.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

async function listen(handle: Handle, strangerMs = 60_000): Promise<number> {
  listener = await listenHttpPort({
    name: "http",
    host: "127.0.0.1",
    port: 0,
    handle,
    door: createConnectionDoor(new Gate({ what: "connections", total: 100, share: 100 })),
    turns: new RequestTurns(),
    proxies: noProxies,
    times: { requestMs: 30_000, headersMs: 10_000, idleMs: 75_000, strangerMs },
    refuse: (problem) => `HTTP/1.1 400 Bad Request\r\nContent-Length: ${problem.length}\r\n\r\n${problem}`,
  });
  return listener.port;
}

function connect(port: number): net.Socket {
  return net.connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => {});
}

function get(path: string | number): string {
  return `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

function many(count: number): string {
  return Array.from({ length: count }, (_, index) => get(index)).join("");
}

/** A connection whose answers are waited for, one after the other. */
async function openClient(port: number) {
  const socket = connect(port);
  await once(socket, "connect");
  return {
    socket,
    async ask(path: string): Promise<void> {
      socket.write(get(path));
      await once(socket, "data");
    },
  };
}

/** Answers with the path of the request, in its body. */
const echo: Handle = (request, response) => {
  request.resume().once("end", () => response.end(`<${request.url}>`));
};

function bodies(text: string): string[] {
  return [...text.matchAll(/<\/([^>]*)>/g)].map(([, path]) => path!);
}

describe("a connection with many requests at once", () => {
  test("gets all its answers in order, and other connections are answered in between", async () => {
    const served: string[] = [];
    const port = await listen((request, response) => {
      served.push(request.url!);
      echo(request, response);
    });
    const victim = await openClient(port);
    await victim.ask("warm");
    const flood = connect(port).setEncoding("latin1");
    let said = "";
    flood.on("data", (text: string) => {
      said += text;
    });
    flood.write(many(1000));
    await once(flood, "data");
    await victim.ask("victim");
    const before = served.indexOf("/victim");
    while (!said.includes("</999>")) await once(flood, "data");
    expect(bodies(said)).toEqual(Array.from({ length: 1000 }, (_, index) => String(index)));
    // The victim asked when the first answer was there. It waited for a few requests, not for a thousand.
    expect(before).toBeLessThan(500);
    victim.socket.destroy();
    flood.destroy();
  });

  test("has at most four unanswered requests at the server", async () => {
    const waiting: ServerResponse[] = [];
    let handed = 0;
    const port = await listen((request, response) => {
      if (request.url === "/victim") return void response.end("ok");
      handed++;
      waiting.push(response);
    });
    const flood = connect(port).setEncoding("latin1");
    flood.write(many(5000));
    const victim = await openClient(port);
    for (let count = 0; count < 20; count++) await victim.ask("victim");
    expect(handed).toBe(unansweredMax);
    for (let count = 1; count <= 10; count++) {
      waiting.shift()!.end("ok");
      await once(flood, "data");
      for (let turn = 0; turn < 5; turn++) await victim.ask("victim");
      expect(handed).toBe(unansweredMax + count);
    }
    victim.socket.destroy();
    flood.destroy();
  });

  test("is not parsed further while its client reads no answers, and its answers wait in limited memory", async () => {
    // More than the system holds for a reader that takes none.
    const large = Buffer.alloc(16 * 1024 * 1024);
    let handed = 0;
    let buffered = 0;
    const sockets = new Set<net.Socket>();
    const port = await listen((request, response) => {
      if (request.url === "/victim") return void response.end("ok");
      handed++;
      sockets.add(request.socket);
      response.end(large);
    });
    const deaf = connect(port).pause();
    deaf.write(many(5000));
    const victim = await openClient(port);
    for (let count = 0; count < 50; count++) await victim.ask("victim");
    for (const socket of sockets) buffered += socket.writableLength;
    expect(handed).toBeLessThanOrEqual(unansweredMax);
    expect(buffered).toBeLessThanOrEqual(unansweredMax * (large.length + 1024));
    deaf.destroy();
    victim.socket.destroy();
  });

  test("does not delay other connections more when it sends more", async () => {
    const served: string[] = [];
    const port = await listen((request, response) => {
      served.push(request.url!);
      response.end("ok");
    });
    const floods = await Promise.all(Array.from({ length: 20 }, () => openClient(port)));
    const victim = await openClient(port);
    for (const { socket } of floods) socket.resume().write(get("flood").repeat(3000));
    await once(floods[0]!.socket, "data");
    const waits: number[] = [];
    for (let count = 0; count < 5; count++) {
      const before = served.length;
      await victim.ask("victim");
      waits.push(served.lastIndexOf("/victim") - before);
    }
    // Each of the others has a few turns while a question and its answer are under way.
    waits.sort((one, other) => one - other);
    expect(waits[2]).toBeLessThan(3000);
    for (const { socket } of [...floods, victim]) socket.destroy();
  });
});

describe("requests with bodies", () => {
  const post = (path: string, body: string): string =>
    `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const chunked = (path: string, body: string): string =>
    `POST /${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const stream = Array.from(
    { length: 60 },
    (_, index) =>
      [
        get(index),
        post(String(index), "x\r\n\r\ny"),
        chunked(String(index), "\n\n\r\n\r\n0\r\n\r\n"),
        post(String(index), ""),
      ][index % 4]!,
  ).join("");
  const expected = Array.from({ length: 60 }, (_, index) => String(index));

  test.each([1, 2, 3, 7, 50, 1000, 100_000])("come through in order, %i octets at a time", async (size) => {
    const port = await listen(echo);
    const client = connect(port).setEncoding("latin1");
    let said = "";
    client.on("data", (text: string) => {
      said += text;
    });
    for (let at = 0; at < stream.length; at += size) {
      if (!client.write(stream.slice(at, at + size), "latin1")) await once(client, "drain");
      // Small pieces arrive one by one.
      if (size < 50) await new Promise((resolve) => setImmediate(resolve));
    }
    while (bodies(said).length < expected.length) await once(client, "data");
    expect(bodies(said)).toEqual(expected);
    client.destroy();
  });

  test("are at most four unanswered, also when the next header follows a body in one packet", async () => {
    let handed = 0;
    const port = await listen((request, response) => {
      if (request.url === "/victim") return void response.end("ok");
      handed++;
      request.resume();
    });
    const flood = connect(port);
    flood.write(post("x", "body").repeat(1000));
    const victim = await openClient(port);
    for (let count = 0; count < 20; count++) await victim.ask("victim");
    expect(handed).toBe(unansweredMax);
    victim.socket.destroy();
    flood.destroy();
  });

  test("arrive in as few pieces as they were sent in, whatever they contain", async () => {
    let pieces = 0;
    const port = await listen((request, response) => {
      request.on("data", () => pieces++);
      request.on("end", () => response.end("taken"));
    });
    const socket = connect(port);
    const lines = "\n".repeat(0x10000);
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    socket.write(`10000\r\n${lines}\r\n10000\r\n${lines}\r\n0\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
    expect(pieces).toBeLessThan(200);
  });

  test("pause the socket while nobody reads them", async () => {
    let request: IncomingMessage | undefined;
    let response: ServerResponse | undefined;
    const port = await listen((...exchange) => {
      [request, response] = exchange;
    });
    const client = connect(port).setEncoding("latin1");
    const body = "x".repeat(16 * 1024 * 1024);
    client.write(post("large", body));
    while (request === undefined || !request.socket.isPaused())
      await new Promise((resolve) => setImmediate(resolve));
    expect(request.readableLength).toBeLessThan(1024 * 1024);
    let size = 0;
    for await (const chunk of request) size += chunk.length;
    response!.end(`</${size}>`);
    let said = "";
    while (!said.includes("<")) said += (await once(client, "data"))[0];
    expect(bodies(said)).toEqual([String(body.length)]);
    client.destroy();
  });
});

describe("what ends a connection", () => {
  test("is input that is no request, after the answers to the requests before it", async () => {
    const waiting: ServerResponse[] = [];
    const port = await listen((_, response) => void waiting.push(response));
    const client = connect(port).setEncoding("latin1");
    client.write(`${get("first")}NONSENSE\r\n\r\n`);
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    waiting[0]!.end("first");
    const said = (await client.toArray()).join("");
    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
    expect(said).toMatch(/malformed$/);
  });

  test("is the time limit of clients without a valid credential, whatever they ask meanwhile", async () => {
    const port = await listen(echo, 1000);
    const client = connect(port);
    let answers = 0;
    client.on("data", () => {
      answers++;
      client.write(get("again"));
    });
    client.write(get("first"));
    await once(client, "close");
    expect(answers).toBeGreaterThan(1);
    const silent = connect(port).resume();
    await once(silent, "close");
    expect(silent.bytesRead).toBe(0);
  });

  test("is a stop: requests at the server are answered, and waiting ones are not started", async () => {
    const waiting: ServerResponse[] = [];
    const port = await listen((_, response) => void waiting.push(response));
    const client = connect(port).setEncoding("latin1");
    client.write(many(100));
    while (waiting.length < unansweredMax) await new Promise((resolve) => setImmediate(resolve));
    const closed = listener!.close();
    for (const response of waiting) response.end("ok");
    const said = (await client.toArray()).join("");
    await closed;
    expect(said.match(/HTTP\/1\.1 200/g)).toHaveLength(unansweredMax);
    expect(waiting).toHaveLength(unansweredMax);
  });
});
