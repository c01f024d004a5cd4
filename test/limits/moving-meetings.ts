/** Imports, archives, the object store, and overrides of events. */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { createJobs } from "#/src/accounts/administration/jobs.ts";
import { type OperationCall, plainCall } from "#/src/accounts/administration/operation-call.ts";
import { listImportedObjects } from "#/src/collections/transfer/imported-objects.ts";
import { readArchive } from "#/src/daemon/moving/archive/archive-file.ts";
import { assertFileSize, assertMessageBounds, assertParts } from "#/src/daemon/moving/import-bounds.ts";
import { openMbox } from "#/src/daemon/moving/mbox.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { scanObjects } from "#/src/formats/content-lines/scan-objects.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { acceptEvent } from "#/src/formats/jscalendar/accept-event.ts";
import { splitUnits } from "#/src/formats/jscalendar/unit.ts";
import { writeEvent } from "#/src/formats/jscalendar/write-event.ts";
import { server } from "#/src/model/author.ts";
import { systemClock } from "#/src/model/clock.ts";
import { openS3Objects } from "#/storage/objects/s3-objects.ts";
import { withLimit } from "./hand-in.ts";
import { isTaken } from "./meeting.ts";

const octets = (text: string): Buffer => Buffer.from(text, "latin1");

/** What is done with a file of these octets in a folder of its own. */
async function withFile<R>(bytes: Uint8Array, run: (file: string) => Promise<R>): Promise<R> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-limits-"));
  try {
    const file = path.join(folder, "file");
    fs.writeFileSync(file, bytes);
    return await run(file);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads all of it. */
const drained = (source: AsyncIterable<unknown>) =>
  isTaken(async () => {
    for await (const _ of source);
    return true;
  });

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const importMeetings = {
  operatorJobsMax: {
    meet: async (count: number) => {
      await using jobs = createJobs(systemClock, 0);
      const begin = (call: OperationCall) =>
        jobs.run("store.check", server, call, ({ signal }) =>
          once(signal, "abort").then(() => signal.throwIfAborted() as never),
        );
      const outcomes: boolean[] = [];
      for (let at = 0; at < count; at++) outcomes.push(await isTaken(() => begin(plainCall)));
      const last = jobs.list(server)[0]!.job as number;
      // One that has ended makes room.
      await jobs.cancel(server, last);
      if (!(await isTaken(() => begin(plainCall)))) throw new TypeError("An ended job takes a place.");
      return outcomes.every(Boolean);
    },
  },
  importedFileBytesMax: { meet: (count: number) => isTaken(() => assertFileSize("file", count)) },
  importedPartsMax: { meet: (count: number) => isTaken(() => assertParts(count)) },
  importedLinesMax: {
    meet: async (count: number) => {
      const lines = octets("\n".repeat(count));
      const message = await isTaken(() => assertMessageBounds(lines, 1000));
      const calendar = await drained(scanObjects(chunksOf(octets("X-A:1\r\n".repeat(count)))));
      const beforeMail = Buffer.concat([lines, octets("From a@x.org Thu Nov 26 10:00:00 2026\n\nHello\n")]);
      const mbox = await withFile(beforeMail, (file) => drained(openMbox(file, 1000).messages()));
      // All three are bounded by it, or none would be seen to differ from the others.
      if (message !== calendar || message !== mbox) throw new TypeError(`${message} ${calendar} ${mbox}`);
      return message;
    },
  },
  importedObjectBytesMax: {
    least: 100,
    meet: async (count: number) => {
      // Two events, so that each is put together from its own octets.
      const event = (uid: string, octetsOfIt: number) => {
        const text = `BEGIN:VEVENT\r\nUID:${uid}\r\nSUMMARY:\r\nEND:VEVENT\r\n`;
        return text.replace("SUMMARY:", `SUMMARY:${"x".repeat(octetsOfIt - text.length)}`);
      };
      const file = octets(`BEGIN:VCALENDAR\r\n${event("a", count)}${event("b", 60)}END:VCALENDAR\r\n`);
      const found: boolean[] = [];
      for await (const object of listImportedObjects(
        {
          size: file.length,
          chunks: () => chunksOf(file),
          read: async ({ start, end }) => file.subarray(start, end),
        },
        undefined as never,
      ))
        found.push(!("refused" in object));
      return found.every(Boolean);
    },
  },
  archiveGrowthFreeBytes: {
    meet: (count: number) =>
      withLimit("model", "archiveGrowthMax", 0, () =>
        withFile(gzipSync(Buffer.alloc(count)), (file) => drained(readArchive(file))),
      ),
  },
  archiveGrowthMax: {
    meet: (count: number) =>
      withLimit("model", "archiveGrowthFreeBytes", 0, () => {
        const block = randomBytes(8000);
        return withFile(gzipSync(Buffer.concat(Array(count).fill(block))), (file) =>
          drained(readArchive(file)),
        );
      }),
  },
};

export const objectStoreMeetings = {
  objectWritesMax: {
    meet: async (count: number) => {
      // It takes connections, and never answers.
      const silent = net.createServer(() => {}).listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as net.AddressInfo;
      const given = new AbortController();
      try {
        return await withFile(octets("id\nsecret\n"), async (keyFile) => {
          const objects = openS3Objects({ url: `s3://mail/a?endpoint=http://127.0.0.1:${port}`, keyFile });
          const outcomes = Array.from({ length: count }, (_, one) =>
            objects.put([`${one}`], octets("x"), given.signal).then(
              () => "stored",
              (error: Error) => error.message,
            ),
          );
          const first = await Promise.race([...outcomes, new Promise((resolve) => setImmediate(resolve))]);
          given.abort();
          await Promise.all(outcomes);
          return first === undefined;
        });
      } finally {
        silent.close();
      }
    },
  },
};

/** A daily event, one instance of which has this title. */
const series = (title: string, locations: number) =>
  acceptEvent(
    {
      "@type": "Event",
      title: "Daily",
      start: "2026-01-01T09:00:00",
      duration: "PT1H",
      locations: Object.fromEntries(
        Array.from({ length: locations }, (_, at) => [`l${at}`, { "@type": "Location", name: "x" }]),
      ),
      recurrenceRule: { "@type": "RecurrenceRule", frequency: "daily", count: 20 },
      recurrenceOverrides: { "2026-01-02T09:00:00": { title } },
    },
    "uid",
  );

/** Octets of the instance. */
const instanceOctets = (title: string): number =>
  writeContentLines({ items: [listComponents(writeEvent(series(title, 0), 0)).at(-1)!] }).length;

export const seriesMeetings = {
  overrideEntriesMax: {
    least: 20,
    meet: async (count: number) => {
      const { recurrenceOverrides: _, ...rest } = await withLimit("model", "overrideEntriesMax", 1000, () =>
        series("x", 1),
      );
      const locations = count - splitUnits(rest).size + 1;
      return await isTaken(() => series("x", locations));
    },
  },
  calendarObjectBytesMax: {
    least: 180,
    meet: async (count: number) => {
      const [shortest] = await withLimit("model", "calendarObjectBytesMax", 10_000, () => [
        instanceOctets("x"),
      ]);
      return await isTaken(() => writeEvent(series("x".repeat(count - shortest! + 1), 0), 0));
    },
  },
};
