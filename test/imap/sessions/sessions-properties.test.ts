import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { numbersIn, parseNumberSet } from "#/src/model/number-set.ts";
import { connectRawImap, type RawImap, type RawResponse } from "../../support/clients/raw-imap.ts";
import { startShared } from "../shared-server.ts";

let shared: Awaited<ReturnType<typeof startShared>>;
beforeAll(async () => {
  shared = await startShared();
});
afterAll(async () => {
  await shared[Symbol.asyncDispose]();
});

/** The owner of the mailbox, and who reaches it by a grant. */
type Login = "kim" | "robin";

/** What a client knows of its mailbox from what it was told, and nothing else. */
class Client {
  readonly #imap: RawImap;
  readonly name: string;
  readonly #prefix: string;
  /** By sequence number less one; undefined for a message of which only EXISTS is known. */
  uids: (number | undefined)[] = [];
  readonly flags = new Map<number, ReadonlySet<string>>();
  readonly recent = new Set<number>();

  private constructor(imap: RawImap, name: string, prefix: string) {
    this.#imap = imap;
    this.name = name;
    this.#prefix = prefix;
  }

  static async open(login: Login, enabled: string): Promise<Client> {
    const { port, robin } = shared.server;
    const client = new Client(
      await connectRawImap({ host: "127.0.0.1", port }),
      `${login} ${enabled}`,
      login === "kim" ? "" : "Other Users/kim@example.test/",
    );
    const { password } = login === "kim" ? shared.kim : robin;
    await client.say(`LOGIN ${login}@example.test "${password}"`);
    if (enabled !== "") await client.say(`ENABLE ${enabled}`);
    return client;
  }

  close(): Promise<void> {
    return this.#imap[Symbol.asyncDispose]() as Promise<void>;
  }

  nameOf(box: string): string {
    return `"${this.#prefix}${box}"`;
  }

  async select(box: string): Promise<void> {
    this.uids = [];
    this.flags.clear();
    await this.say(`SELECT ${this.nameOf(box)}`);
  }

  async say(command: string, literal?: Uint8Array): Promise<readonly RawResponse[]> {
    const { status, untagged } = await this.#imap.command(command, literal);
    expect(status, `${this.name}: ${command}`).toMatch(/^OK/);
    for (const { text } of untagged) this.#hear(text, command);
    return untagged;
  }

  #hear(text: string, command: string): void {
    const where = `${this.name}, ${command}: ${text}`;
    const [, number, word, rest = ""] = /^\* (\d+) (EXISTS|EXPUNGE|FETCH)(.*)$/.exec(text) ?? [];
    const seq = Number(number);
    if (word === "EXISTS") {
      expect(seq, where).toBeGreaterThanOrEqual(this.uids.length);
      while (this.uids.length < seq) this.uids.push(undefined);
    } else if (word === "EXPUNGE") {
      expect(command, where).not.toMatch(/^(?:FETCH|STORE|SEARCH)/);
      expect(seq, where).toBeLessThanOrEqual(this.uids.length);
      this.uids.splice(seq - 1, 1);
    } else if (word === "FETCH") {
      expect(seq, where).toBeLessThanOrEqual(this.uids.length);
      this.#learn(seq, rest, where);
    }
    const vanished = /^\* VANISHED ([\d:,]+)$/.exec(text)?.[1];
    if (vanished !== undefined) expect(command, where).not.toMatch(/^(?:FETCH|STORE|SEARCH)/);
    for (const uid of numbersIn(parseNumberSet(vanished ?? ""))) {
      const above = this.uids.findIndex((one) => one !== undefined && one > uid);
      const at = this.uids.indexOf(uid);
      // One whose UID the client does not know yet is below the first that is greater.
      const gone = at >= 0 ? at : (above < 0 ? this.uids.length : above) - 1;
      expect([uid, undefined], where).toContain(this.uids[gone]);
      this.uids.splice(gone, 1);
    }
  }

  #learn(seq: number, items: string, where: string): void {
    const told = /UID (\d+)/.exec(items)?.[1];
    const uid = told === undefined ? this.uids[seq - 1] : Number(told);
    if (uid === undefined) return;
    const known = this.uids[seq - 1];
    if (known !== undefined) expect(uid, where).toBe(known);
    this.uids[seq - 1] = uid;
    const flags = /FLAGS \(([^)]*)\)/.exec(items)?.[1];
    if (flags === undefined) return;
    const all = new Set(flags.split(" ").filter(Boolean));
    if (all.delete("\\Recent")) this.recent.add(uid);
    this.flags.set(uid, all);
  }
}

