/** An 'error' event that nobody listens to ends the process. So every socket, stream, thread and process of the program has a listener from
 *  its first turn to its last, and streams are joined by `pipeline`, which hears the errors of each. */
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { signMessage } from "#/src/outbound/dkim/sign.ts";

const top = new URL("../..", import.meta.url).pathname;
const files = ["src", "protocols", "storage"].flatMap((folder) =>
  readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => /\.(ts|mjs)$/.test(name)),
);
/** Without comments, strings of which could name what is not called. */
const codeOf = (file: string): string =>
  readFileSync(path.join(top, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

const makers =
  /(?<![\w.#])(?:net\.|tls\.|http\.|https\.|fs\.|zlib\.)?(createConnection|createServer|createSocket|createReadStream|createWriteStream|createGunzip|createGzip|createZstdCompress|createZstdDecompress|createInflateRaw|createDeflateRaw|fork)\(|(?:tls\.connect|socket = connect|client = new Client|child = spawn)\(|new (Worker|TLSSocket|Socket|PassThrough|Transform)\(|(Readable\.from)\(|\.(createReadStream)\(/g;

const listens = "a listener of its own";
/** Who hears an error of what a file makes. */
const heard: Readonly<Record<string, string>> = {
  "src/start.mjs": listens,
  "src/cli/trace-command.ts": "lines of the command line, which are text",
  "src/daemon/assert-startable.ts": "`bind`, while the port is opened and closed",
  "src/daemon/collection-files.ts": "whoever reads the octets, in a process of its own",
  "src/daemon/log-trace.ts": "whoever reads the lines, in a process of its own",
  "src/daemon/private-client.ts": listens,
  "src/daemon/private-socket.ts": listens,
  "src/domain-check/check-host.ts": listens,
  "src/evidence/secure-dns.ts": "`once` and the loop that waits for the answer, until the socket is closed",
  "src/sign-in/own-export.ts": "koa, which ends the answer",
  "src/outbound/composition.ts": "octets in memory; the loop has no error",
  "src/threads/start-thread.ts": "whoever starts the thread: `started-thread.ts`, the store and the index",
  "src/threads/started-thread.ts": listens,
  "src/daemon/moving/imap-account.ts": listens,
  "src/daemon/moving/mbox.ts": "whoever reads the octets, in a process of its own",
  "src/daemon/moving/archive/archive-file.ts":
    "`pipeline`, and whoever reads the octets, in a process of its own",
  "protocols/connection/bind-port.ts": listens,
  "protocols/connection/compression.ts": listens,
  "protocols/connection/listener.ts": listens,
  "protocols/connection/secure-socket.ts": listens,
  "protocols/dav/serve-dav.ts": "koa, which ends the answer",
  "protocols/delivery/connector.ts": listens,
  "protocols/delivery/wire-connection.ts": listens,
  "protocols/http/alpn-challenge.ts": listens,
  "protocols/http/listen.ts": listens,
  "storage/postgres/connection.ts": listens,
};

test("every maker of sockets, streams, threads and processes says who hears their errors", () => {
  const found = files.filter((file) => codeOf(file).search(makers) >= 0);
  expect(found.toSorted()).toEqual(Object.keys(heard).toSorted());
});

test("whoever is to listen does", () => {
  const deaf = Object.entries(heard)
    .filter(([, who]) => who === listens)
    .map(([file]) => file)
    .filter((file) => !/\.(?:on|once)\(\s*"error"/.test(codeOf(file)));
  expect(deaf).toEqual([]);
});

test("streams are joined by pipeline alone, which hears the errors of both", () => {
  expect(files.filter((file) => /\.pipe\(/.test(codeOf(file)))).toEqual([]);
});

test("whoever starts a thread listens to it", () => {
  const deaf = files.filter(
    (file) => /\bstartThread\(/.test(codeOf(file)) && !/\.on\("error"/.test(codeOf(file)),
  );
  // It defines the function.
  expect(deaf).toEqual(["src/threads/start-thread.ts"]);
});

test("a caller that goes while its mail is signed ends nothing but its call", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const key = { domain: "x.example", selector: "a", algorithm: "ed25519", privateKey } as const;
  const gone = new AbortController();
  const message = Buffer.from(`From: a@x.example\r\n\r\n${"x".repeat(4_000_000)}`);
  const signing = forCaller(gone.signal, async () => {
    gone.abort(new CallerGone());
    // The loop has had its time: the next slice waits for a turn.
    for (const end = performance.now() + 20; performance.now() < end; );
    return signMessage(message, [key], 0);
  });
  await expect(signing).rejects.toThrow(CallerGone);
});
