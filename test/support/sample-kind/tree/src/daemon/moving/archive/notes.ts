import { z } from "zod";
import { isWaypostError } from "#/src/model/errors.ts";
import { type EntryImport, type OpenArchive, onceOf } from "./entry-import.ts";
import { json, type OpenExport } from "./export-entries.ts";
import { jsonBytesMax, pageBytesMax, pageEntriesMax, readJson } from "./format.ts";
import { pagesOf } from "./pages.ts";

const notePage = z.strictObject({
  notes: z
    .array(z.strictObject({ title: z.string().max(200), body: z.string().max(20_000) }))
    .max(pageEntriesMax),
});

export async function* exportNotes({
  rooms: { mail },
  owner: { agent },
  tell,
}: OpenExport): AsyncGenerator<Uint8Array> {
  const described = (await mail.listNotes(agent)).map((one) => ({
    one,
    entry: { title: one.title, body: one.body },
  }));
  let pages = 0;
  for await (const page of pagesOf(described, { entriesMax: pageEntriesMax, bytesMax: pageBytesMax })) {
    yield* json(`notes/${pages++}.json`, { notes: page.map(({ entry }) => entry) } satisfies z.infer<
      typeof notePage
    >);
    tell("items", page.length);
  }
}

export function createNoteImport(archive: OpenArchive): EntryImport {
  const { rooms, owner, counts, refuse } = archive;
  return {
    async take({ path, bytes, digest }) {
      if (!/^notes\/\d{1,10}\.json$/.test(path)) return false;
      if (bytes === undefined || bytes.length > jsonBytesMax) {
        refuse("notes", `${path} is too large.`);
        return true;
      }
      for (const [at, note] of readJson(notePage, path, bytes).notes.entries())
        try {
          const once = onceOf(archive, `${path} ${at}\n${digest}`);
          const { isReplayed } = await rooms.mail.createNote(rooms.by, owner.agent, note, once);
          counts[isReplayed ? "known" : "items"]++;
        } catch (error) {
          if (!isWaypostError(error) || error.details.reason === "over_quota") throw error;
          refuse("notes", error.message);
        }
      return true;
    },
    async finish() {},
  };
}
