/** Searches for text: a limited number of one mailbox owner are at work at a time, and the others wait in their order.
 *  A place has a budget; a search that has spent it gives way or ends. */
import { onCallerGone } from "#/src/model/caller.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { WorkBudget, type WorkLimits } from "#/src/model/work-budget.ts";

export interface SearchPlace extends Disposable {
  readonly budget: WorkBudget;
  /** When the budget is spent, lets the searches that wait go first, and goes on with a new budget. Tells whether it was spent. */
  giveWayIfSpent(): Promise<boolean>;
}

export class SearchPlaces {
  readonly #perOwner: number;
  readonly #limits: WorkLimits;
  readonly #now: (() => number) | undefined;
  readonly #taken = new Map<AgentNumber, number>();
  readonly #waiting = new Map<AgentNumber, Set<() => void>>();

  constructor(perOwner: number, limits: WorkLimits, now?: () => number) {
    this.#perOwner = perOwner;
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws `CallerGone` when the caller goes while it waits. */
  async take(owner: AgentNumber): Promise<SearchPlace> {
    await this.#enter(owner);
    let budget = new WorkBudget(this.#limits, this.#now);
    let isHeld = true;
    const leave = (): void => {
      if (isHeld) this.#leave(owner);
      isHeld = false;
    };
    return {
      get budget() {
        return budget;
      },
      giveWayIfSpent: async () => {
        if (!budget.isSpent) return false;
        leave();
        await this.#enter(owner);
        isHeld = true;
        budget = new WorkBudget(this.#limits, this.#now);
        return true;
      },
      [Symbol.dispose]: leave,
    };
  }

  async #enter(owner: AgentNumber): Promise<void> {
    const taken = this.#taken.get(owner) ?? 0;
    if (taken < this.#perOwner) {
      this.#taken.set(owner, taken + 1);
      return;
    }
    const waiting = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, waiting);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    using _gone = onCallerGone((gone) => {
      if (waiting.delete(resolve)) reject(gone);
    });
    await promise;
  }

  /** Gives the place to the search that has waited longest. */
  #leave(owner: AgentNumber): void {
    const waiting = this.#waiting.get(owner);
    const [next] = waiting ?? [];
    if (waiting !== undefined && next !== undefined) {
      waiting.delete(next);
      next();
      return;
    }
    const left = (this.#taken.get(owner) ?? 1) - 1;
    if (left > 0) this.#taken.set(owner, left);
    else {
      this.#taken.delete(owner);
      this.#waiting.delete(owner);
    }
  }
}
