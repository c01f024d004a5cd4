/** Many SMTP connections that send one message after the other with pipelined envelopes. Counts the accepted messages. */
import { randomInt } from "node:crypto";
import fs from "node:fs";
import net from "node:net";

export interface SmtpLoad {
  readonly port: number;
  readonly connections: number;
  readonly bodyBytes: number;
  readonly recipients: readonly string[];
  /** The number of recipients of each message; 1 by default. */
  readonly recipientsEach?: number;
  /** The content of each message, instead of plain text of `bodyBytes`. */
  readonly letter?: { readonly contentType: string; body(number: number): Buffer };
  /** Whole messages that are sent instead, one after the other. */
  readonly mails?: readonly Buffer[] | undefined;
  /** LMTP (RFC 2033) has one reply for each recipient after the message. */
  readonly protocol?: "smtp" | "lmtp";
  /** How long to measure, after a warm-up. */
  readonly seconds?: number;
  /** Ends after this number of messages instead. */
  readonly count?: number;
}

export interface SmtpResult {
  readonly perSecond: number;
  /** The number of accepted messages. */
  readonly accepted: number;
  /** From the last octet to the reply, in milliseconds, sorted. */
  readonly latencies: Float64Array;
  /** When the last octet of the last message was sent, by `performance.now()`. */
  readonly lastSentAt: number;
}

const plainType = "text/plain; charset=utf-8";
const lineLength = 76;
const pages = ["interface", "operate", "approve", "development", "performance"]
  .map((name) => fs.readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8"))
  .join(" ")
  .replace(/[^!-~]+/g, " ");
const warmupSeconds = 0.7;
let lastMessage = 0;

export async function runSmtpLoad(load: SmtpLoad): Promise<SmtpResult> {
  const { recipients, recipientsEach = 1, letter, mails, protocol = "smtp" } = load;
  const text = letter === undefined ? bodyOf(load.bodyBytes) : undefined;
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => connect(load.port, protocol)),
  );
  const latencies: number[] = [];
  let accepted = 0;
  let measured = 0;
  let started = load.count ?? Number.POSITIVE_INFINITY;
  const begin = performance.now();
  const measureFrom = load.count === undefined ? begin + warmupSeconds * 1000 : begin;
  const end = load.seconds === undefined ? Number.POSITIVE_INFINITY : measureFrom + load.seconds * 1000;
  let finished = begin;
  let lastSentAt = begin;

  async function work(connection: SmtpConnection, index: number): Promise<void> {
    let number = index;
    while (performance.now() < end && started-- > 0) {
      const to = Array.from(
        { length: recipientsEach },
        (_, at) => recipients[(number * recipientsEach + at) % recipients.length]!,
      );
      const mail = mails?.[number % mails.length];
      const body = mail ?? text ?? letter!.body(number);
      const header = mail === undefined ? headerOf(++lastMessage, to, letter?.contentType ?? plainType) : "";
      number += load.connections;
      const took = await connection.send(to, header, body);
      accepted++;
      const now = performance.now();
      lastSentAt = now - took;
      if (now < measureFrom || now > end) continue;
      measured++;
      finished = now;
      latencies.push(took);
    }
  }
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
  const seconds = (load.seconds === undefined ? finished - measureFrom : load.seconds * 1000) / 1000;
  return {
    perSecond: measured / seconds,
    accepted,
    latencies: Float64Array.from(latencies).sort(),
    lastSentAt,
  };
}

interface SmtpConnection {
  /** Sends a message. Returns the milliseconds from its last octet to its reply. */
  send(recipients: readonly string[], header: string, body: Buffer): Promise<number>;
  close(): void;
}

async function connect(port: number, protocol: "smtp" | "lmtp"): Promise<SmtpConnection> {
  const socket = net.connect({ host: "127.0.0.1", port, noDelay: true });
  let text = "";
  let replies: string[] = [];
  let wake = (): void => {};
  let failure: Error | undefined;
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    let from = 0;
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n", from)) {
      if (text[from + 3] !== "-") replies.push(text.slice(from, end));
      from = end + 2;
    }
    text = text.slice(from);
    wake();
  });
  socket.on("error", (error) => {
    failure = error;
    wake();
  });
  socket.on("close", () => {
    failure ??= new Error("the server closed the connection");
    wake();
  });

  async function expect(...codes: string[]): Promise<void> {
    while (replies.length < codes.length) {
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    for (const [index, code] of codes.entries())
      if (!replies[index]!.startsWith(code)) throw new Error(`expected ${code}, got ${replies[index]}`);
    replies = replies.slice(codes.length);
  }

  await expect("220");
  socket.write(`${protocol === "lmtp" ? "LHLO" : "EHLO"} bench.example\r\n`);
  await expect("250");
  return {
    async send(recipients, header, body) {
      const named = recipients.map((recipient) => `RCPT TO:<${recipient}>\r\n`).join("");
      socket.write(`MAIL FROM:<bench@outside.example>\r\n${named}DATA\r\n`);
      await expect("250", ...recipients.map(() => "250"), "354");
      socket.cork();
      if (header !== "") socket.write(header, "latin1");
      socket.write(body);
      socket.write("\r\n.\r\n");
      socket.uncork();
      const sentAt = performance.now();
      await expect(...(protocol === "lmtp" ? recipients.map(() => "250") : ["250"]));
      return performance.now() - sentAt;
    },
    close: () => socket.destroy(),
  };
}

function headerOf(number: number, recipients: readonly string[], contentType: string): string {
  return [
    `Received: from relay${number % 13}.outside.example ([192.0.2.${number % 250}])`,
    `\tby mx.outside.example with ESMTPS id ${number.toString(36)}; Sat, 21 Nov 2026 07:00:00 +0000`,
    `Message-ID: <${process.pid}.${number}@outside.example>`,
    "Date: Sat, 21 Nov 2026 07:00:00 +0000",
    `From: Sender ${number % 97} <bench@outside.example>`,
    `To: ${recipients.map((recipient) => `<${recipient}>`).join(", ")}`,
    `Subject: message ${number} of the benchmark`,
    "MIME-Version: 1.0",
    `Content-Type: ${contentType}`,
    "",
    "",
  ].join("\r\n");
}

/** Lines of 76 characters, each from another place of the documentation: words as people write them. */
export function bodyOf(bytes: number): Buffer {
  let text = "";
  while (text.length < bytes) {
    const at = randomInt(pages.length - lineLength);
    text += `${pages.slice(at, at + lineLength)}\r\n`;
  }
  return Buffer.from(text.slice(0, bytes).replace(/\r$/, ""));
}
