/** Clients that move from daemon to daemon and follow changes. At each daemon they continue with what they know from the last one. */
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "#/src/client/client.ts";
import type { Store } from "#/storage/store.ts";
import { connectRawImap, type RawImap, type RawResponse } from "../support/clients/raw-imap.ts";
import type { ChildDaemon } from "../support/daemon.ts";

export interface Moving {
  /** The daemon of the next stay. */
  daemon(): ChildDaemon;
  readonly state: { readonly isStopped: boolean };
  /** The number of the agent among the daemon's agents. */
  readonly agent: number;
}

const stayMsMax = 2000;
/** After the end of the load a client stops when this many stays brought nothing new. */
const quietStays = 3;

export interface FollowedEvents {
  /** Resolves with the number of received events. */
  readonly ended: Promise<number>;
  /** Compares the events with the store. Returns faults. */
  compare(store: Store, address: string): Promise<string[]>;
}

/** Follows `watch` streams. Each continues with the cursor of the last event. Resolves when it has its first cursor. */
export async function followEvents({ daemon, state, agent }: Moving): Promise<FollowedEvents> {
  const first = daemon();
  let { cursor } = await createClient({ url: first.http.url, token: first.agents[agent]!.token }).call(
    "wait",
  );
  const seen: string[] = [];
  let received = 0;
  async function follow(): Promise<number> {
    for (let quiet = 0; quiet < quietStays; ) {
      const place = daemon();
      const client = createClient({ url: place.http.url, token: place.agents[agent]!.token });
      const before = seen.length;
      const signal = AbortSignal.timeout(200 + Math.floor(Math.random() * stayMsMax));
      try {
        for await (const event of client.events({ cursor }, { signal })) {
          seen.push(event.cursor);
          if (event.type === "mail.received") received++;
          ({ cursor } = event);
        }
      } catch {
        // The daemon was killed, or the stay has ended.
        await delay(50);
      }
      quiet = state.isStopped && seen.length === before ? quiet + 1 : 0;
    }
    return seen.length;
  }
  return {
    ended: follow(),
    async compare(store, address) {
      const row = await store.get<{ count: number }>(
        `select count(*) as count
        from change
        join agent on agent.agent_id = change.agent_id
        join address on address.agent_id = agent.agent_id
        where address.local_part = ? and address.domain = ? and change.event = 'mail.received'`,
        ...address.split("@"),
      );
      const faults: string[] = [];
      if (new Set(seen).size !== seen.length) faults.push("an event was told twice");
      if (row!.count !== received) faults.push(`${received} of ${row!.count} mails were told`);
      return faults;
    },
  };
}

export interface FollowedMailbox {
  readonly moves: number;
  compare(daemon: ChildDaemon): Promise<string[]>;
}

/** Follows INBOX over IMAP by QRESYNC (RFC 7162 section 3.2.5), with a stay at each daemon. */
export async function followMailbox({ daemon, state, agent }: Moving): Promise<FollowedMailbox> {
  const flags = new Map<number, string>();
  let known: { uidValidity: string; modseq: bigint } | undefined;
  let moves = 0;
  let news = 0;
  const take = (untagged: readonly RawResponse[]): void => {
    for (const { text } of untagged) {
      const uid = Number(/ FETCH .*\bUID (\d+)/.exec(text)?.[1] ?? 0);
      if (uid === 0) continue;
      flags.set(uid, flagsOf(text));
      news++;
    }
  };
  const modseqOf = ({ untagged, status }: { untagged: readonly RawResponse[]; status: string }): bigint =>
    BigInt(/HIGHESTMODSEQ (\d+)/.exec([...untagged.map(({ text }) => text), status].join("\n"))?.[1] ?? "0");
  for (let quiet = 0; quiet < quietStays; ) {
    const before = news;
    try {
      await using imap = await login(daemon(), agent);
      await imap.command("ENABLE QRESYNC");
      const resync = known === undefined ? "" : ` (QRESYNC (${known.uidValidity} ${known.modseq}))`;
      const selected = await imap.command(`SELECT INBOX${resync}`);
      if (!selected.status.startsWith("OK")) throw new Error(selected.status);
      take(selected.untagged);
      const lines = selected.untagged.map(({ text }) => text).join("\n");
      const uidValidity = /UIDVALIDITY (\d+)/.exec(lines)![1]!;
      if (known === undefined) take((await imap.command("UID FETCH 1:* (UID FLAGS)")).untagged);
      // SELECT reports the state up to this MODSEQ. Later changes come in this stay or at the next daemon.
      known = { uidValidity, modseq: modseqOf(selected) };
      await delay(Math.random() * stayMsMax);
      moves++;
    } catch {
      await delay(50);
      continue;
    }
    quiet = state.isStopped && news === before ? quiet + 1 : 0;
  }
  return {
    moves,
    async compare(place) {
      await using imap = await login(place, agent);
      await imap.command("SELECT INBOX");
      const { untagged } = await imap.command("UID FETCH 1:* (UID FLAGS)");
      const there = new Map<number, string>();
      for (const { text } of untagged) {
        const uid = Number(/ FETCH .*\bUID (\d+)/.exec(text)?.[1] ?? 0);
        if (uid > 0) there.set(uid, flagsOf(text));
      }
      const missed = [...there].filter(([uid, text]) => flags.get(uid) !== text).length;
      const stale = [...flags.keys()].filter((uid) => !there.has(uid)).length;
      if (missed + stale === 0) return [];
      return [`who follows INBOX misses ${missed} of ${there.size} messages, and has ${stale} too many`];
    },
  };
}

function flagsOf(text: string): string {
  const [, flags = ""] = /FLAGS \(([^)]*)\)/.exec(text) ?? [];
  return flags
    .split(" ")
    .filter((flag) => flag !== "\\Recent")
    .sort()
    .join(" ");
}

async function login(daemon: ChildDaemon, agent: number): Promise<RawImap> {
  const imap = await connectRawImap(daemon.imap);
  const { address, password } = daemon.agents[agent]!;
  const { status } = await imap.command(`LOGIN ${address} ${password}`);
  if (status.startsWith("OK")) return imap;
  await imap[Symbol.asyncDispose]();
  throw new Error(`login refused: ${status}`);
}
