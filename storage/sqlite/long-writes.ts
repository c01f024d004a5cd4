/** Long writes: one of an owner is under way at a time, the others of that owner wait for it in their order. So who writes much is
 *  kept waiting by nobody more than by himself. */
import { assertCallerThere, forEverybody } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { longWritesOfOwnerMax } from "#/src/model/limits.ts";

export class LongWrites {
  /** Of each owner the end of the last one that waits, and how many there are. */
  readonly #owners = new Map<string, { count: number; last: Promise<void> }>();

  /** Throws `upstream_unavailable` (busy) when too many of the owner's wait already, and `CallerGone` when the caller has gone
   *  before its turn. What has begun goes on to its end. */
  async run<R>(owner: string, work: () => Promise<R>): Promise<R> {
    const state = this.#owners.get(owner) ?? { count: 0, last: Promise.resolve() };
    if (state.count >= longWritesOfOwnerMax)
      throw new WaypostError("upstream_unavailable", "Too many long writes of this owner wait", {
        reason: "busy",
        retryAfterMs: 5000,
      });
    state.count++;
    this.#owners.set(owner, state);
    const before = state.last;
    const ended = Promise.withResolvers<void>();
    state.last = ended.promise;
    try {
      await before;
      assertCallerThere();
      return await forEverybody(work);
    } finally {
      if (--state.count === 0) this.#owners.delete(owner);
      ended.resolve();
    }
  }
}
