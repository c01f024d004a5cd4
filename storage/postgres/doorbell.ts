/** Which agents' logs other daemons have made longer: told by NOTIFY after each commit, and looked for every second among the agents that
 *  somebody here listens to. What is told may get lost, with the connection or with the daemon that committed: an agent that is
 *  listened to costs that a second. For all others `onMissed` says that anything may have happened.
 *
 *  It is told after the commit and on a connection of its own. In the transaction it could not get lost, but PostgreSQL lets only one
 *  transaction commit at a time that notifies. */
import { after, inBackground } from "#/src/model/background.ts";
import type { Touched } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { paddedList, placesFor, type Reader } from "../sql.ts";
import type { DatabasePlace } from "../store.ts";
import { connect, type PostgresSql } from "./connection.ts";

const channel = "waypost_commit";
/** Among the entries: access was changed. */
const accessWord = "access";
/** A notification has 8,000 octets at most, and an entry 33. */
const entriesMax = 200;
/** Commits that wait for a connection; then those who hear of none look for themselves. */
const waitingMax = 100_000;
const pollMs = 1000;
const pollAgentsMax = 1024;

export interface DoorbellHost {
  /** Agents that somebody listens to. */
  listFollowed(): Iterable<AgentNumber>;
  heard(touched: readonly Touched[]): void;
  /** Another daemon has changed access. */
  heardAccess(): void;
  /** Commits may have been missed, of any agent. */
  missed(): void;
}

export class Doorbell {
  readonly #place: DatabasePlace;
  readonly #reads: Reader;
  readonly #host: DoorbellHost;
  /** Of this store: what it has told itself is not heard. */
  readonly #name: string;
  #sql: PostgresSql | undefined;
  #waiting = new Map<AgentNumber, Modseq>();
  #isAccessWaiting = false;
  #isTelling = false;
  /** Up to where the log of each agent that is followed was told of here. */
  #told = new Map<AgentNumber, Modseq>();
  #polling: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(place: DatabasePlace, reads: Reader, name: string, host: DoorbellHost) {
    this.#place = place;
    this.#reads = reads;
    this.#name = name;
    this.#host = host;
  }

  /** Resolves when other daemons are heard. */
  async start(): Promise<void> {
    await this.#listen();
    this.#pollLater();
  }

  /** After a commit of this daemon. */
  ring(touched: readonly Touched[]): void {
    this.#note(touched);
    for (const { agent, modseq } of touched) this.#waiting.set(agent, modseq);
    if (this.#waiting.size > waitingMax) this.#waiting.clear();
    inBackground(() => this.#tell());
  }

  /** After a commit of this daemon that changed access. */
  ringAccess(): void {
    this.#isAccessWaiting = true;
    inBackground(() => this.#tell());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#polling;
    await this.#sql?.close();
  }

  /** One after the other: what is committed meanwhile goes together. */
  async #tell(): Promise<void> {
    const sql = this.#sql;
    if (this.#isTelling || sql === undefined || sql.isLost) return;
    this.#isTelling = true;
    try {
      while (this.#waiting.size > 0 || this.#isAccessWaiting) {
        const entries = [...this.#waiting].slice(0, entriesMax);
        for (const [agent] of entries) this.#waiting.delete(agent);
        const words = entries.map(([agent, modseq]) => `${agent}:${modseq}`);
        if (this.#isAccessWaiting) words.push(accessWord);
        this.#isAccessWaiting = false;
        await sql.get("select pg_notify(?, ?)", channel, [this.#name, ...words].join(" "));
      }
    } catch {
      // The connection is lost: whoever listens to these agents looks for them.
    } finally {
      this.#isTelling = false;
    }
  }

  #hear(payload: string): void {
    const [name, ...words] = payload.split(" ");
    if (name === this.#name || this.#isClosed) return;
    if (words.includes(accessWord)) this.#host.heardAccess();
    const touched = words.flatMap((word): Touched[] => {
      const [agent, modseq] = word.split(":").map(Number);
      return Number.isSafeInteger(agent) && Number.isSafeInteger(modseq)
        ? [{ agent: agent as AgentNumber, modseq: modseq as Modseq }]
        : [];
    });
    this.#note(touched);
    if (touched.length > 0) this.#host.heard(touched);
  }

  #note(touched: readonly Touched[]): void {
    for (const { agent, modseq } of touched) {
      const known = this.#told.get(agent);
      if (known !== undefined && known < modseq) this.#told.set(agent, modseq);
    }
  }

  async #listen(): Promise<void> {
    const sql = await connect(this.#place);
    sql.onNotification((payload) => this.#hear(payload));
    await sql.run(`listen ${channel}`);
    this.#sql = sql;
    if (this.#isClosed) await sql.close();
  }

  #pollLater(): void {
    if (this.#isClosed) return;
    this.#timer = after(pollMs, () => {
      this.#polling = this.#look().then(() => this.#pollLater());
    }).unref();
  }

  async #look(): Promise<void> {
    try {
      if (this.#sql?.isLost !== false) {
        await this.#listen();
        this.#host.missed();
        inBackground(() => this.#tell());
      }
      await this.#poll();
    } catch {
      // The server is away; it is looked for again.
    }
  }

  /** An agent that is followed since the last look is told of once more: its listener may have begun before that commit was seen. */
  async #poll(): Promise<void> {
    const followed = [...new Set(this.#host.listFollowed())];
    const told = new Map<AgentNumber, Modseq>();
    const touched: Touched[] = [];
    for (let from = 0; from < followed.length; from += pollAgentsMax) {
      const agents = paddedList(followed.slice(from, from + pollAgentsMax));
      const rows = await this.#reads.all<Touched>(
        `select agent_id as agent, modseq from agent where agent_id in (${placesFor(agents)})`,
        ...agents,
      );
      for (const { agent, modseq } of rows) {
        // What was told meanwhile may be further than what was read.
        const known = this.#told.get(agent);
        if (known === undefined || known < modseq) touched.push({ agent, modseq });
        told.set(agent, Math.max(known ?? 0, modseq) as Modseq);
      }
    }
    this.#told = told;
    if (touched.length > 0 && !this.#isClosed) this.#host.heard(touched);
  }
}
