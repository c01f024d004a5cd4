/** The caller that waits for the work under way. Every read of the store and every turn of the loop asks whether the caller
 *  is still there: so every operation and command ends when its caller has gone, without code of its own for it. */
import { AsyncLocalStorage } from "node:async_hooks";

/** The caller has gone, so there is nobody to answer. */
export class CallerGone extends Error {
  constructor(message = "the caller has gone", options?: ErrorOptions) {
    super(message, options);
    this.name = "CallerGone";
  }
}

const signals = new AsyncLocalStorage<AbortSignal | undefined>();

/** Does work for a caller. The signal aborts with a `CallerGone` when the caller goes; another reason does not end the work. */
export function forCaller<T>(signal: AbortSignal, work: () => T): T {
  return signals.run(signal, work);
}

/** Does work whose result other callers need too: it goes on when the caller that began it has gone. */
export function forEverybody<T>(work: () => T): T {
  return signals.run(undefined, work);
}

/** Of the caller for whom this code runs; undefined where there is none. */
export function callerSignal(): AbortSignal | undefined {
  return signals.getStore();
}

/** Throws `CallerGone` when the caller has gone. */
export function assertCallerThere(): void {
  const signal = signals.getStore();
  if (signal?.aborted === true && signal.reason instanceof CallerGone) throw signal.reason;
}

const nothing: Disposable = { [Symbol.dispose]() {} };

/** Calls back when the caller goes, at once if it has gone already. */
export function onCallerGone(listener: (gone: CallerGone) => void): Disposable {
  const signal = signals.getStore();
  if (signal === undefined) return nothing;
  const hear = (): void => {
    if (signal.reason instanceof CallerGone) listener(signal.reason);
  };
  if (signal.aborted) hear();
  signal.addEventListener("abort", hear, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", hear) };
}
