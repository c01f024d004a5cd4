/** Named writes, on the test's own thread, and what is kept in memory. */
import { Buffer } from "node:buffer";
import { logStranger } from "#/protocols/connection/stranger-lines.ts";
import { createGivenMarks } from "#/protocols/json/carriage/given-marks.ts";
import { isLivePageSession } from "#/src/accounts/page-session.ts";
import { createProvenPasswords } from "#/src/accounts/proven-passwords.ts";
import { nobody } from "#/src/model/author.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { createKeptDescriptions } from "#/src/render/kept-descriptions.ts";
import { createReadingMemory } from "#/src/render/threads/reading-memory.ts";
import { encodeBlob } from "#/storage/blob.ts";
import { assertMailboxName } from "#/storage/mailbox-name.ts";
import type { CollectionPropertyRow } from "#/storage/queries/collections/collections.ts";
import { assertUnasked } from "#/storage/upgrading/upgrade-plan.ts";
import { beginAgentTransaction } from "#/storage/writing/agent-transaction.ts";
import { resolveKeywords } from "#/storage/writing/mail/keywords.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { isTaken } from "./meeting.ts";

const at = 0;

interface House extends TestDatabase {
  readonly agent: AgentNumber;
}

/** A store with one agent. */
async function openHouse(): Promise<House> {
  const test = await openTestDatabase();
  const { account } = (await test.write("createAccount", { name: "a", at })) as { account: AccountNumber };
  await test.write("createDomain", { name: "x.example", account, at } as never);
  const { agent } = await test.write("createAgent", {
    account,
    kind: "person",
    name: "ada",
    address: { domain: "x.example", localPart: "ada" },
    quotaBytes: 1e9,
    scramSalt: new Uint8Array(16),
    scramIterations: 4096,
    at,
  });
  return { ...test, agent };
}

/** Each of so many writes is taken, one after the other. */
async function writes(
  count: number,
  one: (house: House, number: number) => Promise<unknown>,
): Promise<boolean> {
  using house = await openHouse();
  return await isTaken(async () => {
    for (let number = 0; number < count; number++) await one(house, number);
    return true;
  });
}

/** The keywords of a message, by a named write. */
export async function keepKeywords(names: readonly string[]): Promise<void> {
  using house = await openHouse();
  await resolveKeywords(house.tx, house.agent, names, true);
}

const annotation = (name: string, octets = 1) => ({ holder: 0, name, value: Buffer.alloc(octets, "x") });
const countOf = async ({ tx, agent }: House, table: "mailbox" | "collection"): Promise<number> =>
  (await tx.get<{ count: number }>(`select count(*) as count from ${table} where agent_id = ?`, agent))!
    .count;

export const storeMeetings = {
  mailboxNameBytesMax: { meet: (count: number) => isTaken(() => assertMailboxName("m".repeat(count))) },
  mailboxDepthMax: {
    meet: (count: number) => isTaken(() => assertMailboxName(Array(count).fill("m").join("/"))),
  },
  mailboxesMax: {
    least: 12,
    meet: async (count: number) => {
      using house = await openHouse();
      const before = await countOf(house, "mailbox");
      return await isTaken(async () => {
        for (let number = before; number < count; number++)
          await house.write("createMailbox", { agent: house.agent, name: `m${number}`, at });
        return true;
      });
    },
  },
  collectionsMax: {
    least: 6,
    meet: async (count: number) => {
      using house = await openHouse();
      await calendarWith(house, [], { segment: "first" });
      const before = await countOf(house, "collection");
      return await isTaken(async () => {
        for (let number = before; number < count; number++)
          await calendarWith(house, [], { segment: `c${number}` });
        return true;
      });
    },
  },
  metadataEntriesMax: {
    meet: (count: number) =>
      writes(count, ({ write, agent }, number) =>
        write("setMetadata", { agent, mailbox: 0, entries: [annotation(`/shared/e${number}`)], at } as never),
      ),
  },
  metadataValueBytesMax: {
    meet: (count: number) =>
      writes(1, ({ write, agent }) =>
        write("setMetadata", { agent, mailbox: 0, entries: [annotation("/shared/e", count)], at } as never),
      ),
  },
  metadataEntriesOfAgentMax: {
    meet: (count: number) =>
      writes(count, ({ write, agent }, number) =>
        write("setMetadata", { agent, mailbox: 0, entries: [annotation(`/shared/e${number}`)], at } as never),
      ),
  },
  deadPropertiesMax: {
    meet: (count: number) =>
      writes(1, (house) =>
        calendarWith(
          house,
          Array.from({ length: count }, (_, one) => property(`p${one}`)),
        ),
      ),
  },
  deadPropertyBytesMax: {
    meet: (count: number) => writes(1, (house) => calendarWith(house, [property("p".repeat(count))])),
  },
  collectionTextBytesMax: {
    least: 30,
    meet: (count: number) =>
      writes(1, (house) => calendarWith(house, [], { description: "x".repeat(count) })),
  },
  messagesMax: {
    meet: (count: number) =>
      writes(1, async ({ tx, agent }) => (await locked(tx, agent)).assertRoom(0, count)),
  },
  itemsMax: {
    meet: (count: number) =>
      writes(1, async ({ tx, agent }) => (await locked(tx, agent)).assertRoom(0, 0, count)),
  },
  passkeysMax: {
    meet: (count: number) =>
      writes(count, ({ write, agent }, number) =>
        write("addPasskey", {
          agent,
          passkey: {
            credential: new Uint8Array(16).fill(number),
            publicKey: new Uint8Array(77),
            signCount: 1,
            transports: [],
            host: "x.example",
            name: "",
            challenge: { nonce: new Uint8Array(16).fill(number), expiresAt: 1 },
          },
          at,
        } as never),
      ),
  },
  uploadsMax: {
    meet: (count: number) => writes(count, (house) => upload(house, 1)),
  },
  uploadBytesOfAgentMax: { meet: (count: number) => writes(count, (house) => upload(house, 1)) },
  schemaRowsUnaskedMax: {
    meet: (count: number) =>
      isTaken(() => assertUnasked({ from: 1, to: 2, steps: [{ step: 2, does: "", rows: count }] }, 0)),
  },
  schemaBytesUnaskedMax: {
    meet: (count: number) => isTaken(() => assertUnasked({ from: 1, to: 2, steps: [] }, count)),
  },
};

