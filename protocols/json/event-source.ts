/** Where `wait` and `watch` get their events: the mailboxes in reach, read from a cursor on, and a doorbell in between. What
 *  the credential reaches is asked anew before anything is told, so a revoked one hears no more. */
import type { EventFilter, EventPage, Positions } from "#/src/feed/events.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { readId } from "./identifiers.ts";
import type { OperationContext } from "./operation.ts";
import { reachAgent, reachName } from "./reach.ts";
import type { ReachedAgents } from "./reach-memo.ts";
import type { WatchRequest } from "./schemas.ts";

type Asked = Pick<OperationContext, "rooms" | "principal" | "reach">;

export interface Read {
  /** Shared with everybody who stands at the same place and asks for the same. */
  readonly page: EventPage;
  /** The cursor now holds a mailbox more. */
  readonly hasNewReach: boolean;
}

/** Opens at the request's cursor, or at the end. Throws what can be refused about it. `ring` is called when there may be
 *  something to read; it must only take note. */
export async function openEventSource(
  context: OperationContext,
  request: WatchRequest,
  ring: () => void,
): Promise<EventSource> {
  const { rooms, principal, reach } = context;
  const { events } = rooms.feed;
  const mailbox = request.mailbox ? readId(context, request.mailbox, ["agent"], "/mailbox").agent : undefined;
  const source = new EventSource({ rooms, principal, reach }, request, mailbox, ring);
  await source.begin(request.cursor ? events.open(principal.agent, request.cursor) : new Map());
  return source;
}

export class EventSource implements Disposable {
  readonly #asked: Asked;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #isForParts: boolean;
  readonly #mailbox: AgentNumber | undefined;
  readonly #ring: () => void;
  readonly #subscriptions = new Map<AgentNumber, () => void>();
  #reached: ReachedAgents = new Map();
  #positions: Positions = new Map();

  constructor(asked: Asked, request: WatchRequest, mailbox: AgentNumber | undefined, ring: () => void) {
    this.#asked = asked;
    this.#types = request.types?.length ? new Set<string>(request.types) : undefined;
    this.#isForParts = request.agent_part === true;
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
      const page = await rooms.feed.events.read(principal.agent, this.#positions, agents, this.#filter());
      this.#positions = page.positions;
      if (page.events.length > 0 || !page.hasMore) return { page, hasNewReach };
    }
  }

  [Symbol.dispose](): void {
    for (const stop of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
  }

  async #findReach(): Promise<ReachedAgents> {
    const { principal, reach } = this.#asked;
    const readable = await reach.listReadable(principal);
    if (this.#mailbox !== undefined) {
      const one = readable.get(this.#mailbox) ?? (await reachAgent(this.#asked, this.#mailbox, "mail:read"));
      return readable.size === 1 && readable.has(one.agent) ? readable : new Map([[one.agent, one]]);
    }
    if (readable.size > 0) return readable;
    throw new WaypostError("forbidden_scope", "The credential reaches no mailbox.", {
      hint: "The credential itself is fine; the operator grants reach.",
    });
  }

  /** Listens to what is in reach now; a mailbox that is new begins at its end. */
  async #followReach(): Promise<boolean> {
    const { feed } = this.#asked.rooms;
    this.#reached = await this.#findReach();
    for (const [agent, stop] of this.#subscriptions)
      if (!this.#reached.has(agent)) {
        stop();
        this.#subscriptions.delete(agent);
      }
    for (const agent of this.#reached.keys())
      if (!this.#subscriptions.has(agent)) this.#subscriptions.set(agent, feed.subscribe(agent, this.#ring));
    const added = [...this.#reached.keys()].filter((agent) => !this.#positions.has(agent));
    if (added.length === 0) return false;
    this.#positions = new Map([...this.#positions, ...(await feed.events.tail(added))]);
    return true;
  }

  #filter(): EventFilter {
    const reached = this.#reached;
    return {
      key: `${this.#types === undefined ? "" : [...this.#types].toSorted()} ${this.#isForParts} ${nameOf(reached)}`,
      isVisible(agent, folder) {
        const one = reached.get(agent);
        return one !== undefined && (folder === undefined || one.isVisible(folder as never));
      },
      ...(this.#types === undefined ? {} : { types: this.#types }),
      ...(this.#isForParts ? { hasAgentPart: true } : {}),
    };
  }
}

const names = new WeakMap<ReachedAgents, string>();

function nameOf(reached: ReachedAgents): string {
  const known = names.get(reached);
  if (known !== undefined) return known;
  const name = [...reached.values()].map(reachName).join(" ");
  names.set(reached, name);
  return name;
}
