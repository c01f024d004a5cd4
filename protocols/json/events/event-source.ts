/** The events of `wait` and `watch`: from the mailboxes that the credential may read, beginning at a cursor. A doorbell signals new
 *  ones. The credential's reach is checked again before each read, so a revoked credential gets no more events. */
import { type EventFilter, type EventPage, type Positions, pageFor } from "#/src/feed/events.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachAgent, reachableAgents } from "#/src/reach/agents.ts";
import { isVisible, reachName } from "#/src/reach/messages.ts";
import { notBillable } from "../errors.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import type { WatchRequest } from "../schemas.ts";
import { filterDoubtful } from "./doubtful-events.ts";

type Asked = Pick<OperationContext, "rooms" | "principal">;
type ReachedAgents = ReadonlyMap<AgentNumber, ReachedData>;

export interface Read {
  /** Shared by readers with the same cursor and the same filter, if none or all of them caused one of its events. */
  readonly page: EventPage;
  /** The cursor now includes one more mailbox. */
  readonly hasNewReach: boolean;
}

interface Subscription {
  readonly agent: AgentNumber;
  readonly stop: () => void;
}

/** Opens at the request's cursor, or at the latest event. Throws refusals of the request. `ring` is called when there may be new
 *  events; it must only record that. */
export async function openEventSource(
  context: OperationContext,
  request: WatchRequest,
  ring: () => void,
): Promise<EventSource> {
  const { rooms, principal } = context;
  const { events } = rooms.feed;
  const mailbox = request.mailbox ? readId(context, request.mailbox, ["agent"], "/mailbox").agent : undefined;
  const source = new EventSource({ rooms, principal }, request, mailbox, ring);
  try {
    await source.begin(request.cursor ? events.open(principal.agent, request.cursor) : new Map());
    return source;
  } catch (error) {
    source[Symbol.dispose]();
    throw error;
  }
}

export class EventSource implements Disposable {
  readonly #asked: Asked;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #isForParts: boolean;
  /** undefined: events of all messages. */
  readonly #isDoubtful: boolean | undefined;
  readonly #mailbox: AgentNumber | undefined;
  readonly #ring: () => void;
  #subscriptions: readonly Subscription[] = [];
  #isDisposed = false;
  #reached: ReachedAgents = new Map();
  #positions: Positions = new Map();

  constructor(asked: Asked, request: WatchRequest, mailbox: AgentNumber | undefined, ring: () => void) {
    this.#asked = asked;
    this.#types = request.types?.length ? new Set<string>(request.types) : undefined;
    this.#isForParts = request.agent_part === true;
    this.#isDoubtful = request.doubtful;
    this.#mailbox = mailbox;
    this.#ring = ring;
  }

  async begin(positions: Positions): Promise<void> {
    this.#positions = positions;
    await this.#followReach();
  }

  /** The events since the last read and the cursor behind them. */
  async read(): Promise<Read> {
    const hasNewReach = await this.#followReach();
    const { rooms, principal } = this.#asked;
    for (;;) {
      const agents = [...this.#reached.keys()];
      const read = await rooms.feed.events.read(principal.agent, this.#positions, agents, this.#filter());
      this.#positions = read.positions;
      const seen = pageFor(read, principal.author);
      const page =
        this.#isDoubtful === undefined
          ? seen
          : { ...seen, events: await filterDoubtful(rooms.mail, seen.events, this.#isDoubtful) };
      if (page.events.length > 0 || !page.hasMore) return { page, hasNewReach };
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const { stop } of this.#subscriptions) stop();
    this.#subscriptions = [];
  }

  async #findReach(): Promise<ReachedAgents> {
    const { rooms, principal } = this.#asked;
    await rooms.accounts.assertCurrent(principal);
    const facts = await rooms.accounts.findAgentFacts(principal.agent);
    if (facts?.isBillable !== true) throw notBillable();
    const readable =
      this.#mailbox === undefined
        ? await reachableAgents(this.#asked, "mail:read")
        : [await reachAgent(this.#asked, this.#mailbox, "mail:read")];
    if (readable.length > 0) return new Map(readable.map((one) => [one.agent, one]));
    throw new WaypostError("forbidden_scope", "The credential may read no mailbox.", {
      hint: "The credential is valid; the operator can grant access.",
    });
  }

  /** Listens to the mailboxes in reach now. A new one begins at its latest event. */
  async #followReach(): Promise<boolean> {
    const { feed } = this.#asked.rooms;
    this.#reached = await this.#findReach();
    // Disposed while the read was running.
    if (this.#isDisposed) return false;
    const known = new Set(this.#subscriptions.map(({ agent }) => agent));
    if (known.size !== this.#reached.size || [...known].some((agent) => !this.#reached.has(agent))) {
      for (const { agent, stop } of this.#subscriptions) if (!this.#reached.has(agent)) stop();
      const kept = this.#subscriptions.filter(({ agent }) => this.#reached.has(agent));
      const added = [...this.#reached.keys()].filter((agent) => !known.has(agent));
      const begun = added.map((agent) => ({ agent, stop: feed.subscribe(agent, this.#ring) }));
      this.#subscriptions = [...kept, ...begun];
    }
    const added = [...this.#reached.keys()].filter((agent) => !this.#positions.has(agent));
    if (added.length === 0) return false;
    this.#positions = new Map([...this.#positions, ...(await feed.events.tail(added))]);
    return true;
  }

  #filter(): EventFilter {
    const reached = this.#reached;
    return {
      key: `${this.#types === undefined ? "" : [...this.#types].toSorted()} ${this.#isForParts} ${[...reached.values()].map(reachName).join(" ")}`,
      isVisible(agent, folder) {
        const one = reached.get(agent);
        if (one === undefined) return false;
        // A message that is in no folder any more is visible only to callers that reach all folders.
        return folder === undefined ? one.objects.mailbox === "all" : isVisible(one, folder as MailboxNumber);
      },
      ...(this.#types === undefined ? {} : { types: this.#types }),
      ...(this.#isForParts ? { hasAgentPart: true } : {}),
    };
  }
}
