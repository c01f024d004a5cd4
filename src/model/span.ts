/** Spans of traces: pieces of work with a beginning, an end and the ids that the log has. Their words are ids, codes, names of this server's own and
 *  counts: no address, no content. */
export type SpanName = "message" | "delivery" | "submission" | "attempt" | "request" | "command";

export interface FinishedSpan {
  readonly name: SpanName;
  /** Value of `performance.now()`; it ends now. */
  readonly startedAt: number;
  /** The id that the spans of one trace share: of a mail in the queue, of a transaction of SMTP, of a request. Absent: it is alone in its trace. */
  readonly trace?: string;
  /** Whether the other spans of the trace are parts of this one. */
  readonly isWhole?: boolean;
  /** The id of another trace that it came from. */
  readonly cause?: string;
  readonly isFailed: boolean;
  readonly words: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
}
