/** An account that is written into an archive and taken back, in a daemon of this process. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import { tarEnd, tarEntry } from "#/src/daemon/moving/archive/tar.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

export const owner = "agent1@waypost.test";

export const start = (options: { readonly data?: string } = {}): Promise<InProcessDaemon> =>
  startInProcessDaemon({ ...options, agents: 2, people: 1, set: ["dns.servers=none", "log.level=silent"] });

export function run(server: InProcessDaemon, operation: string, input: object, signal?: AbortSignal) {
  return runPrivateOperation(server.daemon.house, {
    operation,
    input: input as Record<string, unknown>,
    signal: signal ?? new AbortController().signal,
    onProgress() {},
    onFrame() {},
  });
}

/** A folder for each test. */
export function useFolder() {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-archive-"));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));
  return {
    pathOf: (...names: readonly string[]): string => path.join(folder, ...names),
    writeFile(name: string, bytes: Buffer): string {
      const file = path.join(folder, name);
      fs.writeFileSync(file, bytes);
      return file;
    },
    archiveOf: (server: InProcessDaemon, file: string) =>
      run(server, "mail.export", { owner, file: path.join(folder, file) }),
    takeBack: (server: InProcessDaemon, file: string, more: object = {}) =>
      run(server, "mail.import", { owner, file: path.join(folder, file), ...more }) as Promise<
        Record<string, unknown>
      >,
  };
}

/** A tar of these entries behind a manifest with one folder. */
export function madeArchive(
  entries: readonly (readonly [string, string | Buffer])[],
  manifest: object = {},
): Buffer {
  const head = {
    format: "waypost-account",
    version: 1,
    id: "0".repeat(32),
    madeAt: "2026-01-01T00:00:00.000Z",
    address: owner,
    kind: "agent",
    counts: { messages: 1, items: 0 },
    settings: { aliases: [], grants: [] },
    folders: [{ path: "INBOX", role: "inbox", isSubscribed: true }],
    ...manifest,
  };
  return Buffer.concat([
    ...[["manifest.json", JSON.stringify(head)] as const, ...entries].flatMap(([name, content]) => [
      ...tarEntry(name, Buffer.from(content), 0),
    ]),
    tarEnd,
  ]);
}

export const page = (...messages: readonly object[]): string => JSON.stringify({ messages });
export const facts = { flags: [], internalDate: 0 };
