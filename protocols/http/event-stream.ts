/** Server-Sent Events (WHATWG HTML section 9.2). The next frame is written when the client has read the one before. A client that reads
 *  nothing for a while is disconnected, so it costs one frame of memory and does not slow others.
 *
 *  Thousands of streams stay open for days: the only memory of one is the response and this object. */
import type { ServerResponse } from "node:http";
import { after } from "#/src/model/background.ts";

export interface EventFrame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  /** The text of a frame that is only a comment. */
  readonly comment?: string;
}

/** Makes the frames of one stream. */
export interface FrameSource {
  /** The client has read what was written: another frame may be written. */
  resume(): void;
  /** The client has gone or stalls. */
  close(): void;
}

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // nginx would otherwise buffer the events.
  "X-Accel-Buffering": "no",
};

/** An open response. `stalledReaderMs`: how long a client may leave a frame unread. The stream ends with `end`, or when the client goes or
 *  stalls; then it calls `close` of the source. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #source: FrameSource;
  readonly #stalledReaderMs: number;
  #stalled: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, requestId: string, source: FrameSource, stalledReaderMs: number) {
    this.#response = response;
    this.#source = source;
    this.#stalledReaderMs = stalledReaderMs;
    // Node keeps fields that are set one by one as long as the response is open.
    response.writeHead(200, { ...headers, "X-Request-Id": requestId });
    response.once("close", () => this.#closed());
  }

  /** Whether another frame may follow at once. If not, the stream calls `resume` of the source later. */
  write(frame: Buffer): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    if (this.#response.write(frame)) return true;
    if (this.#stalled === undefined) {
      this.#stalled = after(this.#stalledReaderMs, cutOff, this.#response);
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
