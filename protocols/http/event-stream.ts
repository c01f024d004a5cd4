/** Server-Sent Events (WHATWG HTML section 9.2): frames are written as the reader takes them, never further ahead. A reader
 *  that takes nothing for a while is cut off, so it costs one frame of memory and hurts nobody else.
 *
 *  A stream stays open for days beside thousands of others: nothing is kept for it but the response and this. */
import type { ServerResponse } from "node:http";

export interface EventFrame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  /** Of a frame that is only a comment. */
  readonly comment?: string;
}

/** Who makes the frames. */
export interface FrameSource {
  /** What was written has been taken: there is room again. */
  resume(): void;
  /** Nobody reads any more. */
  close(): void;
}

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // nginx would otherwise hold the events back.
  "X-Accel-Buffering": "no",
};

/** The answer that is open. `stalledReaderMs`: how long a reader may leave a frame untaken. It ends with `end`, or when the reader goes or stalls; the source hears of the latter by `close`. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #source: FrameSource;
  readonly #stalledReaderMs: number;
  #stalled: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, requestId: string, source: FrameSource, stalledReaderMs: number) {
    this.#response = response;
    this.#source = source;
    this.#stalledReaderMs = stalledReaderMs;
    // Fields that are set one by one would be kept as long as the answer is open.
    response.writeHead(200, { ...headers, "X-Request-Id": requestId });
    response.once("close", () => this.#closed());
  }

  /** Whether another frame may follow at once; when not, the source hears `resume`. */
  write(frame: Buffer): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    if (this.#response.write(frame)) return true;
    if (this.#stalled === undefined) {
      this.#stalled = setTimeout(cutOff, this.#stalledReaderMs, this.#response);
      this.#response.once("drain", () => this.#drained());
    }
    return false;
  }

  end(): void {
    this.#response.end();
  }

  #drained(): void {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#source.resume();
  }

  #closed(): void {
    clearTimeout(this.#stalled);
    this.#source.close();
  }
}

function cutOff(response: ServerResponse): void {
  response.destroy();
}

/** Data is JSON on one line, so it holds no line end. */
export function formatFrame(frame: EventFrame): string {
  if (frame.comment !== undefined) return `: ${frame.comment}\n\n`;
  const id = frame.id === undefined ? "" : `id: ${frame.id}\n`;
  return `event: ${frame.event}\n${id}data: ${frame.data}\n\n`;
}
