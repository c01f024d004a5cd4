/** The log line of an attempt: names, states, codes and the replies of the other server. No address, no content. */
import type { Logger } from "pino";
import type { NoticedOutcome } from "#/src/arrival/notify-sender.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { Tally } from "#/src/model/tally.ts";
import type { Dispatch } from "#/src/outbound/dispatch.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";

export interface LogRooms {
  readonly log: Logger;
  readonly tally?: Tally;
  readonly dispatch: Pick<Dispatch, "tokenOf">;
  readonly store: { readonly ids: IdCodec };
}

/** Replies of other servers in one log line. */
const loggedRepliesMax = 3;
const loggedReplyCharacters = 300;

export function nameDelivery({ dispatch, store }: LogRooms, delivery: DueDelivery) {
  const { agent, message, domain } = delivery;
  return {
    submission: dispatch.tokenOf(delivery),
    ...(message === 0 ? {} : { message: store.ids.encode("message", agent, message) }),
    domain,
  };
}

export function logAttempt(
  rooms: LogRooms,
  delivery: DueDelivery,
  outcomes: readonly NoticedOutcome[],
  startedAt: number,
  more: { readonly hosts?: readonly string[]; readonly tried?: readonly string[]; readonly tls?: boolean },
): void {
  const way = delivery.domain === "" ? "here" : "out";
  for (const { state } of outcomes) rooms.tally?.count("deliveries", { way, outcome: state });
  const named = nameDelivery(rooms, delivery);
  const told = outcomes.map(({ state, status }) => `${state} ${status}`);
  rooms.tally?.span?.({
    name: way === "here" ? "delivery" : "attempt",
    startedAt,
    trace: named.submission,
    isFailed: outcomes.some(({ state }) => state === "failed" || state === "deferred"),
    words: { ...named, ...more, outcomes: told },
  });
  rooms.log.info(
    {
      ...named,
      ...more,
      outcomes: told,
      replies: [...new Set(outcomes.flatMap(({ reply }) => reply ?? []))]
        .slice(0, loggedRepliesMax)
        .map((text) => text.slice(0, loggedReplyCharacters)),
      ms: Math.round(performance.now() - startedAt),
    },
    "delivery attempt",
  );
}
