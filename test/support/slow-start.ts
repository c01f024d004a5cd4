/** Loaded before a daemon that a test starts: its main thread stands still for three times as long as a watchdog waits, before it serves. */
import net from "node:net";
import { isMainThread } from "node:worker_threads";
import { scaleIdleTimes } from "#/src/model/background.ts";

scaleIdleTimes(1 / 20);
const { listen } = net.Server.prototype;
let isFirst = isMainThread;
net.Server.prototype.listen = function listenLate(this: net.Server, ...given: unknown[]): net.Server {
  const until = performance.now() + 3000;
  while (isFirst && performance.now() < until);
  isFirst = false;
  return listen.apply(this, given as never);
} as typeof listen;
