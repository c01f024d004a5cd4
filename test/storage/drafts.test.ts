/** The message that belongs to a draft, after any sequence of changes to Drafts by mail clients and the interface. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { draftFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import { findDraft, findDraftOfMessage } from "#/storage/queries/mail/drafts.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { openTestStore, seedAgent, testFacts } from "../support/store.ts";

const keyOf = (number: number): Uint8Array => new Uint8Array(16).fill(number + 1);

interface Place {
  readonly uid: Uid;
  readonly message: MessageNumber;
}

class Client {
  readonly #store: Store;
  readonly #agent: AgentNumber;
  readonly #at = 0;
  #mailboxes = new Map<string, MailboxNumber>();

  constructor(store: Store, agent: AgentNumber) {
    this.#store = store;
    this.#agent = agent;
  }

  async open(): Promise<void> {
    for (const { role, mailbox } of await listMailboxes(this.#store, this.#agent))
      if (role !== null) this.#mailboxes.set(role, mailbox);
  }

  list(role: "drafts" | "archive"): Promise<Place[]> {
    return this.#store.all<Place>(
      "select uid, message_id as message from entry where agent_id = ? and mailbox_id = ? order by uid",
      this.#agent,
      this.#mailboxes.get(role)!,
    );
  }

  async #message(keys: readonly number[]) {
    const facts = { ...(await testFacts()), draftKeys: keys.map(keyOf) };
    return { facts, provenance: "{}", isAuthenticated: false };
  }

  async #appended(keys: readonly number[]) {
    return { ...(await this.#message(keys)), flags: draftFlag, keywords: [], internalDate: this.#at };
  }

  async append(keys: readonly number[]): Promise<void> {
    const [agent, at] = [this.#agent, this.#at];
    const mailbox = this.#mailboxes.get("drafts")!;
    await this.#store.write(nobody, "appendMessages", {
      actor: nobody,
      agent,
      mailbox,
      messages: [await this.#appended(keys)],
      at,
    });
  }

  async replace(pick: number, keys: readonly number[]): Promise<void> {
    const place = await this.#pick("drafts", pick);
    if (place === undefined) return;
    const [agent, at, uid] = [this.#agent, this.#at, place.uid];
    const source = this.#mailboxes.get("drafts")!;
    const message = await this.#appended(keys);
    await this.#store.write(nobody, "replaceMessage", {
      actor: nobody,
      agent,
      source,
      uid,
      target: source,
      message,
      at,
    });
  }

  async move(pick: number, from: "drafts" | "archive", to: "drafts" | "archive"): Promise<void> {
    const place = await this.#pick(from, pick);
    if (place === undefined) return;
    const [agent, at] = [this.#agent, this.#at];
    const [source, target] = [this.#mailboxes.get(from)!, this.#mailboxes.get(to)!];
    const uids = [[place.uid, place.uid]] as const;
    await this.#store.write(nobody, "moveMessages", { actor: nobody, agent, source, target, uids, at });
  }

  async expunge(pick: number): Promise<void> {
    const place = await this.#pick("drafts", pick);
    if (place === undefined) return;
    const [agent, at, mailbox] = [this.#agent, this.#at, this.#mailboxes.get("drafts")!];
    const uids = [[place.uid, place.uid]] as const;
    const flags = { mode: "add", flags: 8, keywords: [] } as const;
    await this.#store.write(nobody, "storeFlags", { actor: nobody, agent, mailbox, uids, ...flags, at });
    await this.#store.write(nobody, "expungeMessages", { actor: nobody, agent, mailbox, uids, at });
  }

  async create(keys: readonly number[]): Promise<void> {
    const [agent, at] = [this.#agent, this.#at];
    await this.#store.write(nobody, "createDraft", {
      agent,
      message: await this.#message(keys),
      options: "{}",
      at,
    });
  }

  /** The draft keeps its name. */
  async update(pick: number, keys: readonly number[]): Promise<void> {
    const place = await this.#pick("drafts", pick);
    const draft = place && (await findDraftOfMessage(this.#store, this.#agent, place.message));
    if (draft === undefined) return;
    const [agent, at, version] = [this.#agent, this.#at, String(place!.message)];
    const args = { agent, draft, version, message: await this.#message(keys), options: "{}", at };
    const { message } = await this.#store.write(nobody, "updateDraft", args);
    expect((await findDraft(this.#store, agent, draft))?.message).toBe(message);
    await expect(this.#store.write(nobody, "updateDraft", args)).rejects.toMatchObject({
      code: "precondition_failed",
    });
  }

  async delete(pick: number): Promise<void> {
    const place = await this.#pick("drafts", pick);
    const draft = place && (await findDraftOfMessage(this.#store, this.#agent, place.message));
    if (draft === undefined) return;
    const [agent, at] = [this.#agent, this.#at];
    await this.#store.write(nobody, "deleteDraft", { agent, draft, version: String(place!.message), at });
    expect((await findDraft(this.#store, agent, draft))?.message).not.toBe(place!.message);
  }

  async #pick(role: "drafts" | "archive", pick: number): Promise<Place | undefined> {
    const places = await this.list(role);
    return places[pick % Math.max(1, places.length)];
  }

  /** Each message in Drafts is one draft, which is that message and no other; or one that a newer message has taken over. */
  async check(): Promise<void> {
    const names = new Map<number, MessageNumber>();
    for (const { message } of await this.list("drafts")) {
      const draft = await findDraftOfMessage(this.#store, this.#agent, message);
      if (draft === undefined) continue;
      expect((await findDraft(this.#store, this.#agent, draft))?.message).toBe(message);
      expect(names.get(draft) ?? message).toBe(message);
      names.set(draft, message);
    }
    for (const { message } of await this.list("archive")) {
      const draft = await findDraftOfMessage(this.#store, this.#agent, message);
      if (draft !== undefined)
        expect((await findDraft(this.#store, this.#agent, draft))?.message).not.toBe(message);
    }
  }
}

it("keeps each draft one message, and each message in Drafts at most one draft, after any history", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const keys = fc.uniqueArray(fc.nat(2), { maxLength: 2 });
  const pick = fc.nat(9);
  const step = fc.oneof(
    keys.map((known) => (client: Client) => client.append(known)),
    fc.tuple(pick, keys).map(
      ([at, known]) =>
        (client: Client) =>
          client.replace(at, known),
    ),
    pick.map((at) => (client: Client) => client.move(at, "drafts", "archive")),
    pick.map((at) => (client: Client) => client.move(at, "archive", "drafts")),
    pick.map((at) => (client: Client) => client.expunge(at)),
    keys.map((known) => (client: Client) => client.create(known)),
    fc.tuple(pick, keys).map(
      ([at, known]) =>
        (client: Client) =>
          client.update(at, known),
    ),
    pick.map((at) => (client: Client) => client.delete(at)),
  );
  let agents = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { agent } = await seedAgent(store, `a${agents++}`);
      const client = new Client(store, agent);
      await client.open();
      for (const one of steps) {
        await one(client);
        await client.check();
      }
    }),
    { numRuns: 40 },
  );
});
