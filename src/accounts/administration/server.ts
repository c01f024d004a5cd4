/** The server itself: what it does now, whether its store is sound, and copies of it. */
import fs from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { jobsOf } from "./job-operations.ts";
import { administrationOperation } from "./operation.ts";
import { worksOf } from "./transfers.ts";

export const serverOperations = [
  administrationOperation({
    name: "server.status",
    command: "status",
    kind: "server",
    isRead: true,
    summary:
      "Say where the server listens, what is wrong now, and how often it refused what was more than a share.",
    input: z.strictObject({}),
    async run({ status }) {
      if (status === undefined) throw new WaypostError("unavailable", "No server runs here.");
      return status.read();
    },
  }),
  administrationOperation({
    name: "store.check",
    command: "check",
    kind: "server",
    isRead: true,
    summary: "Check every invariant of the store.",
    input: z.strictObject({}),
    run: (rooms, _, by, call) =>
      jobsOf(rooms).run("store.check", by, call, async (watcher) => ({
        ...(await worksOf(rooms).check(watcher)),
      })),
  }),
  administrationOperation({
    name: "store.backup",
    command: "backup",
    kind: "server",
    isRead: true,
    access: "write",
    summary: "Write a complete copy of the store to a new file.",
    input: z.strictObject({
      file: z
        .string()
        .min(1)
        .max(4096)
        .describe(
          "The new file; with keep a folder, in which each copy is named by its time. Over HTTP a name in the folder of operator.files.",
        ),
      verify: z.boolean().default(false).describe("Read the copy whole, and refuse a damaged one."),
      keep: z
        .int()
        .min(1)
        .max(9999)
        .optional()
        .describe("How many copies stay in the folder; older ones are deleted when the new one is there."),
    }),
    run: (rooms, { file: named, verify, keep }, by, call) =>
      jobsOf(rooms).run("store.backup", by, call, async (watcher) => {
        const place = call.placeOf(named);
        const works = worksOf(rooms);
        const file = keep === undefined ? place : await fileInFolder(place, rooms.store.clock.now());
        await works.backup(file, watcher);
        if (verify) assertSound(file, await works.verifyBackup(file, by, watcher));
        return {
          file,
          ...(verify ? { verified: true } : {}),
          ...(keep === undefined ? {} : { deleted: await deleteOld(place, keep) }),
        };
      }),
  }),
];

const copyName = /^waypost-\d{8}T\d{6}Z\.db$/;

async function fileInFolder(folder: string, now: number): Promise<string> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return path.join(folder, `waypost-${time}.db`);
}

/** Throws for a damaged copy, which stays for whoever looks into it. */
function assertSound(file: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new WaypostError("internal", `The copy ${file} is damaged: ${problems.join("; ")}`, {
    hint: "No older copy was deleted. waypost check tells whether the store itself is damaged.",
  });
}

async function deleteOld(folder: string, keep: number): Promise<readonly string[]> {
  const copies = (await fs.readdir(folder)).filter((name) => copyName.test(name)).toSorted();
  const old = copies.slice(0, -keep);
  for (const name of old) await fs.rm(path.join(folder, name));
  return old;
}
