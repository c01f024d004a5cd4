/** The beginning of the text of a message, on one line: the preview in a listing, and PREVIEW of IMAP (RFC 8970). It is made of the
 *  same text that readers get, after the mail has arrived (`indexing/`), or earlier if somebody asks for it. */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { StoredBytes } from "#/src/mail/message-bytes.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { renderBody, type TextSource } from "./body-text.ts";
import { firstCharacters } from "./page-text.ts";

/** RFC 8970 section 3.3 allows no more. */
const previewCharactersMax = 256;

/** What is looked at for so many characters. */
const lineLengthMax = 8 * 1024;

export async function previewText(
  source: TextSource,
  message: StoredBytes,
  structure: MimePart,
): Promise<string> {
  return (await readPreview(source, message, structure)).preview;
}

export interface ReadPreview {
  readonly preview: string;
  /** False when a limit was met: some are of time, and another reading may say more. */
  readonly isLasting: boolean;
}

async function readPreview(
  source: TextSource,
  message: StoredBytes,
  structure: MimePart,
): Promise<ReadPreview> {
  const { text, removed } = await renderBody(source, message, structure);
  const line = text.slice(0, lineLengthMax).replace(/\s+/g, " ").trim();
  return {
    preview: firstCharacters(line, previewCharactersMax),
    isLasting: removed.every(({ what }) => what !== "over-limit"),
  };
}

/** The one that is stored, or else one made now. */
export async function previewOf(
  mail: Mail,
  agent: AgentNumber,
  number: MessageNumber,
  message: StoredBytes,
): Promise<string> {
  const stored = await mail.findPreviews(agent, [number]);
  return stored.get(number) ?? (await makePreview(mail, message)).preview;
}

export async function makePreview(mail: Mail, message: StoredBytes): Promise<ReadPreview> {
  return readPreview(
    { mail, readers: mail.readers.listed ?? mail.readers },
    message,
    await mail.readStructure(message),
  );
}