const step = fc.record({
  kind: fc.constantFrom(
    ...(["append", "append", "store", "store", "store", "copy", "expunge", "uidExpunge"] as const),
    ...(["noop", "search", "fetch", "reselect"] as const),
  ),
  who: fc.nat(3),
  flag: fc.constantFrom("\\Seen", "\\Deleted", "\\Deleted", "\\Flagged", "Work"),
  place: fc.nat(1000),
  mode: fc.constantFrom("+FLAGS", "-FLAGS", "FLAGS", "+FLAGS.SILENT", "-FLAGS.SILENT"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function carryOut(clients: readonly Client[], box: string, one: Step): Promise<void> {
  const client = clients[one.who]!;
  const seq = client.uids.length === 0 ? 0 : 1 + (one.place % client.uids.length);
  switch (one.kind) {
    case "append":
      await client.say(`APPEND ${client.nameOf(box)} (${one.flag})`, Buffer.from("a: 1\r\n\r\n"));
      return;
    case "store": {
      if (seq === 0) return;
      await client.say(`STORE ${seq}:${client.uids.length} ${one.mode} (${one.flag})`);
      if (!one.mode.endsWith("SILENT")) return;
      // The client counts on what it asked for, where nothing else was told of it.
      await client.say(`FETCH ${seq}:${client.uids.length} (UID FLAGS)`);
      return;
    }
    case "copy":
      if (seq > 0) await client.say(`UID COPY ${client.uids[seq - 1] ?? "*"} ${client.nameOf(box)}`);
      return;
    case "expunge":
      await client.say("EXPUNGE");
      return;
    case "uidExpunge":
      if (seq > 0) await client.say(`UID EXPUNGE ${client.uids[seq - 1] ?? "*"}`);
      return;
    case "noop":
      await client.say("NOOP");
      return;
    case "search":
      await client.say("SEARCH ALL");
      return;
    case "fetch":
      if (seq > 0) await client.say(`FETCH ${seq}:${client.uids.length} (UID FLAGS)`);
      return;
    case "reselect":
      await client.select(box);
  }
}

let boxes = 0;
test("sessions that receive each other's changes show the same mailbox", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const box = `Box${++boxes}`;
      const clients: Client[] = [];
      try {
        clients.push(await Client.open("kim", ""), await Client.open("robin", ""));
        clients.push(await Client.open("kim", "CONDSTORE IMAP4rev2"), await Client.open("robin", "QRESYNC"));
        await clients[0]!.say(`CREATE ${box}`);
        for (const client of clients) await client.select(box);
        for (const one of steps) await carryOut(clients, box, one);

        for (const client of clients) await client.say("NOOP");
        const known = clients.map(({ uids, flags }) => ({ uids: [...uids], flags: new Map(flags) }));
        for (const client of clients) await client.say("UID FETCH 1:* (FLAGS)");
        for (const [index, client] of clients.entries()) {
          const before = known[index]!;
          expect(client.uids).toEqual(clients[0]!.uids);
          // What it had put together from what it was told is what is there.
          expect(before.uids.length).toBe(client.uids.length);
          for (const [at, uid] of before.uids.entries())
            if (uid !== undefined) expect(client.uids[at]).toBe(uid);
          for (const uid of client.uids)
            if (before.flags.has(uid!)) expect(before.flags.get(uid!)).toEqual(client.flags.get(uid!));
          for (const uid of client.uids) expect(client.flags.get(uid!)).toEqual(clients[0]!.flags.get(uid!));
        }
        // \Recent is of one session (RFC 3501 section 2.3.2).
        const told = clients.flatMap(({ recent }) => [...recent]);
        expect(new Set(told).size).toBe(told.length);
      } finally {
        for (const client of clients) await client.close();
      }
    }),
    { numRuns: 25 },
  );
});
