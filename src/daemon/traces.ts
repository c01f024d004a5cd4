/** Traces by OpenTelemetry, sent to a collector by OTLP over HTTP (JSON). The spans of one mail or request share an id of the log. The
 *  ids of trace and span are derived from it, so nothing has to be passed from the daemon that accepts a mail to the one that delivers
 *  it. */
import { createHash } from "node:crypto";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Settings } from "#/config/schema.ts";
import manifest from "#/package.json" with { type: "json" };
import { pause } from "#/src/model/background.ts";
import type { FinishedSpan, SpanName } from "#/src/model/span.ts";

export interface Traces extends AsyncDisposable {
  /** Never waits and never throws; when the collector takes less than there is, spans are left out. */
  note(span: FinishedSpan): void;
}

/** About 1 KiB each. */
const waitingSpansMax = 4096;
const exportMsMax = 10_000;
/** How long a stop waits for the collector. */
const lastExportMsMax = 2000;
const complaintMs = 60_000;
/** Values of one attribute: a mail may have a thousand copies. */
const listedMax = 20;

const kinds: Readonly<Record<SpanName, SpanKind>> = {
  message: SpanKind.SERVER,
  request: SpanKind.SERVER,
  command: SpanKind.SERVER,
  submission: SpanKind.INTERNAL,
  delivery: SpanKind.INTERNAL,
  attempt: SpanKind.CLIENT,
};

/** `complain` is told, once a minute at most, that the collector takes nothing. */
export function createTraces(
  { tracing, server }: Pick<Settings, "tracing" | "server">,
  complain: (error: Error | undefined) => void,
): Traces {
  const exporter = complaining(
    new OTLPTraceExporter({ url: tracing.url, timeoutMillis: exportMsMax }),
    complain,
  );
  const random = new RandomIdGenerator();
  /** Ids of the span that is being made; undefined: random ones. */
  let wanted: { readonly trace?: string | undefined; readonly span?: string | undefined } = {};
  const provider = new TracerProvider({
    sampler: new TraceIdRatioBasedSampler(tracing.ratio),
    idGenerator: {
      generateTraceId: () => wanted.trace ?? random.generateTraceId(),
      generateSpanId: () => wanted.span ?? random.generateSpanId(),
    },
    resource: resourceFromAttributes({
      "service.name": "waypost",
      "service.version": manifest.version,
      "service.instance.id": server.hostname,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: waitingSpansMax,
        exportTimeoutMillis: exportMsMax,
      }),
    ],
  });
  const tracer = provider.getTracer("waypost", manifest.version);
  return {
    note({ name, startedAt, trace: id, isWhole, cause, isFailed, words }) {
      const now = Date.now();
      const isPart = id !== undefined && isWhole !== true;
      wanted = {
        trace: id === undefined ? undefined : traceIdOf(id),
        span: isWhole === true && id !== undefined ? wholeIdOf(id) : undefined,
      };
      const span = tracer.startSpan(
        name,
        {
          kind: kinds[name],
          startTime: now - (performance.now() - startedAt),
          attributes: attributesOf(words),
          ...(cause === undefined ? {} : { links: [{ context: contextOf(cause) }] }),
        },
        isPart ? trace.setSpanContext(ROOT_CONTEXT, contextOf(id)) : ROOT_CONTEXT,
      );
      wanted = {};
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now);
    },
    async [Symbol.asyncDispose]() {
      // A collector that does not answer does not hold up the stop.
      await Promise.race([provider.shutdown().catch(() => {}), pause(lastExportMsMax, { ref: false })]);
    },
  };
}

function contextOf(id: string) {
  return {
    traceId: traceIdOf(id),
    spanId: wholeIdOf(id),
    traceFlags: TraceFlags.SAMPLED,
  };
}

function traceIdOf(id: string): string {
  return createHash("sha256").update(`trace ${id}`).digest("hex").slice(0, 32);
}

function wholeIdOf(id: string): string {
  return createHash("sha256").update(`span ${id}`).digest("hex").slice(0, 16);
}

/** Names of OpenTelemetry where it has one, ours for the rest. */
const attributeNames: Readonly<Record<string, string>> = {
  method: "http.request.method",
  path: "url.path",
  httpStatus: "http.response.status_code",
};

function attributesOf(words: FinishedSpan["words"]): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [
            [
              attributeNames[name] ?? `waypost.${name}`,
              typeof value === "object" ? value.slice(0, listedMax) : value,
            ],
          ],
    ),
  );
}

function complaining(exporter: SpanExporter, complain: (error: Error | undefined) => void): SpanExporter {
  let complainedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0 && performance.now() - complainedAt > complaintMs) {
          complainedAt = performance.now();
          complain(result.error);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
