import { WaypostError } from "#/src/model/errors.ts";

/** Streams and waiting calls that a token has open at once. */
export interface StreamSlots {
  hold(key: string): Disposable;
}

const retryAfterMs = 1000;

export function createStreamSlots(limit: number): StreamSlots {
  const held = new Map<string, number>();
  return {
    hold(key) {
      const count = held.get(key) ?? 0;
      if (count >= limit)
        throw new WaypostError("rate_limited", `This token has ${limit} streams open.`, {
          retryAfterMs,
          hint: "Close a stream, or read several mailboxes on one: without mailbox, watch tells of all.",
        });
      held.set(key, count + 1);
      let isHeld = true;
      return {
        [Symbol.dispose]() {
          if (!isHeld) return;
          isHeld = false;
          const left = (held.get(key) ?? 1) - 1;
          if (left === 0) held.delete(key);
          else held.set(key, left);
        },
      };
    },
  };
}
