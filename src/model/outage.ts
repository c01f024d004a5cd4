/** What a runner that tries again and again logs of its failures: each once, however often it comes again, and that it is over. */
import { readThrown } from "./thrown.ts";

interface Log {
  error(facts: { readonly err: unknown }, message: string): void;
  info(facts: { readonly what: string }, message: string): void;
}

export interface Outage {
  failed(error: unknown): void;
  worked(): void;
}

/** `what` says what failed. */
export function createOutage(log: Log, what: string): Outage {
  let standing: string | undefined;
  return {
    failed(error) {
      const { code, name, message } = readThrown(error);
      const reason = `${name} ${code} ${message}`;
      if (reason !== standing) log.error({ err: error }, what);
      standing = reason;
    },
    worked() {
      if (standing !== undefined) log.info({ what }, "over");
      standing = undefined;
    },
  };
}
