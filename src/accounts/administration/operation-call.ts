/** How an operation of the operator is called, and what it answers. */
import { WaypostError } from "#/src/model/errors.ts";

/** What an operation answers, ready for JSON. */
export type AdministrationResult = Readonly<Record<string, unknown>>;

/** Who waits for work that may take long. */
export interface Watcher {
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** `signal` aborts when the caller has gone. */
export interface OperationCall extends Watcher {
  /** Where a file of this host is that the caller names. Throws `invalid` for a place that the caller may not use. */
  placeOf(file: string): string;
  /** The caller waits until a job ends, and the job ends when the caller goes. */
  readonly isPatient: boolean;
  /** Whether the credential behind the call still stands and may still do this. A job asks it again and again. */
  mayGoOn(): Promise<boolean>;
}

/** For callers that name no files, wait for no job and have no credential that can end. */
export const plainCall: OperationCall = {
  signal: new AbortController().signal,
  onProgress() {},
  placeOf() {
    throw new WaypostError("invalid", "Files cannot be named here.", { field: "/file" });
  },
  isPatient: false,
  mayGoOn: async () => true,
};
