/** The stream that keeps an open page true: how many mails wait, and which of them have changed, from what the page was made of on. It
 *  carries numbers and ids, no text of anybody, and ends with its session, of which it is no use. */
import { EventStream, type FrameSource, formatFrame } from "#/protocols/http/event-stream.ts";
import { StreamTimers } from "#/protocols/http/stream-timers.ts";
import { inBackground } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { holdId, listLive, standingOf, waitingOf } from "./approvals/waiting.ts";
import { readCookie, sessionCookie } from "./cookies.ts";
import type { SignedVisit } from "./visit.ts";

/** Open at once: windows of one browser, and of all. */
const ofSessionMax = 4;
const totalMax = 500;
/** Often enough for proxies, which close what is silent for a minute. */
const quietMs = 25_000;
const keepalive = formatFrame({ comment: "keepalive" });
/** What the page shows that asks (`Page.shows`). */
const shownMail = /^(hold_[0-9a-z]{26})\.([a-z]{1,20}\.[0-9a-f]{64})$/;

export interface LiveStreams {
  /** False where too many are open: the page stays as it is. */
  open(visit: SignedVisit): boolean;
}

export function createLiveStreams(closing: AbortSignal): LiveStreams {
  const streams = new Set<LiveStream>();
  closing.addEventListener("abort", () => {
    for (const stream of streams) stream.end();
  });
  return {
    open(visit) {
      const ofSession = [...streams].filter(({ session }) => session === visit.session.number).length;
      if (closing.aborted || ofSession >= ofSessionMax || streams.size >= totalMax) return false;
      const stream = new LiveStream(visit, () => streams.delete(stream));
      streams.add(stream);
      visit.context.koa.respond = false;
      stream.begin();
      return true;
    },
  };
}

class LiveStream implements FrameSource {
  readonly session: number;
  readonly #visit: SignedVisit;
  readonly #token: string;
  readonly #forget: () => void;
  #events: EventStream | undefined;
  #timers: StreamTimers | undefined;
  #subscriptions = new Map<AgentNumber, () => void>();
  /** Of each live mail, what is known of it; at first, of the one that the page shows. */
  #known: ReadonlyMap<string, string>;
  #count: number | undefined;
  #isRung = true;
  #isQuiet = false;
  #isFull = false;
  #isRunning = false;
  #isClosed = false;

  constructor(visit: SignedVisit, forget: () => void) {
    this.session = visit.session.number;
    this.#visit = visit;
    this.#token = readCookie(visit.context.koa.req, sessionCookie) ?? "";
    this.#forget = forget;
    const [, id, standing] = shownMail.exec(visit.query.get("shows") ?? "") ?? [];
    this.#known = new Map(id === undefined ? [] : [[id, standing!]]);
  }

  begin(): void {
    const { koa, requestId } = this.#visit.context;
    const { requestTimeoutMs } = this.#visit.rooms.settings.http;
    this.#timers = new StreamTimers(quietMs, this);
    this.#events = new EventStream(koa.res, requestId, this, requestTimeoutMs);
    this.#wake();
  }

  resume(): void {
    this.#isFull = false;
    this.#wake();
  }

  /** After a quiet interval, and when the session ends unless it was used meanwhile. */
  becomeQuiet(): void {
    this.#isQuiet = true;
    this.#ring();
  }

  #ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#isRunning || this.#isClosed || this.#isFull || !this.#isRung) return;
    this.#isRunning = true;
    forTheHouse(() => inBackground(() => this.#run()));
  }

  end(): void {
    this.#events?.end();
  }

  close(): void {
    this.#isClosed = true;
    this.#timers?.stop();
    for (const stop of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
    this.#forget();
  }

  async #run(): Promise<void> {
    try {
      while (this.#isRung && !this.#isFull && !this.#isClosed) {
        this.#isRung = false;
        await this.#look();
      }
    } catch (error) {
      this.#visit.rooms.log.debug({ err: error }, "a live stream ended");
      this.end();
    } finally {
      this.#isRunning = false;
    }
  }

  async #look(): Promise<void> {
    const { rooms, signIn } = this.#visit;
    const session = await signIn.findSession(this.#token, "stream");
    if (session === undefined) return this.end();
    this.#timers!.endsIn(session.endsAt - rooms.mail.clock.now());
    const agents = await listLive(rooms, session);
    // The person too, whose log is rung when sessions end.
    const hasNew = this.#follow([session.principal.agent, ...agents.map(({ reached }) => reached.agent)]);
    // What was committed between the read and the subscription has rung nobody.
    if (hasNew) this.#isRung = true;
    const count = waitingOf(agents).length;
    const known = new Map(
      agents.flatMap(({ holds }) =>
        holds.map((hold): [string, string] => [holdId(rooms, hold), standingOf(hold)]),
      ),
    );
    let frames = "";
    if (count !== this.#count) frames += formatFrame({ event: "count", data: String(count) });
    for (const [id, standing] of this.#known)
      if (known.get(id) !== standing) frames += formatFrame({ event: "changed", data: id });
    this.#count = count;
    this.#known = known;
    if (frames === "" && this.#isQuiet) frames = keepalive;
    this.#isQuiet = false;
    if (frames === "") return;
    this.#isFull = !this.#events!.write(Buffer.from(frames));
    this.#timers!.refresh();
  }

  /** Whether one of them was not followed before. */
  #follow(agents: readonly AgentNumber[]): boolean {
    if (this.#isClosed) return false;
    const fresh = agents.filter((agent) => !this.#subscriptions.has(agent));
    for (const [agent, stop] of this.#subscriptions)
      if (!agents.includes(agent)) {
        stop();
        this.#subscriptions.delete(agent);
      }
    for (const agent of fresh)
      this.#subscriptions.set(
        agent,
        this.#visit.rooms.feed.subscribe(agent, () => this.#ring()),
      );
    return fresh.length > 0;
  }
}
