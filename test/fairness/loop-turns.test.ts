import { expect, it, vi } from "vitest";
import { LoopTurns, nextTurn } from "#/src/fairness/loop-turns.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";

const there = new AbortController().signal;

/** Pieces of work for an owner, each noted as it is done. */
function work(owner: string, pieces: number, done: string[]): Promise<void> {
  return forCaller(
    there,
    async () => {
      for (let piece = 0; piece < pieces; piece++) {
        await nextTurn();
        done.push(owner);
      }
    },
    () => ({ key: owner }),
  );
}

it("gives turns to owners, however much of one waits", async () => {
  const done: string[] = [];
  await Promise.all([...Array.from({ length: 10 }, () => work("a", 3, done)), work("b", 3, done)]);
  expect(done.slice(0, 6)).toEqual(["a", "b", "a", "b", "a", "b"]);
  expect(done).toHaveLength(33);
});

it("lets the loop look at its sockets and timers between long pieces", async () => {
  let turns = 0;
  const count = (): void => {
    turns++;
    if (turns < 1000) setImmediate(count);
  };
  const busy = async (): Promise<void> => {
    for (let piece = 0; piece < 5; piece++) {
      await nextTurn();
      for (const until = performance.now() + 4; performance.now() < until; );
    }
  };
  setImmediate(count);
  await Promise.all([busy(), busy(), busy()]);
  expect(turns).toBeGreaterThanOrEqual(14);
});

it("continues after it had nothing to do", async () => {
  await nextTurn();
  await new Promise((resolve) => setImmediate(resolve));
  const done: string[] = [];
  await work("a", 2, done);
  expect(done).toEqual(["a", "a"]);
});

it("is due when work has run for some milliseconds, and not when the loop had nothing to do for as long", async () => {
  const turns = new LoopTurns();
  // Of whole milliseconds, and later than any turn before.
  const idle = Math.ceil(performance.eventLoopUtilization().idle);
  const start = Math.ceil(performance.now()) + 1000;
  const loop = vi.spyOn(performance, "eventLoopUtilization");
  const clock = vi.spyOn(performance, "now");
  const at = (ranMs: number, idleMs: number): void => {
    clock.mockReturnValue(start + ranMs + idleMs);
    loop.mockReturnValue({ idle: idle + idleMs, active: 0, utilization: 0 });
  };
  try {
    at(0, 0);
    await nextTurn();
    const seen = [
      [2, 0],
      [2, 50],
      [4, 50],
      [4, 0],
    ].map(([ran, waited]) => {
      at(ran!, waited!);
      return turns.isDue;
    });
    expect(seen).toEqual([false, false, true, true]);
  } finally {
    loop.mockRestore();
    clock.mockRestore();
  }
});

it("ends work whose caller has gone", async () => {
  const caller = new AbortController();
  const working = forCaller(caller.signal, async () => {
    for (;;) await nextTurn();
  });
  await nextTurn();
  caller.abort(new CallerGone());
  await expect(working).rejects.toBeInstanceOf(CallerGone);
});
