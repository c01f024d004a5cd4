/** An S3 server (s3rver) as a process that can be killed and started again. When this file is run as a program, it is that process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import S3rver from "s3rver";
import type { ObjectPlace } from "#/storage/objects/objects.ts";
import { freePort } from "../support/free-port.ts";

export interface S3Process {
  readonly place: ObjectPlace;
  /** The same as settings of a daemon. */
  readonly set: readonly string[];
  kill(): Promise<void>;
  start(): Promise<void>;
}

const program = fileURLToPath(import.meta.url);

export async function startS3(folder: string): Promise<S3Process> {
  const port = await freePort();
  const keyFile = path.join(folder, "s3-key");
  fs.writeFileSync(keyFile, "S3RVER\nS3RVER\n", { mode: 0o600 });
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, [program, String(port), path.join(folder, "objects")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout!, "data");
  };
  await start();
  const url = `s3://mail/long?endpoint=http://127.0.0.1:${port}`;
  return {
    place: { url, keyFile },
    set: [`storage.blobs=${url}`, `storage.blobs_key_file=${keyFile}`],
    start,
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

if (process.argv[1] === program) {
  const [port, directory] = process.argv.slice(2) as [string, string];
  const server = new S3rver({
    address: "127.0.0.1",
    port: Number(port),
    silent: true,
    directory,
    configureBuckets: [{ name: "mail" }],
  });
  await server.run();
  console.log("ready");
}
