/** Annotations of mailboxes and of the server (RFC 5464). `/shared/…` is the same for all who may read the mailbox. Each of them has a
 *  separate `/private/…`. */
import type { Author } from "#/src/model/author.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { listMetadata } from "#/storage/queries/mail/metadata.ts";
import type { Store } from "#/storage/store.ts";

/** An annotated mailbox; number 0 stands for the server, with separate entries for each agent. */
export interface MetadataPlace {
  readonly agent: AgentNumber;
  readonly number: MailboxNumber | 0;
}

export interface MetadataEntry {
  /** `/private/comment`, in lower case. */
  readonly name: string;
  readonly value: Uint8Array;
}

export interface MailMetadata {
  /** All entries that an agent sees, by name. */
  listMetadata(place: MetadataPlace, holder: AgentNumber): Promise<readonly MetadataEntry[]>;
  /** null removes an entry. Refuses `too_large`, `limit_reached`. */
  setMetadata(
    by: Author,
    place: MetadataPlace,
    holder: AgentNumber,
    entries: readonly { readonly name: string; readonly value: Uint8Array | null }[],
  ): Promise<{ readonly modseq: Modseq }>;
}

export function createMailMetadata(store: Store): MailMetadata {
  return {
    async listMetadata({ agent, number }, holder) {
      const rows = await listMetadata(store, agent, number, holder);
      const entries = rows.map((row) => ({
        name: `${row.holder === 0 ? shared : personal}${row.name}`,
        value: row.value,
      }));
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async setMetadata(by, { agent, number }, holder, entries) {
      return store.write(by, "setMetadata", {
        agent,
        mailbox: number,
        entries: entries.map(({ name, value }) =>
          name.startsWith(shared)
            ? { holder: 0, name: name.slice(shared.length), value }
            : { holder, name: name.slice(personal.length), value },
        ),
        at: store.clock.now(),
      });
    },
  };
}

/** Names of entries as in the change log, without their holder. */
export function loggedEntryNames(change: { readonly ids: string; readonly data: string | null }): string[] {
  const prefix = change.ids === "0" ? shared : personal;
  return (JSON.parse(change.data ?? "[]") as string[]).map((name) => `${prefix}${name}`);
}

const shared = "/shared";
const personal = "/private";
