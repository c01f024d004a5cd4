/** Random sequences of writes against a small model: the mailboxes hold what the model holds, and a client that only replays the change log
 *  gets the same UIDs. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { numberSetOf, numbersIn, parseNumberSet } from "#/src/model/number-set.ts";
import type { MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { entryPages } from "#/storage/queries/mail/entries.ts";
import { listKeywords, listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { append } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";

const seen = 1;
const deleted = 8;
const words = ["work", "Work", "play", "$Junk"];
const places = ["INBOX", "Archive", "Extra"] as const;

type Place = (typeof places)[number];
interface Held {
  system: number;
  words: Set<string>;
}
/** By mailbox, then by UID. */
type Model = Record<Place, { next: number; held: Map<number, Held> }>;

type Action =
  | { kind: "append"; place: Place; system: number; words: string[] }
  | {
      kind: "store";
      place: Place;
      uids: number[];
      mode: "add" | "remove" | "replace";
      system: number;
      words: string[];
    }
  | { kind: "copy" | "move"; place: Place; target: Place; uids: number[] }
  | { kind: "expunge"; place: Place; uids: number[] | undefined };

const place = fc.constantFrom(...places);
const uids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 6 });
const system = fc.constantFrom(0, seen, deleted, seen | deleted);
const someWords = fc.uniqueArray(fc.constantFrom(...words), { maxLength: 2 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), place, system, words: someWords }),
  fc.record({
    kind: fc.constant("store" as const),
    place,
    uids,
    mode: fc.constantFrom("add" as const, "remove" as const, "replace" as const),
    system,
    words: someWords,
  }),
  fc.record({ kind: fc.constantFrom("copy" as const, "move" as const), place, target: place, uids }),
  fc.record({ kind: fc.constant("expunge" as const), place, uids: fc.option(uids, { nil: undefined }) }),
);

function fold(list: readonly string[]): string[] {
  return list.map((word) => word.toLowerCase());
}

function applyToModel(model: Model, done: Action): void {
  const { held } = model[done.place];
  const put = (target: Place, entry: Held) =>
    model[target].held.set(model[target].next++, { system: entry.system, words: new Set(entry.words) });
  if (done.kind === "append") {
    put(done.place, { system: done.system, words: new Set(fold(done.words)) });
    return;
  }
  const chosen = [...held].filter(([uid]) => done.uids === undefined || done.uids.includes(uid));
  for (const [uid, entry] of chosen)
    if (done.kind === "store") {
      const change = fold(done.words);
      if (done.mode === "replace") {
        entry.system = done.system;
        entry.words = new Set(change);
      } else if (done.mode === "add") {
        entry.system |= done.system;
        for (const word of change) entry.words.add(word);
      } else {
        entry.system &= ~done.system;
        for (const word of change) entry.words.delete(word);
      }
    } else if (done.kind === "expunge") {
      if (entry.system & deleted) held.delete(uid);
    } else {
      put(done.target, entry);
      if (done.kind === "move") held.delete(uid);
    }
}

async function applyToStore(
  store: Store,
  seed: Seed,
  boxes: Record<Place, MailboxNumber>,
  done: Action,
): Promise<void> {
  const { agent } = seed;
  const mailbox = boxes[done.place];
  const at = store.clock.now();
  if (done.kind === "append")
    await append(store, { ...seed, inbox: mailbox }, 1, { flags: done.system, keywords: done.words });
  else if (done.kind === "store")
    await store.write(nobody, "storeFlags", {
      actor: nobody,
      agent,
      mailbox,
      uids: numberSetOf(done.uids),
      mode: done.mode,
      flags: done.system,
      keywords: done.words,
      at,
    });
  else if (done.kind === "expunge")
    await store.write(nobody, "expungeMessages", {
      actor: nobody,
      agent,
      mailbox,
      uids: done.uids && numberSetOf(done.uids),
      at,
    });
  else
    await store.write(nobody, done.kind === "copy" ? "copyMessages" : "moveMessages", {
      actor: nobody,
      agent,
      source: mailbox,
      target: boxes[done.target],
      uids: numberSetOf(done.uids),
      at,
    });
}

async function readStore(store: Store, seed: Seed, mailbox: MailboxNumber): Promise<Map<number, Held>> {
  const names = (await listKeywords(store, seed.agent)).map(({ name }) => name.toLowerCase());
  const held = new Map<number, Held>();
  for await (const rows of entryPages(store, seed.agent, mailbox, [[1, 4294967295]]))
    for (const { uid, flags } of rows)
      held.set(uid, {
        system: flags & 31,
        words: new Set(names.filter((_, number) => flags & (1 << (8 + number)))),
      });
  return held;
}

/** The log from `after` on, told to a listener that knew `known`; the highest MODSEQ of each UID beside it. */
async function replay(store: Store, seed: Seed, mailbox: MailboxNumber): Promise<Map<number, number>> {
  const known = new Map<number, number>();
  const changes = await listChanges(store, seed.agent, 0 as Modseq, 1e9 as Modseq, 1e6);
  for (const change of changes)
    if (change.kind === "entry" && change.parent === mailbox)
      for (const uid of numbersIn(parseNumberSet(change.ids)))
        if (change.operation === "remove") known.delete(uid);
        else known.set(uid, change.modseq);
  return known;
}

it("has the same content as a model after any history, and so has its change log", async () => {
  await using test = await openTestStore();
  const { store } = test;
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
      const seed = await seedAgent(store, `agent${count++}`);
      await store.write(nobody, "createMailbox", { agent: seed.agent, name: "Extra", at: 0 });
      const mailboxes = await listMailboxes(store, seed.agent);
      const boxes = Object.fromEntries(mailboxes.map(({ name, mailbox }) => [name, mailbox])) as Record<
        Place,
        MailboxNumber
      >;
      const model = Object.fromEntries(places.map((name) => [name, { next: 1, held: new Map() }])) as Model;
      for (const done of actions) applyToModel(model, done);
      // Posted at once: the groups they fall into must make no difference.
      const facts: Promise<void>[] = [];
      for (const done of actions)
        if (done.kind === "append") {
          await Promise.all(facts.splice(0));
          await applyToStore(store, seed, boxes, done);
        } else facts.push(applyToStore(store, seed, boxes, done));
      await Promise.all(facts);
      for (const name of places) {
        const held = await readStore(store, seed, boxes[name]);
        expect(held).toEqual(model[name].held);
        const entries = await store.all<{ uid: number; modseq: number }>(
          "select uid, modseq from entry where agent_id = ? and mailbox_id = ?",
          seed.agent,
          boxes[name],
        );
        expect(await replay(store, seed, boxes[name])).toEqual(
          new Map(entries.map(({ uid, modseq }) => [uid, modseq])),
        );
      }
    }),
    { numRuns: 60 },
  );
});
