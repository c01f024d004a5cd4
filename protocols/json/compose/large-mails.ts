/** Large mails are made one after the other of each mailbox, and a few at a time (`largeMails` in `src/fairness`). One of 50 MiB is in
 *  memory several times over while it is made, and a request of a few hundred octets can name all of it; and what makes the octets of a
 *  mail takes its turns of the loop as it likes, so that each one more makes them longer. */
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { MessageBodyInput } from "../describe/message-body.ts";

/** A mail up to this is made in a turn of the loop. */
const smallCharacters = 64 * 1024;
const nothing: Disposable = { [Symbol.dispose]() {} };

/** Held until the mail is stored. Throws `rate_limited` when too many of one mailbox wait, and `upstream_unavailable`. */
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
