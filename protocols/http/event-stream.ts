/** Server-Sent Events (WHATWG HTML section 9.2): frames are written as the reader takes them, never further ahead. A reader
 *  that takes nothing for a while is cut off, so it costs one frame of memory and hurts nobody else. */
import type { ServerResponse } from "node:http";

export interface EventFrame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  /** Of a frame that is only a comment. */
  readonly comment?: string;
}

/** How long a reader may leave a frame untaken. */
const stalledReaderDefaultMs = 30_000;

/** Writes until the frames end, the reader goes or stalls. Closing the response is what ends `frames` early. */
export async function writeEventStream(
  response: ServerResponse,
  frames: AsyncIterable<EventFrame>,
  stalledReaderMs: number = stalledReaderDefaultMs,
): Promise<void> {
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    // nginx would otherwise hold the events back.
    "X-Accel-Buffering": "no",
  });
  for await (const frame of frames) {
    if (response.destroyed || response.writableEnded) break;
    if (!response.write(formatFrame(frame)) && !(await hasDrained(response, stalledReaderMs))) {
      response.destroy();
      break;
    }
  }
  response.end();
}

/** Data is JSON on one line, so it holds no line end. */
export function formatFrame(frame: EventFrame): string {
  if (frame.comment !== undefined) return `: ${frame.comment}\n\n`;
  const id = frame.id === undefined ? "" : `id: ${frame.id}\n`;
  return `event: ${frame.event}\n${id}data: ${frame.data}\n\n`;
}

function hasDrained(response: ServerResponse, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isDrained: boolean): void => {
      clearTimeout(timer);
      response.off("drain", onDrain).off("close", onClose);
      resolve(isDrained);
    };
    const onDrain = (): void => finish(true);
    const onClose = (): void => finish(false);
    const timer = setTimeout(() => finish(false), timeoutMs);
    response.on("drain", onDrain).on("close", onClose);
  });
}
