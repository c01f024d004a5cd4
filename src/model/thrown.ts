/** What may be read of a value that was thrown, which may be anything: libraries also throw what is no Error, and null. */
export interface Thrown {
  /** Of the system or of a library: ENOENT. */
  readonly code: string | undefined;
  readonly name: string;
  readonly message: string;
  /** What else a library has said with it. */
  readonly further: Readonly<Record<string, unknown>>;
}

export function readThrown(thrown: unknown): Thrown {
  const further = (thrown ?? {}) as Readonly<Record<string, unknown>>;
  const { code, name, message } = further;
  return {
    code: textOf(code),
    name: textOf(name) ?? typeof thrown,
    message: textOf(message) ?? textOf(thrown) ?? `what is no error was thrown (${typeof thrown})`,
    further,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
