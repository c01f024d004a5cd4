/** What a runner logs that tries again and again, as that of holds while the store takes nothing. */
import { expect, it } from "vitest";
import { startHoldRunner } from "#/src/daemon/hold-runner.ts";
import { WaypostError } from "#/src/model/errors.ts";

it("logs a failure once however often it comes, another one too, and that it is over", async () => {
  const lines: string[] = [];
  const log = {
    error: ({ err }: { err: Error }, what: string) => lines.push(`${what}: ${err.message}`),
    info: ({ what }: { what: string }, words: string) => lines.push(`${what}: ${words}`),
  };
  let commit = (): void => {};
  const refusals = ["full", "full", "full", "closed", undefined, undefined, "full"];
  let runs = 0;
  const holds = {
    async runDue() {
      const refusal = refusals[runs++];
      if (refusal !== undefined) throw new WaypostError("upstream_unavailable", refusal);
      return false;
    },
    nextDueAt: async () => undefined,
  };
  const store = {
    leases: { isHeld: () => true, onChange: () => () => {} },
    clock: { now: () => 0 },
    onCommit(listener: () => void) {
      commit = listener;
      return () => {};
    },
  };
  const runner = startHoldRunner({ store, holds } as never, log as never);
  for (const turn of refusals.keys()) {
    commit();
    await expect.poll(() => runs).toBe(turn + 1);
  }
  await runner.stop();
  const what = "holds could not be looked at";
  expect(lines).toEqual([`${what}: full`, `${what}: closed`, `${what}: over`, `${what}: full`]);
});
