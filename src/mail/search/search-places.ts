/** Places for text searches: a limited number of one owner's searches run at a time, and the others wait for their turn (`searches` of
 *  `src/fairness`). A place has a budget; a search that has spent it gives way or ends. */
import type { Gate } from "#/src/fairness/gate.ts";
import { WorkBudget, type WorkLimits } from "#/src/model/work-budget.ts";

export interface SearchPlace extends Disposable {
  readonly budget: WorkBudget;
  /** If the budget is spent, lets waiting searches run first and continues with a new budget. Whether it was spent. */
  giveWayIfSpent(): Promise<boolean>;
}

export interface SearchPlaces {
  /** Waits for the caller's turn. Throws the errors of a gate. */
  take(): Promise<SearchPlace>;
}

export function createSearchPlaces(gate: Gate, limits: WorkLimits, now?: () => number): SearchPlaces {
  return {
    async take() {
      let held = await gate.enter();
      let budget = new WorkBudget(limits, now);
      return {
        get budget() {
          return budget;
        },
        async giveWayIfSpent() {
          if (!budget.isSpent) return false;
          held[Symbol.dispose]();
          held = await gate.enter(held.owner);
          budget = new WorkBudget(limits, now);
          return true;
        },
        [Symbol.dispose]: () => held[Symbol.dispose](),
      };
    },
  };
}
