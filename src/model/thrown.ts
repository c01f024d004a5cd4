/** What may be read of a value that was thrown, which may be anything: libraries also throw what is no Error, and null. */
export interface Thrown {
  /** Of the system or of a library: ENOENT. */
  readonly code: string | undefined;
  readonly name: string;
  readonly message: string;
}

export function readThrown(thrown: unknown): Thrown {
  const { code, name, message } = (thrown ?? {}) as Readonly<Record<string, unknown>>;
  return {
    code: textOf(code),
    name: textOf(name) ?? typeof thrown,
    message: textOf(message) ?? textOf(thrown) ?? `what is no error was thrown (${typeof thrown})`,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
