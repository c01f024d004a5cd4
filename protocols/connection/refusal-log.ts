/** Says in the log that connections are refused: for each network once a minute, however many they are. */
import type { Logger } from "pino";

export interface RefusalLog {
  note(network: string | undefined, reason: string): void;
}

const quietMs = 60_000;
/** Networks that are remembered, and so lines of a minute. */
const networksMax = 1000;

/** `now` in milliseconds, never going back. */
export function createRefusalLog(
  log: Logger,
  role: string,
  now: () => number = () => performance.now(),
): RefusalLog {
  /** In the order of the lines. */
  const saidAt = new Map<string, number>();
  return {
    note(network = "loopback", reason) {
      const at = now();
      for (const [known, said] of saidAt) {
        if (at - said < quietMs) break;
        saidAt.delete(known);
      }
      if (saidAt.has(network) || saidAt.size >= networksMax) return;
      saidAt.set(network, at);
      log.warn(
        { role, network, reason },
        "connections are refused; more of this network in the next minute are not logged",
      );
    },
  };
}
