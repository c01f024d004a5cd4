/** One open `watch`. Thousands of them are open at once, so each keeps only what is needed to send the next event, and not the
 *  request that opened it. The same frame for many streams is made once. */
import { StreamTimers } from "#/protocols/http/stream-timers.ts";
import type { EventPage } from "#/src/feed/events.ts";
import { after, inBackground } from "#/src/model/background.ts";
import { asRefusal, errorObject } from "../errors.ts";
import type { FrameSink, FrameStream, OperationContext, StreamFrame } from "../operation.ts";
import type { WatchRequest } from "../schemas.ts";
import { type EventSource, openEventSource, type Read } from "./event-source.ts";

/** After which a stream reads again that could not. */
const againMs = 1000;
const keepalive: StreamFrame = { isKeepalive: true };
const framesOfPages = new WeakMap<EventPage, StreamFrame>();

export class WatchStream implements FrameStream {
  readonly #context: Pick<OperationContext, "rooms" | "requestId">;
  readonly #supplied: string;
  readonly #quietMs: number;
  readonly #slot: Disposable;
  #source: EventSource | undefined;
  #first: Read | undefined;
  #sink: FrameSink | undefined;
  /** Milliseconds until the credential expires. */
  readonly #expiryMs: number;
  #timers: StreamTimers | undefined;
  #again: NodeJS.Timeout | undefined;
  /** The cursor that was sent last. */
  #told: string;
  #mayHaveMore = false;
  #isReading = false;
  #isFull = false;

  private constructor(context: OperationContext, supplied: string, quietMs: number) {
    const { rooms, requestId, principal } = context;
    const { expiresAt = Number.POSITIVE_INFINITY } = principal.credential;
    this.#expiryMs = expiresAt - rooms.mail.clock.now();
    this.#context = { rooms, requestId };
    this.#supplied = supplied;
    this.#told = supplied;
    this.#quietMs = quietMs;
    this.#slot = context.holdStream();
  }

  /** Throws refusals of the request. After that a failure is sent as a frame. */
  static async open(context: OperationContext, request: WatchRequest, quietMs: number): Promise<WatchStream> {
    const stream = new WatchStream(context, request.cursor ?? "", quietMs);
    try {
      stream.#source = await openEventSource(context, request, () => stream.#rung());
      stream.#first = await stream.#source.read();
    } catch (error) {
      stream.close();
      throw error;
    }
    // The caller may have gone before the first frame; no other event reports that.
    if (context.signal.aborted) stream.close();
    return stream;
  }

  open(sink: FrameSink): void {
    if (this.#source === undefined) return;
    this.#sink = sink;
    this.#write({ event: "open", data: { cursor: this.#supplied } });
    if (this.#first !== undefined) this.#tell(this.#first);
    this.#first = undefined;
    this.#timers = new StreamTimers(this.#quietMs, this);
    this.#timers.endsIn(this.#expiryMs);
    if (this.#mayHaveMore) inBackground(() => this.#readOn());
  }

  resume(): void {
    this.#isFull = false;
    if (this.#mayHaveMore) inBackground(() => this.#readOn());
  }

  close(): void {
    this.#timers?.stop();
    clearTimeout(this.#again);
    this.#source?.[Symbol.dispose]();
    this.#source = undefined;
    this.#sink = undefined;
    this.#slot[Symbol.dispose]();
  }

  /** After a quiet interval: checks the credential again and sends new events, or else a keepalive. */
  async becomeQuiet(): Promise<void> {
    this.#mayHaveMore = true;
    if (!(await this.#readOn()) && this.#sink !== undefined && !this.#isFull) this.#write(keepalive);
    this.#timers?.refresh();
  }

  #rung(): void {
    this.#mayHaveMore = true;
    inBackground(() => this.#readOn());
  }

  /** Reads and sends events until there are no more, or the reader has no room. Whether anything was sent. */
  async #readOn(): Promise<boolean> {
    if (this.#isReading || this.#isFull || this.#sink === undefined) return false;
    this.#isReading = true;
    let hasTold = false;
    try {
      while (this.#mayHaveMore && !this.#isFull && this.#source !== undefined) {
        this.#mayHaveMore = false;
        hasTold = this.#tell(await this.#source.read()) || hasTold;
      }
    } catch (error) {
      if (asRefusal(error).code === "upstream_unavailable") this.#readAgainLater();
      else this.#fail(error);
    }
    this.#isReading = false;
    return hasTold;
  }

  /** The store is away or too busy; the stream stays, and its place in the log with it. */
  #readAgainLater(): void {
    this.#mayHaveMore = true;
    if (this.#source !== undefined) this.#again ??= after(againMs, readAgain, this);
  }

  readAgain(): void {
    this.#again = undefined;
    inBackground(() => this.#readOn());
  }

  #tell({ page, hasNewReach }: Read): boolean {
    if (page.hasMore) this.#mayHaveMore = true;
    if (page.events.length === 0 && !(hasNewReach && this.#told !== "")) return false;
    this.#told = page.cursor;
    this.#write(frameOf(page));
    this.#timers?.refresh();
    return true;
  }

  #write(frame: StreamFrame): void {
    if (this.#sink?.write(frame) === false) this.#isFull = true;
  }

  #fail(error: unknown): void {
    const { rooms, requestId } = this.#context;
    const refusal = asRefusal(error);
    if (refusal.code === "internal") rooms.log.error({ err: error, requestId }, "watch failed");
    const data = { cursor: this.#told, events: [], error: errorObject(refusal, requestId) };
    const sink = this.#sink;
    sink?.write({ event: "batch", data });
    this.close();
    sink?.end();
  }
}

function readAgain(stream: WatchStream): void {
  stream.readAgain();
}

function frameOf(page: EventPage): StreamFrame {
  const known = framesOfPages.get(page);
  if (known !== undefined) return known;
  const { cursor, events } = page;
  const frame: StreamFrame = { event: "batch", cursor, data: { cursor, events } };
  framesOfPages.set(page, frame);
  return frame;
}
