import { setTimeout as delay } from "node:timers/promises";

const patienceMs = 30_000;

/** Waits until something new was acknowledged, and then for a time by chance: a kill hits work, however busy the machine is. */
export async function killMoment(acknowledged: () => number, withinMs: number): Promise<void> {
  const before = acknowledged();
  const until = Date.now() + patienceMs;
  while (acknowledged() === before && Date.now() < until) await delay(5);
  await delay(Math.random() * withinMs);
}
