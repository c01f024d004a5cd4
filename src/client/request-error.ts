import type { ErrorObject } from "./operations.ts";

/** A refusal of the server, or the client's own `upstream_unavailable` if the server could not be reached. */
export class RequestError extends Error {
  /** The error object of the server. */
  readonly refusal: ErrorObject;
  readonly code: ErrorObject["code"];
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly hint: string | undefined;
  /** JSON pointer to the wrong field, on `invalid`. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** On `precondition_failed`: the version to retry with, and sometimes the stored object. */
  readonly version: string | undefined;
  readonly current: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, error: ErrorObject, cause?: unknown) {
    super(error.message, cause === undefined ? undefined : { cause });
    this.name = "RequestError";
    this.refusal = error;
    this.code = error.code;
    this.status = status;
    this.hint = error.hint;
    this.field = error.field;
    this.requestId = error.request_id;
    this.retryAfterMs = error.retry_after_ms;
    this.version = error.version;
    this.current = error.current;
  }
}

/** The refusal in a response. A response that is not the server's, such as a proxy's error page, gives a general error. */
export async function refusalOf(response: Response): Promise<RequestError> {
  const text = await response.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as { error: ErrorObject };
    if (typeof error.code === "string") return new RequestError(response.status, error);
  } catch {
    // The body is not an error object of the server.
  }
  return new RequestError(response.status, {
    code: response.status >= 500 ? "upstream_unavailable" : "internal",
    message: `The server answered ${response.status} without saying why.`,
  });
}

export function unreachable(cause: unknown): RequestError {
  return new RequestError(
    0,
    { code: "upstream_unavailable", message: "The server could not be reached." },
    cause,
  );
}
