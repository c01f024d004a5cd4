import type { Fairness } from "#/src/fairness/fairness.ts";
import { WaypostError } from "#/src/model/errors.ts";

/** Limits the streams and waiting calls that a token has open at once. */
export interface StreamSlots {
  /** `credential`: the name of the credential. Throws when there is no slot; disposing gives the slot back. */
  hold(credential: string): Disposable;
}

const retryAfterMs = 1000;

/** `limit`: slots of one token; `total`: slots of all tokens together. */
export function createStreamSlots(fairness: Fairness, limit: number, total: number): StreamSlots {
  const gate = fairness.gate("streams", { total, share: limit });
  return {
    hold(credential) {
      const place = gate.tryEnter({ key: `credential ${credential}` });
      if (typeof place !== "string") return place;
      if (place === "total")
        throw new WaypostError("upstream_unavailable", "Too many streams are open.", {
          reason: "busy",
          retryAfterMs,
        });
      throw new WaypostError("rate_limited", `This token has ${limit} streams open.`, {
        retryAfterMs,
        hint: "Close a stream, or read several mailboxes on one: without mailbox, watch tells of all.",
      });
    },
  };
}
