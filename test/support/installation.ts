/** An installation of its own beside this one, and a daemon of it with an authority for certificates. */
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import tls from "node:tls";
import { expect, vi } from "vitest";
import { connectRawSmtp } from "./clients/raw-smtp.ts";
import { type ChildDaemon, startChildDaemon } from "./daemon.ts";
import { pdfOf } from "./documents.ts";
import { freePort } from "./free-port.ts";
import { type AcmeServer, startAcmeServer } from "./servers/acme-server.ts";

const top = path.resolve(import.meta.dirname, "../..");
const rooms = ["config", "protocols", "src", "storage"] as const;
/** Everything of an installation. */
export const installed: readonly string[] = [...rooms, "package.json", "node_modules", "node"];

/** Copies the program and its Node. The libraries are links to those of this installation. */
export function install(folder: string): { readonly node: string; readonly start: string } {
  for (const name of [...rooms, "package.json"])
    fs.cpSync(path.join(top, name), path.join(folder, name), { recursive: true });
  layLibraries(folder);
  const node = path.join(folder, "node");
  fs.copyFileSync(process.execPath, node);
  return { node, start: path.join(folder, "src/start.mjs") };
}

/** What `npm ci` does: all libraries go, and come again as new files. */
export function layLibraries(folder: string): void {
  const libraries = path.join(folder, "node_modules");
  fs.rmSync(libraries, { recursive: true, force: true });
  fs.mkdirSync(libraries);
  for (const name of fs.readdirSync(path.join(top, "node_modules")))
    if (name !== ".cache") fs.symlinkSync(path.join(top, "node_modules", name), path.join(libraries, name));
}

export interface InstalledDaemon extends AsyncDisposable {
  readonly daemon: ChildDaemon;
  readonly authority: AcmeServer;
}

/** `prepare`: what the authority is told before the daemon asks it for the first time. */
export async function startInstalled(
  command: readonly string[],
  prepare: (authority: AcmeServer) => void,
): Promise<InstalledDaemon> {
  await using stack = new AsyncDisposableStack();
  const authority = stack.use(await startAcmeServer());
  authority.places.http = await freePort();
  prepare(authority);
  // What Node has compiled is kept beside the program, as for everybody else.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const daemon = stack.use(
    await startChildDaemon({
      command,
      env,
      set: [
        ...["metrics.enabled=true", "server.hostname=mail.example.org", "dns.servers=none"],
        ...["acme.enabled=true", "acme.challenge=http-01", `acme.directory=${authority.directory}`],
        `acme.port=${authority.places.http}`,
      ],
    }),
  );
  const opened = stack.move();
  return { daemon, authority, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** It takes a mail with a PDF, finds it, reads the PDF, has a certificate of the authority, and says that it is well. */
export async function assertServes({ daemon, authority }: InstalledDaemon, subject: string): Promise<void> {
  expect(await deliver(daemon, subject, pdfOf(["Zanzibar"]))).toMatch(/^250 /);
  const found = await vi.waitFor(
    async () => {
      const listing = await call(daemon, "search", { q: subject });
      expect(listing).toContain(`"${subject}"`);
      return listing;
    },
    { timeout: 60_000, interval: 100 },
  );
  const [message] = /message_\w+/.exec(found)!;
  expect(await call(daemon, "part.describe", { id: message, part: "1" })).toContain("Zanzibar");
  await vi.waitUntil(() => isTrusted(daemon.imaps.port, authority.root), { timeout: 60_000, interval: 100 });
  for (const { url } of [daemon.http, daemon.metrics])
    await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
}

export async function deliver({ smtp, agents }: ChildDaemon, subject: string, pdf?: Buffer): Promise<string> {
  await using client = await connectRawSmtp({ port: smtp.port });
  const type =
    pdf === undefined
      ? ["Content-Type: text/plain"]
      : [
          "Content-Type: application/pdf",
          "Content-Transfer-Encoding: base64",
          'Content-Disposition: attachment; filename="a.pdf"',
        ];
  const head = [
    "From: eve@example.net",
    `To: ${agents[0]!.address}`,
    `Subject: ${subject}`,
    "MIME-Version: 1.0",
  ];
  for (const line of [
    "EHLO x.test",
    "MAIL FROM:<eve@example.net>",
    `RCPT TO:<${agents[0]!.address}>`,
    "DATA",
  ])
    await client.command(line);
  const body = pdf?.toString("base64") ?? "Hello";
  return await client.command(`${[...head, ...type].join("\r\n")}\r\n\r\n${body}\r\n.`);
}

export async function call(daemon: ChildDaemon, operation: string, input: object): Promise<string> {
  const answer = await fetch(`${daemon.http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  return answer.text();
}

async function isTrusted(port: number, ca: string): Promise<boolean> {
  const socket = tls.connect({
    host: "127.0.0.1",
    port,
    servername: "mail.example.org",
    ca,
    rejectUnauthorized: false,
  });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  socket.destroy();
  return socket.authorized;
}
