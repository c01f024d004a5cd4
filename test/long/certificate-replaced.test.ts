/** A certificate is replaced while 1,000 connections of IMAP, SMTP and HTTP are open. None of them ends, and all answer over the
 *  handshake that they have made. New connections get the new certificate. */
import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { expect, test } from "vitest";
import { makeCertificate, writeCertificate } from "../support/certificates/made-certificate.ts";
import { startChildDaemon } from "../support/daemon.ts";

const perPort = { imaps: 334, submissions: 333, https: 333 } as const;
type Port = keyof typeof perPort;

/** For each port a question, and how its answer ends. */
const questions: Record<Port, readonly [string, RegExp]> = {
  imaps: ["a NOOP\r\n", /^a OK .*\r\n/m],
  submissions: ["NOOP\r\n", /^250 .*\r\n/m],
  https: ["GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", /^HTTP\/1\.1 200 [\s\S]*?\r\n\r\n/],
};
/** The number of handshakes at a time. */
const atOnce = 50;

class Client {
  readonly #socket: tls.TLSSocket;
  #heard = "";
  #listen: () => void = () => {};
  constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#heard += text;
      this.#listen();
    });
    socket.on("error", () => {});
    socket.on("close", () => this.#listen());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readable;
  }

  get fingerprint(): string | undefined {
    return this.#socket.getPeerX509Certificate()?.fingerprint256;
  }

  async heard(wanted: RegExp): Promise<boolean> {
    while (!wanted.test(this.#heard)) {
      if (!this.isOpen) return false;
      await new Promise<void>((resolve) => {
        this.#listen = resolve;
      });
    }
    this.#heard = "";
    return true;
  }

  ask([words, answer]: readonly [string, RegExp]): Promise<boolean> {
    this.#socket.write(words);
    return this.heard(answer);
  }

  end(): void {
    this.#socket.destroy();
  }
}

test("no connection ends when the certificate is replaced, and all still answer", {
  timeout: 180_000,
}, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-replaced-"));
  const [first, second] = [await makeCertificate("ec"), await makeCertificate("rsa")];
  const { certificateFile, keyFile } = writeCertificate(folder, first);
  await using daemon = await startChildDaemon({
    set: [
      `tls.certificate_file=${certificateFile}`,
      `tls.key_file=${keyFile}`,
      ...["imap", "submission", "http"].flatMap((name) => [
        `${name}.max_connections=2000`,
        `${name}.max_connections_per_network=2000`,
      ]),
      // No connection may time out while the others are opened.
      "smtp.idle_timeout_ms=600000",
    ],
  });
  const places: Record<Port, number> = {
    imaps: daemon.imaps.port,
    submissions: daemon.submissions.port,
    https: Number(new URL(daemon.https.url).port),
  };
  const connect = async (port: Port): Promise<Client> => {
    const socket = tls.connect({ host: "127.0.0.1", port: places[port], rejectUnauthorized: false });
    const client = new Client(socket);
    await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    if (port !== "https") await client.heard(port === "imaps" ? /^\* OK .*\r\n/m : /^220 .*\r\n/m);
    else await client.ask(questions.https);
    return client;
  };
  const clients: { port: Port; client: Client }[] = [];
  const wanted = (Object.keys(perPort) as Port[]).flatMap((port) =>
    Array.from({ length: perPort[port] }, () => port),
  );
  while (wanted.length > 0)
    clients.push(
      ...(await Promise.all(
        wanted.splice(0, atOnce).map(async (port) => ({ port, client: await connect(port) })),
      )),
    );
  const fingerprints = [first, second].map(({ cert }) => new X509Certificate(cert).fingerprint256);
  expect(clients).toHaveLength(1000);
  expect(new Set(clients.map(({ client }) => client.fingerprint))).toEqual(new Set([fingerprints[0]]));

  writeCertificate(folder, second);
  daemon.process.kill("SIGHUP");
  let shown: string | undefined;
  while (shown !== fingerprints[1]) {
    const late = await connect("imaps");
    shown = late.fingerprint;
    late.end();
  }
  for (const port of Object.keys(perPort) as Port[]) {
    const late = await connect(port);
    expect(late.fingerprint, port).toBe(fingerprints[1]);
    late.end();
  }
  expect(clients.filter(({ client }) => !client.isOpen)).toEqual([]);
  const answers = await Promise.all(clients.map(({ port, client }) => client.ask(questions[port])));
  expect(answers.filter((isAnswered) => !isAnswered)).toEqual([]);
  for (const { client } of clients) client.end();
  fs.rmSync(folder, { recursive: true });
});
