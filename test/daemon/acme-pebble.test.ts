/** Certificates from Pebble (Debian package `pebble`), an independent implementation of ACME. Skipped where it is not installed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { expect, it } from "vitest";
import { trustCertificate } from "../support/certificates/trusted-certificate.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

function programs(): readonly [string, string] | undefined {
  try {
    const found = execFileSync("sh", ["-c", "command -v pebble && command -v pebble-challtestsrv"]);
    return String(found).trim().split("\n") as unknown as readonly [string, string];
  } catch {
    return undefined;
  }
}

const found = programs();
// Once: of two authorities of one name, OpenSSL asks either.
const { key, cert } = await trustCertificate(["localhost"]);

it.runIf(found !== undefined).each(["http-01", "tls-alpn-01"])("are obtained by %s", async (challenge) => {
  const [pebble, names] = found!;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-pebble-"));
  const [api, management, http, https, dns, control] = await Promise.all(
    Array.from({ length: 6 }, () => freePort()),
  );
  fs.writeFileSync(path.join(folder, "key.pem"), key);
  fs.writeFileSync(path.join(folder, "cert.pem"), cert);
  const config = {
    listenAddress: `127.0.0.1:${api}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: path.join(folder, "cert.pem"),
    privateKey: path.join(folder, "key.pem"),
    httpPort: http,
    tlsPort: https,
  };
  fs.writeFileSync(path.join(folder, "config.json"), JSON.stringify({ pebble: config }));
  const children: ChildProcess[] = [];
  const run = (program: string, args: readonly string[]): void => {
    const env = { ...process.env, PEBBLE_VA_NOSLEEP: "1" };
    children.push(spawn(program, args, { env, stdio: "ignore" }));
  };
  try {
    run(names, [
      ...["-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", `127.0.0.1:${dns}`],
      ...["-management", `127.0.0.1:${control}`, "-http01", "", "-https01", "", "-tlsalpn01", ""],
    ]);
    run(pebble, ["-config", path.join(folder, "config.json"), "-dnsserver", `127.0.0.1:${dns}`]);
    await opened(api!);
    await opened(control!);
    await using server = await startInProcessDaemon({
      set: [
        ...[
          "acme.enabled=true",
          `acme.directory=https://localhost:${api}/dir`,
          `acme.challenge=${challenge}`,
        ],
        ...[`acme.port=${http}`, `https.port=${https}`, "server.hostname=mail.example.org"],
        ...["dns.servers=none", "log.level=warn"],
      ],
    });
    let issuer = "";
    while (!issuer.startsWith("Pebble")) issuer = await issuerAt(server.imaps.port);
    expect(issuer).toMatch(/^Pebble Intermediate/);
  } finally {
    for (const child of children) child.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

async function issuerAt(port: number): Promise<string> {
  const socket = tls.connect({
    host: "127.0.0.1",
    port,
    servername: "mail.example.org",
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  const { CN = "" } = socket.getPeerCertificate().issuer;
  socket.destroy();
  return String(CN);
}

async function opened(port: number): Promise<void> {
  for (;;) {
    const socket = tls.connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
