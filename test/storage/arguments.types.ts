/** What the compiler refuses: `npm run typecheck` fails if one of these lines compiles. A member that has left the storage's type is found
 *  wherever another room still gives it, in a literal, a spread or a value. */
import type { UpdateMessages } from "#/src/mail/writes.ts";
import { type Actor, type Author, nobody } from "#/src/model/author.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Idempotency, Store } from "#/storage/store.ts";

declare const store: Store;
declare const by: Author;
declare const actor: Actor;
declare const once: Idempotency;
declare const update: UpdateMessages & { readonly isPinned?: boolean };
const at = 0;
const agent = 1 as AgentNumber;

export async function refused(): Promise<void> {
  // @ts-expect-error A spread with a member that the write does not know.
  await store.write(by, "updateMessages", { agent, ...update, actor, at });
  // @ts-expect-error The same under a key.
  await store.writeOnce(by, "updateMessages", { agent, ...update, actor, at }, once);
  // @ts-expect-error The same in a piece of a long write.
  await store.inPieces(by, (write) => write("updateMessages", { agent, ...update, actor, at }));
  const values = { agent, mailbox: 1 as MailboxNumber, at, actor: nobody, silent: true };
  // @ts-expect-error A value with such a member.
  await store.write(by, "expungeMessages", values);
  const one = {
    facts: {} as never,
    flags: 0,
    keywords: [],
    internalDate: 0,
    provenance: "{}",
    isAuthenticated: false,
  };
  const messages = [{ ...one, isPinned: true }];
  // @ts-expect-error Such a member inside of a list.
  await store.write(by, "appendMessages", { agent, mailbox: 1 as MailboxNumber, messages, actor, at });
  const { isPinned: _, ...known } = update;
  await store.write(by, "updateMessages", { agent, ...known, actor, at });
}
