/** The caller that waits for the running work. Every read of the store and every turn of the event loop checks whether the caller is
 *  still connected. So every operation and command ends when its caller has gone, without its own code for that. */
import { AsyncLocalStorage } from "node:async_hooks";
import { houseOwner, type Owner } from "./owner.ts";

/** The caller has gone, so there is nobody to answer. */
export class CallerGone extends Error {
  constructor(message = "the caller has gone", options?: ErrorOptions) {
    super(message, options);
    this.name = "CallerGone";
  }
}

/** Work whose writes the store undoes. */
export interface DryRun {
  /** What it has written so far; each further write is done after these, and all are undone. */
  readonly earlier: { readonly name: string; readonly args: unknown }[];
}

interface Caller {
  readonly signal: AbortSignal | undefined;
  /** A function, since a session has another owner after its login. */
  readonly owner: (() => Owner) | undefined;
  readonly dryRun?: DryRun | undefined;
}

const callers = new AsyncLocalStorage<Caller>();

/** Runs work for a caller. The signal aborts with `CallerGone` when the caller disconnects; another reason does not end the work. */
export function forCaller<T>(signal: AbortSignal, work: () => T, owner?: () => Owner): T {
  return callers.run({ signal, owner: owner ?? callers.getStore()?.owner }, work);
}

/** Runs work for the present caller so that nothing of it is written. */
export function forDryRun<T>(work: () => T): T {
  const { signal, owner } = callers.getStore() ?? {};
  return callers.run({ signal, owner, dryRun: { earlier: [] } }, work);
}

/** The dry run in which this code runs; undefined if its writes count. */
export function dryRun(): DryRun | undefined {
  return callers.getStore()?.dryRun;
}

/** Runs work whose result other callers need too: it continues when the caller that began it has gone. */
export function forEverybody<T>(work: () => T): T {
  const { signal, owner, dryRun } = callers.getStore() ?? {};
  if (signal === undefined && dryRun === undefined) return work();
  return callers.run({ signal: undefined, owner }, work);
}

/** Runs work of the server's own that a caller has caused: it continues when the caller has gone, and does not use the caller's share. */
export function forTheHouse<T>(work: () => T): T {
  return callers.run({ signal: undefined, owner: undefined }, work);
}

/** The signal of the caller for whom this code runs; undefined if there is no caller. */
export function callerSignal(): AbortSignal | undefined {
  return callers.getStore()?.signal;
}

/** The owner for whom this code runs: it takes the owner's turn and uses the owner's share. */
export function callerOwner(): Owner {
  return callers.getStore()?.owner?.() ?? houseOwner;
}

/** Throws `CallerGone` when the caller has gone. */
export function assertCallerThere(): void {
  const signal = callers.getStore()?.signal;
  if (signal?.aborted === true && signal.reason instanceof CallerGone) throw signal.reason;
}

const nothing: Disposable = { [Symbol.dispose]() {} };

/** Calls the listener when the caller goes, at once if it has gone already. */
export function onCallerGone(listener: (gone: CallerGone) => void): Disposable {
  const signal = callers.getStore()?.signal;
  if (signal === undefined) return nothing;
  const hear = (): void => {
    if (signal.reason instanceof CallerGone) listener(signal.reason);
  };
  if (signal.aborted) hear();
  signal.addEventListener("abort", hear, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", hear) };
}
