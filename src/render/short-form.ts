/** A message in a listing: from its rows, with its preview. */
import { shownAddress } from "#/src/evidence/shown-address.ts";
import type { Message } from "#/src/mail/messages.ts";
import { cleanLine } from "./clean-text.ts";
import type { Address } from "./envelope.ts";
import { isoTime, isoTimeOrNothing, type MessageState } from "./message-state.ts";
import { createRemovalTally } from "./removal.ts";

export interface ShortForm
  extends Pick<MessageState, "id" | "thread" | "folder" | "labels" | "unread" | "flagged">,
    ShortFacts {
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
  readonly preview: string;
}

export function shortForm(message: Message, state: MessageState, facts: ShortFacts): ShortForm {
  return {
    id: state.id,
    version: message.version,
    thread: state.thread,
    folder: state.folder,
    labels: state.labels,
    unread: state.unread,
    flagged: state.flagged,
    ...facts,
  };
}

export function shortFacts(message: Message, preview: string): ShortFacts {
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
    preview,
  };
}
