/** Debian's Radicale, Xandikos and Cyrus, started by scripts in a folder beside the repository (`../shared/bench/peers`). */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { DavServer } from "./dav-client.ts";

export interface DavPeer extends DavServer, AsyncDisposable {}

interface PeerKind {
  readonly name: string;
  readonly script: string;
  readonly package: string;
  readonly path: string;
  readonly hasLogins: boolean;
}

export const peerKinds: readonly PeerKind[] = [
  { name: "Cyrus", script: "cyrus.sh", package: "cyrus-caldav", path: "/dav/", hasLogins: true },
  { name: "Radicale", script: "radicale.sh", package: "radicale", path: "/", hasLogins: true },
  { name: "Xandikos", script: "xandikos.sh", package: "xandikos", path: "/", hasLogins: false },
];

const scripts = new URL("../../../shared/bench/peers/", import.meta.url).pathname;
const password = "secret";

/** The reason why a peer is left out; undefined when it can be measured. */
export function missingPeer(kind: PeerKind): string | undefined {
  if (!fs.existsSync(path.join(scripts, kind.script))) return `no ${scripts}${kind.script}`;
  if (process.getuid?.() !== 0) return "it needs root";
  return versionOf(kind) === undefined ? `${kind.package} is not installed` : undefined;
}

function versionOf(kind: PeerKind): string | undefined {
  const { status, stdout } = spawnSync("dpkg-query", ["-W", "-f", `\${Version}`, kind.package], {
    encoding: "utf8",
  });
  return status === 0 && stdout !== "" ? stdout.replace(/^\d+:/, "").replace(/-.*/, "") : undefined;
}

export async function startPeer(kind: PeerKind): Promise<DavPeer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-dav-peer-"));
  fs.chmodSync(folder, 0o755);
  const [web, imap, lmtp] = await freePorts(3);
  const run = (action: "start" | "stop"): void => {
    const { status, stderr } = spawnSync("bash", [path.join(scripts, kind.script), action], {
      // Output goes to a file: the started servers would keep a pipe open.
      stdio: ["ignore", "ignore", fs.openSync(path.join(folder, "log"), "a")],
      env: {
        ...process.env,
        ...{ PEER_ROOT: folder, PEER_USERS: "1", PASS: password },
        ...{ HTTP_PORT: String(web), IMAP_PORT: String(imap), LMTP_PORT: String(lmtp) },
      },
    });
    if (action === "start" && status !== 0)
      throw new Error(`${kind.name} does not start: ${stderr}, see ${folder}`);
  };
  run("start");
  return {
    name: `${kind.name} ${versionOf(kind)}`,
    origin: `http://127.0.0.1:${web}`,
    path: kind.path,
    login: kind.hasLogins ? { address: "u0", password } : undefined,
    async [Symbol.asyncDispose]() {
      run("stop");
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}
