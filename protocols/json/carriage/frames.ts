/** Frames as an iterable, for a transport that waits for its reader between two frames. */
import type { FrameStream, StreamFrame } from "../operation.ts";

export async function* framesOf(stream: FrameStream, signal: AbortSignal): AsyncGenerator<StreamFrame> {
  let waiting: StreamFrame[] = [];
  let isOver = signal.aborted;
  let wake = (): void => {};
  const end = (): void => {
    isOver = true;
    wake();
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    stream.open({
      write(frame) {
        waiting.push(frame);
        wake();
        return false;
      },
      end,
    });
    for (;;) {
      const frames = waiting;
      waiting = [];
      yield* frames;
      if (waiting.length > 0) continue;
      if (isOver) return;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      stream.resume();
      await woken;
    }
  } finally {
    signal.removeEventListener("abort", end);
    stream.close();
  }
}
