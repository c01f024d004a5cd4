/** The properties of a message that its rows alone tell: its folder and its flags. */

import type { Message, MessagePlace } from "#/src/mail/messages.ts";
import { answeredFlag, draftFlag, keywordNumbers } from "#/src/model/flags.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import { type Marks, marksOf } from "#/src/model/marks.ts";
import { messageDeclarations } from "#/src/model/message-properties.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { type ShownProperties, shownProperties } from "./shown-properties.ts";

export interface MessageState extends Marks, ShownProperties<typeof messageDeclarations> {
  readonly id: string;
  readonly thread: string;
  readonly folder: string;
  readonly labels: readonly string[];
  readonly answered: boolean;
  readonly draft: boolean;
}

/** `keywords`: names by number. `isVisible`: folders that the reader reaches; one of the message's is among them. */
export function messageState(
  ids: IdCodec,
  message: Message,
  keywords: readonly string[],
  isVisible: (mailbox: MailboxNumber) => boolean,
): MessageState {
  const place = shownPlace(message, isVisible);
  const { mask } = place.flags;
  const labels = labelsOf(place, keywords);
  return {
    id: message.id,
    thread: message.threadId,
    folder: ids.encode("folder", message.agent, place.mailbox),
    labels,
    ...marksOf(mask, labels),
    ...shownProperties(messageDeclarations, message.properties),
    answered: (mask & answeredFlag) !== 0,
    draft: (mask & draftFlag) !== 0,
  };
}

/** The oldest place that the reader reaches. */
function shownPlace(message: Message, isVisible: (mailbox: MailboxNumber) => boolean): MessagePlace {
  return message.places.find((place) => isVisible(place.mailbox)) ?? message.places[0]!;
}

/** Every keyword is a label, also the `$label1` that a mail program shows as a tag. */
function labelsOf(place: MessagePlace, keywords: readonly string[]): string[] {
  return keywordNumbers(place.flags)
    .map((number) => keywords[number])
    .filter((name) => name !== undefined);
}
