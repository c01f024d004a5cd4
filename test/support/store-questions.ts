/** What the main thread asks of the store for callers: the server's own questions are left out. */
import { vi } from "vitest";
import { callerOwner } from "#/src/model/caller.ts";
import { houseOwner } from "#/src/model/owner.ts";
import { EngineStore } from "#/storage/engine-store.ts";

type Asking = (this: EngineStore, ...given: never[]) => Promise<never>;

/** Appends each statement, and the name of each write, to a list. */
export function noteStoreQuestions(asked: string[]): void {
  for (const verb of ["get", "all", "column", "write"] as const) {
    const original = EngineStore.prototype[verb] as Asking;
    const listening: Asking = function (...given) {
      const what: string = given[verb === "write" ? 1 : 0]!;
      if (callerOwner() !== houseOwner) asked.push(what);
      return original.apply(this, given);
    };
    vi.spyOn(EngineStore.prototype, verb).mockImplementation(listening as never);
  }
}
