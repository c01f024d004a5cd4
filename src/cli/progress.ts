import type { Progress } from "#/storage/store.ts";
import type { Shell } from "./shell.ts";

export interface ProgressLine {
  readonly report: Progress;
  /** Removes the bar. */
  end(): void;
}

const silent: ProgressLine = { report() {}, end() {} };

/** A progress bar on standard error; nothing when standard error is not a terminal. */
export async function showProgress({ errors }: Shell, what: string, isJson: boolean): Promise<ProgressLine> {
  if (isJson || !errors.isTTY) return silent;
  const { SingleBar } = await import("cli-progress");
  const bar = new SingleBar({
    format: `${what} {bar} {percentage}% {eta_formatted}`,
    stream: errors,
    clearOnComplete: true,
    hideCursor: true,
    barsize: 30,
  });
  let isStarted = false;
  return {
    report(done, total) {
      if (!isStarted) bar.start(total, done);
      else bar.setTotal(total);
      isStarted = true;
      bar.update(done);
    },
    end() {
      if (isStarted) bar.stop();
    },
  };
}
