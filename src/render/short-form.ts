/** A message as a line of a listing: from its rows, with the beginning of what it says. */
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import { renderBody, type TextSource } from "./body-text.ts";
import { cleanLine } from "./clean-text.ts";
import type { Address } from "./envelope.ts";
import { isoTime, isoTimeOrNothing, type MessageState } from "./message-state.ts";
import { firstCharacters } from "./page-text.ts";
import { createRemovalTally } from "./removal.ts";

export interface ShortForm
  extends Pick<MessageState, "id" | "thread" | "folder" | "labels" | "unread" | "flagged"> {
  readonly version: string;
  readonly from?: Address;
  readonly subject: string;
  readonly date?: string;
  readonly received_at: string;
  readonly size: number;
  readonly authenticated: boolean;
  readonly agent_part: boolean;
  readonly preview: string;
}

/** Octets of a part that a preview is made of. */
const previewBytes = 8 * 1024;
export const previewCharactersMax = 256;

export async function shortForm(
  source: TextSource & { readonly mail: Mail },
  message: Message,
  state: MessageState,
): Promise<ShortForm> {
  const tally = createRemovalTally();
  const date = isoTimeOrNothing(message.sentAt);
  const address = cleanLine(message.fromAddress, "from", tally, 320);
  const name = cleanLine(message.fromName, "from", tally, 200);
  return {
    id: state.id,
    version: message.version,
    thread: state.thread,
    folder: state.folder,
    labels: state.labels,
    unread: state.unread,
    flagged: state.flagged,
    ...(address === "" ? {} : { from: name === "" ? { address } : { name, address } }),
    subject: cleanLine(message.subject, "subject", tally),
    ...(date === undefined ? {} : { date }),
    received_at: isoTime(message.receivedAt),
    size: message.size,
    authenticated: message.isAuthenticated,
    agent_part: message.hasAgentPart,
    preview: await preview(source, message),
  };
}

async function preview(source: TextSource, message: Message): Promise<string> {
  const structure = await source.mail.readStructure(message);
  const { text } = await renderBody(source, message, structure, previewBytes);
  const line = text.slice(0, previewBytes).replace(/\s+/g, " ").trim();
  return firstCharacters(line, previewCharactersMax);
}
