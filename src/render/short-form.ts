/** A message in a listing: from its rows, with its preview. */
import { shownAddress } from "#/src/evidence/shown-address.ts";
import type { MimePart } from "#/src/formats/mime/structure.ts";
import type { Message } from "#/src/mail/messages.ts";
import { fileName } from "./body-parts.ts";
import { cleanLine } from "./clean-text.ts";
import type { Address } from "./envelope.ts";
import { isoTime, isoTimeOrNothing } from "./iso-time.ts";
import { mediaType, shownName } from "./message-content.ts";
import type { MessageState } from "./message-state.ts";
import { createRemovalTally, type RemovalTally } from "./removal.ts";

export interface ShortForm extends Omit<MessageState, "answered" | "draft">, ShortFacts {
  readonly version: string;
}

/** What of it never changes. */
export interface ShortFacts {
  readonly from?: Address;
  readonly subject: string;
  readonly date?: string;
  readonly received_at: string;
  readonly size: number;
  readonly authenticated: boolean;
  readonly agent_part: boolean;
  readonly attachments?: readonly ListedAttachment[];
  /** How many more there are. */
  readonly attachments_more?: number;
  readonly preview: string;
}

export interface ListedAttachment {
  readonly part: string;
  readonly name?: string;
  readonly type: string;
  readonly size: number;
}

const attachmentsMax = 10;

export function shortForm(message: Message, state: MessageState, facts: ShortFacts): ShortForm {
  const { id, answered: _answered, draft: _draft, ...listed } = state;
  return { id, version: message.version, ...listed, ...facts };
}

export function shortFacts(message: Message, preview: string, structure: MimePart): ShortFacts {
  const tally = createRemovalTally();
  const date = isoTimeOrNothing(message.sentAt);
  const address = cleanLine(shownAddress(message.fromAddress), "from", tally, 320);
  const name = cleanLine(message.fromName, "from", tally, 200);
  return {
    ...(address === "" ? {} : { from: name === "" ? { address } : { name, address } }),
    subject: cleanLine(message.subject, "subject", tally),
    ...(date === undefined ? {} : { date }),
    received_at: isoTime(message.receivedAt),
    size: message.size,
    authenticated: message.isAuthenticated,
    agent_part: message.hasAgentPart,
    ...attachmentFacts(structure, tally),
    preview,
  };
}

/** What a mail program lists as files: parts with a name, or that say so. A mail inside of the mail is one of them. */
function attachmentFacts(structure: MimePart, tally: RemovalTally): Partial<ShortFacts> {
  const files = listFiles(structure);
  if (files.length === 0) return {};
  const attachments = files.slice(0, attachmentsMax).map((part) => {
    const name = shownName(part, tally);
    const size = part.bodyEnd - part.bodyStart;
    return { part: part.section, ...(name === "" ? {} : { name }), type: mediaType(part, tally), size };
  });
  const more = files.length - attachments.length;
  return { attachments, ...(more === 0 ? {} : { attachments_more: more }) };
}

/** The section of the first file with this name. */
export function findFile(structure: MimePart, name: string): string | undefined {
  return listFiles(structure).find((part) => shownName(part, createRemovalTally()) === name)?.section;
}

function listFiles(part: MimePart): MimePart[] {
  if (part.type === "multipart") return part.parts.flatMap(listFiles);
  const isFile = part.disposition === "attachment" || part.type === "message" || fileName(part) !== "";
  return isFile ? [part] : [];
}
