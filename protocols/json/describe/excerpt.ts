/** The text around the first place of searched words in a message: `offset` is where part.describe reads on. */
import type { Message } from "#/src/mail/messages.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { findWords } from "#/src/render/find-words.ts";
import { countCharacters, firstCharacters, startBefore } from "#/src/render/page-text.ts";
import type { OperationContext } from "../operation.ts";
import { readDescription } from "./message.ts";

export interface Excerpt {
  readonly text: string;
  readonly part: "body";
  readonly offset: number;
}

/** Messages of one answer that are read for it. */
export const excerptsMax = 20;
const messageBytesMax = 1024 * 1024;
const charactersMax = 300;

/** undefined if the body does not have the words, or cannot be read at once. */
export async function excerptOf(
  context: OperationContext,
  message: Message,
  words: string,
): Promise<Excerpt | undefined> {
  if (message.size > messageBytesMax) return undefined;
  const text = await textOf(context, message);
  const found = text === undefined ? undefined : await findWords(text, words);
  if (text === undefined || found === undefined) return undefined;
  const from = startBefore(text, found.start, charactersMax / 3);
  return {
    text: firstCharacters(text.slice(from, from + 2 * charactersMax), charactersMax),
    part: "body",
    offset: countCharacters(text, 0, from),
  };
}

async function textOf(context: OperationContext, message: Message): Promise<string | undefined> {
  try {
    const { description } = await readDescription(context, message, "body", undefined);
    return description.text;
  } catch (error) {
    // A body beyond the limits of reading: the listing goes on without it.
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}
