import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import type { MessageBytes, StoredBytes } from "./message-bytes.ts";

/** What a search looks for in one message; each stage is read when first asked for, and once. */
export interface SearchText {
  /** A field of this name holds the text, or for an empty text is there at all. */
  headerHolds(name: string, text: string): Promise<boolean>;
  /** A text part, or the header of a nested message, holds the text. */
  bodyHolds(text: string): Promise<boolean>;
  /** The header or the body does. */
  holds(text: string): Promise<boolean>;
}

/** Case and compatibility forms do not count (RFC 5051 compares so). */
export function foldText(text: string): string {
  return text.normalize("NFKD").toLowerCase();
}

export function createSearchText(bytes: MessageBytes, message: StoredBytes): SearchText {
  let structure: Promise<MimePart> | undefined;
  let header: Promise<readonly (readonly [name: string, value: string])[]> | undefined;
  let body: Promise<readonly string[]> | undefined;
  const readTop = (): Promise<MimePart> => (structure ??= bytes.readStructure(message));
  const readHeader = (): NonNullable<typeof header> => (header ??= decodeHeader());
  const readBody = (): NonNullable<typeof body> => (body ??= decodeBody());

  async function decodeHeader(): Promise<readonly (readonly [string, string])[]> {
    const range = bytes.findSection(message, await readTop(), "HEADER");
    return foldedFields(await bytes.readBytes(message, range));
  }

  async function decodeBody(): Promise<readonly string[]> {
    const top = await readTop();
    const traceSize = message.trace.byteLength;
    const texts: string[] = [];
    for (const part of walkParts(top)) {
      if (part.message !== undefined) {
        const { headerStart, bodyStart } = part.message;
        const nested = await bytes.readBytes(message, {
          start: headerStart + traceSize,
          end: bodyStart + traceSize,
        });
        texts.push(
          foldedFields(nested)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n"),
        );
      } else if (part.type === "text") {
        const raw = await bytes.readBytes(message, {
          start: part.bodyStart + traceSize,
          end: part.bodyEnd + traceSize,
        });
        texts.push(
          foldText(decodeCharset(decodeTransfer(raw, part.encoding), part.parameters.charset ?? "us-ascii")),
        );
      }
    }
    return texts;
  }

  const self: SearchText = {
    async headerHolds(name, text) {
      const wanted = foldText(text);
      const lowerName = name.toLowerCase();
      return (await readHeader()).some(
        ([field, value]) =>
          field === lowerName && (value.includes(wanted) || addressesOf(field, value).includes(wanted)),
      );
    },
    async bodyHolds(text) {
      const wanted = foldText(text);
      return (await readBody()).some((value) => value.includes(wanted));
    },
    async holds(text) {
      const wanted = foldText(text);
      const inHeader = (await readHeader()).some(([name, value]) => `${name}: ${value}`.includes(wanted));
      return inHeader || self.bodyHolds(text);
    },
  };
  return self;
}

const addressFields = ["from", "sender", "reply-to", "to", "cc", "bcc"];

/** The addresses of a field without comments and folding inside of them, as ENVELOPE shows them: what a client saw there
 *  it finds. */
function addressesOf(name: string, value: string): string {
  if (!addressFields.includes(name)) return "";
  return listMailAddresses(value)
    .map(({ address }) => address)
    .join("\n");
}

function foldedFields(header: Uint8Array): (readonly [name: string, value: string])[] {
  return readHeaderFields(header).map(
    (field) => [field.name.toLowerCase(), foldText(decodeWords(field.value))] as const,
  );
}
