import { expect, it, onTestFinished } from "vitest";
import {
  after,
  every,
  failureCount,
  inBackground,
  loopTurn,
  onFailure,
  soon,
} from "#/src/model/background.ts";
import { CallerGone, callerOwner, callerSignal, forCaller, onCallerGone } from "#/src/model/caller.ts";
import { addressOwner } from "#/src/model/owner.ts";

const owner = addressOwner("192.0.2.1");

/** Calls `begin` for a caller that goes at once, and resolves with what the work sees afterwards. */
async function seenAfterwards(begin: (work: () => void) => unknown): Promise<object> {
  const gone = new AbortController();
  const { promise, resolve } = Promise.withResolvers<object>();
  forCaller(
    gone.signal,
    () => begin(() => resolve({ signal: callerSignal(), owner: callerOwner() })),
    () => owner,
  );
  gone.abort(new CallerGone());
  return promise;
}

it.each<[string, (work: () => void) => unknown]>([
  ["a timer", (work) => after(0, work)],
  ["an interval", (work) => everyOnce(work)],
  ["a later turn", (work) => soon(work)],
  ["work that nobody awaits", (work) => inBackground(() => loopTurn().then(work))],
])("%s leaves the caller and keeps its owner", async (_, begin) => {
  expect(await seenAfterwards(begin)).toEqual({ signal: undefined, owner });
});

function everyOnce(work: () => void): void {
  const timer = every(1, () => {
    clearInterval(timer);
    work();
  });
}

it("tells and counts what work in the background throws, and goes on", async () => {
  const told: unknown[] = [];
  const before = failureCount();
  const former = onFailure((error) => told.push(error));
  onTestFinished(() => void onFailure(former));
  const failures = [1, 2, 3, 4].map((number) => new Error(`${number}`));
  inBackground(() => Promise.reject(failures[0]!));
  soon(() => {
    throw failures[1]!;
  });
  after(0, async () => {
    throw failures[2]!;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  let turns = 0;
  const timer = every(1, () => {
    turns++;
    if (turns === 1) throw failures[3]!;
    clearInterval(timer);
    resolve();
  });
  await promise;
  expect(new Set(told)).toEqual(new Set(failures));
  expect(failureCount() - before).toBe(4);
});

it("calls work with the subject that was named", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  after(0, resolve, "subject");
  expect(await promise).toBe("subject");
});

it("does not hear of a caller that it has left", async () => {
  const gone = new AbortController();
  const heard: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  forCaller(gone.signal, () =>
    soon(() => {
      using _listening = onCallerGone((reason) => heard.push(reason));
      resolve();
    }),
  );
  gone.abort(new CallerGone());
  await promise;
  expect(heard).toEqual([]);
});
