/** The stream that keeps an open page true: how many mails wait, and which of them have changed. It carries numbers and ids, no text of
 *  anybody, and ends with its session. */
import { EventStream, type FrameSource, formatFrame } from "#/protocols/http/event-stream.ts";
import { inBackground } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { holdId, listLive, versionOf, waitingOf } from "./approvals/waiting.ts";
import { readCookie, sessionCookie } from "./cookies.ts";
import type { SignedVisit } from "./visit.ts";

/** Open at once: windows of one browser, and of all. */
const ofSessionMax = 4;
const totalMax = 500;

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
  #subscriptions = new Map<AgentNumber, () => void>();
  /** Of each live mail, what is known of it. */
  #known: ReadonlyMap<string, string> | undefined;
  #count: number | undefined;
  #isRung = true;
  #isRunning = false;
  #isClosed = false;

  constructor(visit: SignedVisit, forget: () => void) {
    this.session = visit.session.number;
    this.#visit = visit;
    this.#token = readCookie(visit.context.koa.req, sessionCookie) ?? "";
    this.#forget = forget;
  }

  begin(): void {
    const { koa, requestId } = this.#visit.context;
    const { requestTimeoutMs } = this.#visit.rooms.settings.http;
    this.#events = new EventStream(koa.res, requestId, this, requestTimeoutMs);
    this.resume();
  }

  /** Called after each commit for one of the agents or for the person, and when the browser has read what was written. */
  resume(): void {
    if (this.#isRunning || this.#isClosed || !this.#isRung) return;
    this.#isRunning = true;
    forTheHouse(() => inBackground(() => this.#run()));
  }

  end(): void {
    this.#events?.end();
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
    this.#forget();
  }

  async #run(): Promise<void> {
    try {
      let canWrite = true;
      while (this.#isRung && canWrite && !this.#isClosed) {
        this.#isRung = false;
        canWrite = await this.#look();
      }
    } catch (error) {
      this.#visit.rooms.log.debug({ err: error }, "a live stream ended");
      this.end();
    } finally {
      this.#isRunning = false;
    }
  }

  async #look(): Promise<boolean> {
    const { rooms, signIn } = this.#visit;
    const session = await signIn.findSession(this.#token);
    if (session === undefined) {
      this.end();
      return false;
    }
    const agents = await listLive(rooms, session);
    // The person too, whose log is rung when sessions end.
    this.#follow([session.principal.agent, ...agents.map(({ reached }) => reached.agent)]);
    const count = waitingOf(agents).length;
    const known = new Map(
      agents.flatMap(({ holds }) =>
        holds.map((hold): [string, string] => [holdId(rooms, hold), `${hold.state} ${versionOf(hold)}`]),
      ),
    );
    let frames = "";
    if (count !== this.#count) frames += formatFrame({ event: "count", data: String(count) });
    for (const [id, state] of this.#known ?? [])
      if (known.get(id) !== state) frames += formatFrame({ event: "changed", data: id });
    this.#count = count;
    this.#known = known;
    return frames === "" || this.#events!.write(Buffer.from(frames));
  }

  #follow(agents: readonly AgentNumber[]): void {
    if (this.#isClosed) return;
    for (const [agent, stop] of this.#subscriptions)
      if (!agents.includes(agent)) {
        stop();
        this.#subscriptions.delete(agent);
      }
    for (const agent of agents)
      if (!this.#subscriptions.has(agent))
        this.#subscriptions.set(
          agent,
          this.#visit.rooms.feed.subscribe(agent, () => {
            this.#isRung = true;
            this.resume();
          }),
        );
  }
}
