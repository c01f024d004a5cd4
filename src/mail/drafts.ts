/** Drafts: messages in Drafts with their own ids, which stay when a mail client stores them again. */
import type { Author } from "#/src/model/author.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import { findDraft, findDraftOfMessage } from "#/storage/queries/mail/drafts.ts";
import type { Store } from "#/storage/store.ts";
import type { Provenance } from "./messages.ts";
import type { PreparePut } from "./prepare-put.ts";
import { type Idempotency, type Once, writeOnce } from "./write-once.ts";

/** The options that the writer chose. They stay when a person edits the text later. */
export interface DraftOptions {
  /** ISO 8601, in UTC; with the zone that was given in drafts from before. */
  readonly sendAt?: string;
  readonly hold?: "policy" | "always";
  /** The answered message. */
  readonly inReplyTo?: MessageNumber;
  /** The message that is forwarded as an attachment. */
  readonly forwardOf?: MessageNumber;
}

export interface Draft {
  readonly agent: AgentNumber;
  readonly number: number;
  readonly id: string;
  /** The current message of the draft. */
  readonly message: MessageNumber;
  /** Changes only with the bytes. */
  readonly version: string;
  readonly options: DraftOptions;
}

export interface NewDraft {
  /** The complete message. */
  readonly bytes: Uint8Array;
  readonly options: DraftOptions;
  readonly provenance: Provenance;
  /** Whether its writer may send as its sender. */
  readonly isAuthenticated: boolean;
}

/** What a write made. */
export interface WrittenDraft {
  readonly message: MessageNumber;
  readonly modseq: Modseq;
  /** As `DraftOptions` have it. */
  readonly sendAt?: string | undefined;
}

export interface Drafts {
  /** undefined if it is no longer in Drafts. */
  findDraft(agent: AgentNumber, draft: number): Promise<Draft | undefined>;
  /** The draft that a message is now. */
  findDraftOfMessage(agent: AgentNumber, message: MessageNumber): Promise<Draft | undefined>;
  createDraft(
    by: Author,
    agent: AgentNumber,
    draft: NewDraft,
    idempotency?: Idempotency,
  ): Promise<Once<WrittenDraft & { readonly draft: number }>>;
  /** Replaces the message. `version`: the one that was read; a different one is `precondition_failed`, as below. */
  updateDraft(
    by: Author,
    agent: AgentNumber,
    draft: number,
    version: string | undefined,
    changed: NewDraft,
    idempotency?: Idempotency,
  ): Promise<Once<WrittenDraft>>;
  /** Moves the draft to Trash. */
  deleteDraft(
    by: Author,
    agent: AgentNumber,
    draft: number,
    version: string | undefined,
    idempotency?: Idempotency,
  ): Promise<Once<{ readonly modseq: Modseq }>>;
}

export function createDrafts(store: Store, preparePut: PreparePut): Drafts {
  const at = (): number => store.clock.now();
  const prepare = async ({ bytes, options, provenance, isAuthenticated }: NewDraft) => ({
    message: {
      facts: await preparePut(bytes, { isOwn: true }),
      provenance: JSON.stringify(provenance),
      isAuthenticated,
    },
    options: JSON.stringify(options),
    sendAt: options.sendAt,
    at: at(),
  });

  const drafts: Drafts = {
    async findDraft(agent, number) {
      const held = await findDraft(store, agent, number);
      if (held === undefined) return undefined;
      const { message, version, options } = held;
      const id = store.ids.encode("draft", agent, number);
      return { agent, number, id, message, version, options: JSON.parse(options) as DraftOptions };
    },
    async findDraftOfMessage(agent, message) {
      const number = await findDraftOfMessage(store, agent, message);
      return number === undefined ? undefined : drafts.findDraft(agent, number);
    },
    async createDraft(by, agent, draft, idempotency) {
      const args = { agent, ...(await prepare(draft)) };
      const transfer = transferableBuffers(args.message.facts.blob);
      return writeOnce(store, by, "createDraft", args, idempotency, { transfer });
    },
    async updateDraft(by, agent, draft, version, changed, idempotency) {
      const args = { agent, draft, version, ...(await prepare(changed)) };
      const transfer = transferableBuffers(args.message.facts.blob);
      return writeOnce(store, by, "updateDraft", args, idempotency, { transfer });
    },
    deleteDraft: (by, agent, draft, version, idempotency) =>
      writeOnce(store, by, "deleteDraft", { agent, draft, version, at: at() }, idempotency),
  };
  return drafts;
}
