/** Where `wait` and `watch` get their events: the mailboxes in reach, read from a cursor on, and a doorbell in between. What
 *  the credential reaches is asked anew before anything is told, so a revoked one hears no more. */
import type { EventFilter, MailEvent, Positions } from "#/src/feed/events.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { readId } from "./identifiers.ts";
import type { OperationContext } from "./operation.ts";
import { type ReachedAgent, reachAgent, reachableAgents } from "./reach.ts";
import type { WatchRequest } from "./schemas.ts";

export interface EventSource extends Disposable {
  /** The events since the last read and the cursor behind them. `hasMore`: there may be some behind these already.
   *  `hasNewReach`: the cursor now holds a mailbox more. */
  read(): Promise<{
    readonly events: readonly MailEvent[];
    readonly cursor: string;
    readonly hasMore: boolean;
    readonly hasNewReach: boolean;
  }>;
  /** Until there may be something to read, the time is over, or nobody waits any more. */
  wait(ms: number): Promise<"rung" | "quiet" | "ended">;
}

export async function openEventSource(
  context: OperationContext,
  request: WatchRequest,
): Promise<EventSource> {
  const { feed, accounts } = context.rooms;
  const owner = context.principal.agent;
  const bell = createDoorbell(context.signal);
  const subscriptions = new Map<AgentNumber, () => void>();
  const types = request.types?.length ? new Set<string>(request.types) : undefined;
  let reached = await findReach();
  let positions: Positions = request.cursor
    ? feed.events.open(owner, request.cursor)
    : await feed.events.tail([...reached.keys()]);
  await followReach();

  async function findReach(): Promise<Map<AgentNumber, ReachedAgent>> {
    const agents = request.mailbox
      ? [
          await reachAgent(
            context,
            readId(context, request.mailbox, ["agent"], "/mailbox").agent,
            "mail:read",
          ),
        ]
      : await reachableAgents(context, "mail:read");
    if (agents.length === 0)
      throw new WaypostError("forbidden_scope", "The credential reaches no mailbox.", {
        hint: "The credential itself is fine; the operator grants reach.",
      });
    return new Map(agents.map((one) => [one.agent, one]));
  }

  /** Listens to what is in reach now; a mailbox that is new begins at its end. */
  async function followReach(): Promise<boolean> {
    for (const [agent, stop] of subscriptions)
      if (!reached.has(agent)) {
        stop();
        subscriptions.delete(agent);
      }
    for (const agent of reached.keys())
      if (!subscriptions.has(agent)) subscriptions.set(agent, feed.subscribe(agent, bell.ring));
    const added = [...reached.keys()].filter((agent) => !positions.has(agent));
    if (added.length === 0) return false;
    positions = new Map([...positions, ...(await feed.events.tail(added))]);
    return true;
  }

  const filter: EventFilter = {
    isVisible: (agent, folder) => {
      const one = reached.get(agent);
      return one !== undefined && (folder === undefined || one.isVisible(folder as never));
    },
    ...(types === undefined ? {} : { types }),
    ...(request.agent_part === true ? { hasAgentPart: true } : {}),
  };

  return {
    async read() {
      await accounts.assertCurrent(context.principal);
      reached = await findReach();
      const hasNewReach = await followReach();
      for (;;) {
        const page = await feed.events.read(owner, positions, [...reached.keys()], filter);
        positions = page.positions;
        if (page.events.length > 0 || !page.hasMore || context.signal.aborted)
          return {
            events: page.events,
            cursor: feed.events.seal(owner, positions),
            hasMore: page.hasMore,
            hasNewReach,
          };
      }
    },
    wait: (ms) => bell.wait(ms),
    [Symbol.dispose]() {
      bell[Symbol.dispose]();
      for (const stop of subscriptions.values()) stop();
      subscriptions.clear();
    },
  };
}

interface Doorbell extends Disposable {
  readonly ring: () => void;
  wait(ms: number): Promise<"rung" | "quiet" | "ended">;
}

/** A ring while nobody waits is kept for who waits next. */
function createDoorbell(signal: AbortSignal): Doorbell {
  let isRung = false;
  let wake: ((how: "rung" | "quiet" | "ended") => void) | undefined;
  const end = (): void => wake?.("ended");
  signal.addEventListener("abort", end, { once: true });
  return {
    ring() {
      isRung = true;
      wake?.("rung");
    },
    async wait(ms) {
      if (signal.aborted) return "ended";
      if (!isRung) {
        const how = await new Promise<"rung" | "quiet" | "ended">((resolve) => {
          const timer = setTimeout(() => wake?.("quiet"), ms);
          wake = (reason) => {
            clearTimeout(timer);
            wake = undefined;
            resolve(reason);
          };
        });
        if (how !== "rung") return how;
      }
      isRung = false;
      return "rung";
    },
    [Symbol.dispose]() {
      signal.removeEventListener("abort", end);
      wake?.("ended");
    },
  };
}
