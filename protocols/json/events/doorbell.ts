/** Waits for a signal that there may be new events. A signal that comes while nobody waits is kept for the next call of `wait`. */
import { after } from "#/src/model/background.ts";

export interface Doorbell extends Disposable {
  readonly ring: () => void;
  /** Resolves at a signal ("rung"), when the time is over ("quiet"), or when the caller has gone ("ended"). */
  wait(ms: number): Promise<"rung" | "quiet" | "ended">;
}

export function createDoorbell(signal: AbortSignal): Doorbell {
  let isRung = false;
  let wake: ((how: "rung" | "quiet" | "ended") => void) | undefined;
  const end = (): void => wake?.("ended");
  signal.addEventListener("abort", end, { once: true });
  return {
    ring() {
      isRung = true;
      wake?.("rung");
    },
    async wait(ms) {
      if (signal.aborted) return "ended";
      if (!isRung) {
        const how = await new Promise<"rung" | "quiet" | "ended">((resolve) => {
          const timer = after(ms, () => wake?.("quiet"));
          wake = (reason) => {
            clearTimeout(timer);
            wake = undefined;
            resolve(reason);
          };
        });
        if (how !== "rung") return how;
      }
      isRung = false;
      return "rung";
    },
    [Symbol.dispose]() {
      signal.removeEventListener("abort", end);
      wake?.("ended");
    },
  };
}