const locked = (tx: TestDatabase["tx"], agent: AgentNumber) => beginAgentTransaction(tx, agent, at, nobody);
const property = (name: string) => ({ namespace: "", name, xml: "" });

const unset = { ...collectionProperties.none, components: null };

function calendarWith(
  { write, agent }: House,
  deadProperties: readonly CollectionPropertyRow[],
  more: { readonly segment?: string; readonly description?: string } = {},
) {
  return write("createCollection", {
    ...unset,
    kind: "calendar",
    segment: "c",
    agent,
    deadProperties,
    at,
    ...more,
  });
}

async function upload({ write, agent }: House, octets: number): Promise<unknown> {
  const blob = await encodeBlob(Buffer.alloc(octets, "x"), 0, "");
  return write("createUpload", { agent, blob, name: "", type: "", expiresAt: 1, at } as never);
}

const typed = { password: "", salt: new Uint8Array(16), iterations: 4096 };
const asked = { agent: 1, message: 1, part: "1", render: undefined };

export const memoryMeetings = {
  provenPasswordsMax: {
    meet: (count: number) => {
      const proven = createProvenPasswords({ now: () => 0 } as never);
      for (let one = 0; one < count; one++) proven.keep({ ...typed, password: `${one}` }, Buffer.alloc(1));
      return proven.size === count;
    },
  },
  provenPasswordMs: {
    meet: async (count: number) => {
      let now = 0;
      const derived = Buffer.from("derived");
      const proven = createProvenPasswords(
        { now: () => now } as never,
        (() => Promise.resolve({ storedKey: derived })) as never,
      );
      proven.keep(typed, Buffer.from("kept"));
      now = count - 1;
      return (await proven.storedKeyOf(typed)) !== derived;
    },
  },
  pageSessionIdleMs: {
    meet: (count: number) =>
      isLivePageSession({ endedAt: null, seenAt: 0, createdAt: count - 1 } as never, count - 1),
  },
  pageSessionMs: {
    meet: (count: number) =>
      isLivePageSession({ endedAt: null, seenAt: count - 1, createdAt: 0 } as never, count - 1),
  },
  marksGivenMax: {
    meet: (count: number) => {
      const marks = createGivenMarks({ now: () => 0 });
      const first = marks.give();
      for (let one = 1; one < count; one++) marks.give();
      try {
        marks.assertNoneIn(first);
        return false;
      } catch {
        return true;
      }
    },
  },
  rememberedReadingsMax: {
    meet: (count: number) => {
      const memory = createReadingMemory(() => 0);
      for (let one = 0; one < count; one++) memory.keep(`${one}`, { text: "", removed: [] } as never, 1000);
      return memory.recall("0", true) !== undefined;
    },
  },
  rememberedReadingCharactersMax: {
    meet: (count: number) => {
      const memory = createReadingMemory(() => 0);
      memory.keep("0", { text: "x".repeat(count), removed: [] } as never, 1000);
      return memory.recall("0", true) !== undefined;
    },
  },
  keptDescriptionsMax: {
    meet: (count: number) => {
      const kept = createKeptDescriptions();
      const description = { render: "text", description: { removed: [] } } as never;
      for (let one = 0; one < count; one++) kept.keep({ ...asked, message: one } as never, description);
      return kept.recall({ ...asked, message: 0 } as never) !== undefined;
    },
  },
  keptShortFormsMax: {
    meet: (count: number) => {
      const kept = createKeptDescriptions();
      for (let one = 0; one < count; one++) kept.keepFacts({ agent: 1, message: one } as never, {} as never);
      return kept.recallFacts({ agent: 1, message: 0 } as never) !== undefined;
    },
  },
  strangerLinesOfNetworkMax: { meet: (count: number) => linesOf(count, () => "192.0.2.1") === count },
  strangerLinesTotalMax: { meet: (count: number) => linesOf(count, (one) => `10.0.${one}.1`) === count },
};

function linesOf(count: number, addressOf: (one: number) => string): number {
  let lines = 0;
  const log = { isLevelEnabled: () => true, info: () => void lines++, warn: () => {} };
  for (let one = 0; one < count; one++) logStranger(log as never, "info", addressOf(one), {}, "x");
  return lines;
}
