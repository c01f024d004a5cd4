/** Large mails are composed one after the other for each mailbox, and a few at a time in all (`largeMails` in `src/fairness`). A mail
 *  of 50 MiB is in memory several times while it is composed, and a request of a few hundred octets can cause it. Composing also
 *  blocks the event loop for long turns, so many at once would slow all of them down. */
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { MessageBodyInput } from "../describe/message-body.ts";

/** A mail up to this size is composed in one turn of the event loop. */
const smallCharacters = 64 * 1024;
const nothing: Disposable = { [Symbol.dispose]() {} };

/** Takes a turn, which is held until the mail is stored. Throws `rate_limited` if too many mails of the mailbox wait already, and
 *  `upstream_unavailable`. */
export async function takeTurnIfLarge(
  fairness: Fairness,
  body: MessageBodyInput | undefined,
  draft?: string | undefined,
): Promise<Disposable> {
  return draft !== undefined || (body !== undefined && isLarge(body))
    ? fairness.gate("largeMails").enter()
    : nothing;
}

function isLarge({
  text = "",
  html = "",
  forward_of: forwarded,
  attachments = [],
}: MessageBodyInput): boolean {
  if (forwarded !== undefined) return true;
  if (attachments.some(({ blob, part }) => blob !== undefined || part !== undefined)) return true;
  const data = attachments.reduce((sum, attachment) => sum + (attachment.data ?? "").length, 0);
  return text.length + html.length + data > smallCharacters;
}
