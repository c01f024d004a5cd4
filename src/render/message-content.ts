/** The structured form of a message (`kind: "message"`), and of the list of its parts. */
import { decodeName } from "#/src/formats/mime/encoded-words.ts";
import { type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import { fileName } from "./body-parts.ts";
import { cleanLine } from "./clean-text.ts";
import { type HeaderFacts, headerFacts } from "./envelope.ts";
import { isoTime, isoTimeOrNothing } from "./iso-time.ts";
import type { RemovalTally } from "./removal.ts";

export interface ShownPart {
  readonly part: string;
  readonly type: string;
  readonly charset?: string;
  readonly disposition?: string;
  readonly name?: string;
  /** Octets as they were sent, transfer encoding and all. */
  readonly size: number;
  readonly cid?: string;
}

export interface MessageContent extends HeaderFacts {
  readonly date?: string;
  readonly received_at: string;
  readonly size: number;
  readonly agent_part: boolean;
  readonly parts: readonly ShownPart[];
}

const partsShownMax = 200;

export async function messageContent(
  mail: Mail,
  message: Message,
  structure: MimePart,
  tally: RemovalTally,
): Promise<MessageContent> {
  const header = await mail.readBytes(message, mail.findSection(message, structure, "HEADER"));
  const date = isoTimeOrNothing(message.sentAt);
  return {
    ...(await headerFacts(header, tally)),
    ...(date === undefined ? {} : { date }),
    received_at: isoTime(message.receivedAt),
    size: message.size,
    agent_part: message.hasAgentPart,
    parts: shownParts(structure, tally),
  };
}

/** Parts that hold something themselves, those of nested messages too. */
function shownParts(structure: MimePart, tally: RemovalTally): ShownPart[] {
  const leaves = walkParts(structure).filter((part) => part.type !== "multipart");
  if (leaves.length > partsShownMax) tally.add("over-limit", "parts", leaves.length - partsShownMax);
  return leaves.slice(0, partsShownMax).map((part) => shownPart(part, tally));
}

export function shownPart(part: MimePart, tally: RemovalTally): ShownPart {
  const { charset } = part.parameters;
  const where = part.section;
  const name = shownName(part, tally);
  return {
    part: part.section,
    type: mediaType(part, tally),
    ...(charset === undefined ? {} : { charset: cleanLine(charset, where, tally, 60) }),
    ...(part.disposition === undefined ? {} : { disposition: cleanLine(part.disposition, where, tally, 60) }),
    ...(name === "" ? {} : { name }),
    size: part.bodyEnd - part.bodyStart,
    ...(part.contentId === undefined
      ? {}
      : { cid: cleanLine(part.contentId.trim().replace(/^<|>$/g, ""), where, tally, 320) }),
  };
}

export function mediaType(part: MimePart, tally: RemovalTally): string {
  return cleanLine(`${part.type}/${part.subtype}`, part.section, tally, 127);
}

/** A name to show, not a path to write to: what stands before the last slash or backslash is left out. */
export function shownName(part: MimePart, tally: RemovalTally): string {
  const line = cleanLine(decodeName(fileName(part)), part.section, tally, 255);
  return line.slice(Math.max(line.lastIndexOf("/"), line.lastIndexOf("\\")) + 1);
}
