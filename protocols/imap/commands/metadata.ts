/** GETMETADATA and SETMETADATA (RFC 5464 section 4). The mailbox "" stands for the server. Each mailbox owner has separate server
 *  entries, so `/shared` there is shared only among the owner's clients.
 *
 *  getmetadata = "GETMETADATA" [SP "(" option *(SP option) ")"] SP mailbox SP entries
 *  option = "MAXSIZE" SP number / "DEPTH" SP ("0" / "1" / "infinity")
 *  setmetadata = "SETMETADATA" SP mailbox SP "(" entry-value *(SP entry-value) ")" */

import type { MetadataPlace } from "#/src/mail/metadata.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { metadataValueBytesMax } from "#/src/model/limits.ts";
import type { Right } from "#/src/reach/mailbox-rights.ts";
import { afterLogin, command, type LiteralBound } from "../command.ts";
import { bad, no } from "../errors.ts";
import { metadataNamesMax } from "../limits.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import {
  type Depth,
  entriesText,
  isValueNext,
  readEntryName,
  readEntryNames,
  readEntryValue,
  selectEntries,
} from "../mailboxes/metadata-entries.ts";
import type { Session } from "../session/session.ts";
import type { WireReader } from "../wire/wire-reader.ts";

interface GetArguments {
  readonly name: string;
  readonly names: readonly string[];
  readonly maxSize: number;
  readonly depth: Depth;
}

interface SetArguments {
  readonly name: string;
  readonly entries: readonly { readonly name: string; readonly value: Buffer | undefined }[];
}

const facts = { states: afterLogin, forms: ["plain"], usesSequence: false } as const;

export const getMetadata = command({
  ...facts,
  name: "GETMETADATA",
  capabilities: ["METADATA"],
  source: "RFC 5464 4.2",
  parse(reader, context): GetArguments {
    reader.space();
    const options = { maxSize: Number.POSITIVE_INFINITY, depth: 0 as Depth };
    if (reader.peek() === "(") {
      reader.list(() => readOption(reader, options), { max: 10 });
      reader.space();
    }
    const name = decodeMailboxName(reader.astring(), context.names);
    reader.space();
    // The examples of RFC 5464 have the options behind the mailbox.
    if (reader.nextIs("(MAXSIZE") || reader.nextIs("(DEPTH")) {
      reader.list(() => readOption(reader, options), { max: 10 });
      reader.space();
    }
    return { name, names: readEntryNames(reader), ...options };
  },
  async run(session, { name, names, maxSize, depth }, out) {
    const place = await findPlace(session, name, "r");
    const all = selectEntries(await session.rooms.mail.listMetadata(place, session.agent), names, depth);
    const shown = all.filter(({ value }) => (value?.byteLength ?? 0) <= maxSize);
    if (shown.length > 0) out.line(`* METADATA ${session.writeName(name)} ${entriesText(shown)}`);
    if (shown.length === all.length) return undefined;
    const longest = Math.max(...all.map(({ value }) => value?.byteLength ?? 0));
    return { code: `METADATA LONGENTRIES ${longest}`, text: "Some entries are longer" };
  },
});

const valueBound: LiteralBound = {
  bytesMax: metadataValueBytesMax,
  refusal: () => no(`METADATA MAXSIZE ${metadataValueBytesMax}`, "The value is too long"),
  isMessage: false,
};

export const setMetadata = command({
  ...facts,
  name: "SETMETADATA",
  isWrite: true,
  putsMail: false,
  source: "RFC 5464 4.3",
  parse(reader, context): SetArguments {
    reader.space();
    const name = decodeMailboxName(reader.astring(), context.names);
    reader.space();
    const entries = reader.list(
      () => {
        const entry = readEntryName(reader);
        reader.space();
        return { name: entry, value: readEntryValue(reader) };
      },
      { max: metadataNamesMax },
    );
    return { name, entries };
  },
  literalBound(reader, context) {
    reader.space();
    decodeMailboxName(reader.astring(), context.names);
    if (reader.isAtEnd) return undefined;
    reader.space();
    return isValueNext(reader) ? valueBound : undefined;
  },
  async run(session, { name, entries }) {
    const isShared = entries.some((entry) => entry.name.startsWith("/shared/"));
    const place = await findPlace(session, name, isShared ? "w" : "r");
    if (entries.some(({ value }) => (value?.byteLength ?? 0) > metadataValueBytesMax))
      throw valueBound.refusal();
    const changes = entries.map((entry) => ({ name: entry.name, value: entry.value ?? null }));
    try {
      const { modseq } = await session.rooms.mail.setMetadata(
        session.principal.author,
        place,
        session.agent,
        changes,
      );
      session.watch?.own(place.agent, modseq);
    } catch (error) {
      if (isWaypostError(error) && error.details.reason === "limit_reached")
        throw no("METADATA TOOMANY", error.message);
      throw error;
    }
    return undefined;
  },
});

function readOption(reader: WireReader, options: { maxSize: number; depth: Depth }): void {
  const option = reader.word();
  reader.space();
  if (option === "MAXSIZE") options.maxSize = reader.number();
  else if (option === "DEPTH") options.depth = readDepth(reader.word());
  else throw bad("Unknown option of GETMETADATA");
}

function readDepth(word: string): Depth {
  if (word === "0" || word === "1") return Number(word) as 0 | 1;
  if (word === "INFINITY") return "infinity";
  throw bad("DEPTH is 0, 1 or infinity");
}

async function findPlace(session: Session, name: string, right: Right): Promise<MetadataPlace> {
  return name === "" ? { agent: session.agent, number: 0 } : session.findMailbox(name, right);
}
