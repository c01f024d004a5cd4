/** Mails that may be large are made one after the other. One of 50 MiB is in memory several times over while it is composed, and a
 *  request of a few hundred octets can name all of it; without a bound, some dozens at once would be the end of the process. */
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { MessageBodyInput } from "./message-body.ts";

const nothing: Disposable = { [Symbol.dispose]() {} };

/** Held until the mail is stored. What comes with the request itself is bounded by that. */
export async function takeTurnIfLarge(
  fairness: Fairness,
  body: MessageBodyInput | undefined,
  draft?: string | undefined,
): Promise<Disposable> {
  const isLarge =
    draft !== undefined ||
    body?.forward_of !== undefined ||
    body?.attachments?.some(({ blob, part }) => blob !== undefined || part !== undefined) === true;
  return isLarge ? fairness.gate("largeMails").enter() : nothing;
}
