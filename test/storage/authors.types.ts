/** What the compiler refuses: `npm run typecheck` fails if one of these lines compiles. */
import { type Author, nobody } from "#/src/model/author.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";

declare const store: Store;
declare const by: Author;
const at = 0;
const agent = 1 as AgentNumber;
const place = { agent, mailbox: 1 as MailboxNumber, at };

export async function refused(): Promise<void> {
  // @ts-expect-error A write without an author.
  await store.write("createAccount", { name: "a", at });
  // @ts-expect-error A write of which nobody knows the request.
  await store.write({ kind: "token", agent, credential: 1, door: "v1" }, "createAccount", { name: "a", at });
  // @ts-expect-error A write of mail without an actor.
  await store.write(by, "expungeMessages", place);
  // @ts-expect-error An author whose rights are not known.
  await store.write(by, "expungeMessages", { ...place, actor: by });
  await store.write(by, "expungeMessages", { ...place, actor: nobody });
}
