/** Operations that stream, over HTTP: Server-Sent Events on node's response. Credential, body and refusals are handled as for every
 *  operation. Once the stream is open, nothing else of the request is kept. */
import type { IncomingMessage } from "node:http";
import type { StreamExchange, StreamRoute } from "#/protocols/http/app.ts";
import { EventStream, formatFrame } from "#/protocols/http/event-stream.ts";
import { requestPath } from "#/protocols/http/request-path.ts";
import { jsonBodyBytesMax } from "#/src/model/limits.ts";
import type { FrameSink, FrameStream, Operation, OperationRegistry, StreamFrame } from "../operation.ts";
import type { JsonRooms } from "../rooms.ts";
import { assertJson, authenticateBearer, refuseStream } from "./answers.ts";
import type { Invoke } from "./invoke.ts";
import { copiesOf, type JsonInput, readJson } from "./json-text.ts";

const prefix = "/v1/";

/** Aborting `closing` ends the streams. */
export function createStreamRoute(
  rooms: JsonRooms,
  registry: OperationRegistry,
  invoke: Invoke,
  closing: AbortSignal,
): StreamRoute {
  const paths = new Set(
    registry.served.filter(({ effect }) => effect === "streams").map(({ name }) => prefix + name),
  );
  const open = new Set<SseSink>();
  closing.addEventListener("abort", () => {
    for (const sink of open) sink.end();
  });

  async function serve(exchange: StreamExchange): Promise<void> {
    const { request, response, requestId, signal } = exchange;
    const principal = await authenticateBearer(rooms, request.headers.authorization, exchange, "v1");
    const outcome = await invoke.call({
      operation: requestPath(request).slice(prefix.length),
      principal,
      requestId,
      signal,
      readInput: (operation) => readStreamInput(exchange, operation),
    });
    if (outcome.kind !== "stream") throw new TypeError("the operation does not stream");
    if (signal.aborted) return outcome.frames.close();
    const sink = new SseSink(outcome.frames, open);
    sink.begin(new EventStream(response, requestId, sink, rooms.settings.http.requestTimeoutMs));
    forgetHeaders(request);
  }

  return {
    accepts: (request) => request.method === "POST" && paths.has(requestPath(request)),
    async serve(exchange) {
      try {
        await serve(exchange);
      } catch (error) {
        refuseStream(rooms.log, exchange, error);
      }
    },
  };
}

/** Writes the frames of an operation to its response. */
class SseSink implements FrameSink {
  readonly #frames: FrameStream;
  readonly #open: Set<SseSink>;
  #events: EventStream | undefined;

  constructor(frames: FrameStream, open: Set<SseSink>) {
    this.#frames = frames;
    this.#open = open.add(this);
  }

  begin(events: EventStream): void {
    this.#events = events;
    this.#frames.open(this);
  }

  write(frame: StreamFrame): boolean {
    return this.#events!.write(bytesOf(frame));
  }

  end(): void {
    this.#events!.end();
  }

  resume(): void {
    this.#frames.resume();
  }

  close(): void {
    this.#open.delete(this);
    this.#frames.close();
  }
}

const keepalive = Buffer.from(formatFrame({ comment: "keepalive" }));
const bytesOfFrames = new WeakMap<StreamFrame, Buffer>();

/** The bytes of a frame; made once for all streams that send it. */
function bytesOf(frame: StreamFrame): Buffer {
  if (frame.isKeepalive === true) return keepalive;
  const known = bytesOfFrames.get(frame);
  if (known !== undefined) return known;
  const id = frame.cursor === undefined ? {} : { id: frame.cursor };
  const text = formatFrame({ event: frame.event ?? "batch", ...id, data: JSON.stringify(frame.data) });
  const bytes = Buffer.from(text);
  bytesOfFrames.set(frame, bytes);
  return bytes;
}

/** Frees the headers of a request: node keeps the request as long as its response is open. */
function forgetHeaders(request: IncomingMessage): void {
  request.headers = {};
  request.rawHeaders = [];
}

async function readStreamInput(
  { request, readBody }: StreamExchange,
  { bodyBytesMax = jsonBodyBytesMax }: Operation,
): Promise<JsonInput> {
  const { headers } = request;
  assertJson(headers["content-type"], headers["content-encoding"]);
  const input = await readJson(await readBody(bodyBytesMax, copiesOf(bodyBytesMax)));
  // An EventSource that reconnects repeats its first body, and sends its last cursor in this header.
  const lastEventId = headers["last-event-id"];
  const { value } = input;
  if (!lastEventId || typeof value !== "object" || value === null || Array.isArray(value)) return input;
  return { ...input, value: { ...value, cursor: lastEventId } };
}
