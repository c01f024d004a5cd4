import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import { prepareMessage } from "./prepare-message.ts";

/** The facts of a message that its owner puts into a mailbox. `isOwn`: this server composed it, and fields with its results stay. */
export type PreparePut = (bytes: Uint8Array, put: { readonly isOwn: boolean }) => Promise<MessageFacts>;

/** On this thread. `ownNames`: names of this server. A foreign Authentication-Results field that claims one of them is forged. */
export function preparePutHere(ownNames: readonly string[]): PreparePut {
  return (bytes, { isOwn }) => prepareMessage(isOwn ? bytes : withoutForgedResults(bytes, ownNames));
}
