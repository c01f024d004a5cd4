/** Jobs on the text of one item: each is a pure function of octets and of what a caller wrote, so that it is done where there is
 *  time for it (`projection.ts`). */
import { type ErrorCode, type ErrorDetails, isWaypostError } from "#/src/model/errors.ts";

/** The input and the result of each job, by its name. */
export type JobTable<J> = { readonly [D in keyof J]: { readonly job: object; readonly result: unknown } };

/** The messages to a thread and back. */
export interface NamedJob<J extends JobTable<J>, D extends keyof J = keyof J> {
  readonly action: D;
  readonly job: J[D]["job"];
}

export type JobAnswer<J extends JobTable<J>, D extends keyof J = keyof J> =
  | { readonly result: J[D]["result"] }
  | {
      readonly refusal: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly details: ErrorDetails;
      };
    };

export type Actions<J extends JobTable<J>> = {
  readonly [D in keyof J]: (job: J[D]["job"]) => J[D]["result"];
};

/** A refusal is an answer: an error that a thread throws is a fault of the thread. */
export function doNamedJob<J extends JobTable<J>>(
  actions: Actions<J>,
  { action, job }: NamedJob<J>,
): JobAnswer<J> {
  try {
    return { result: actions[action](job) };
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    const { code, message, details } = error;
    const { cause: _, ...told } = details;
    return { refusal: { code, message, details: told } };
  }
}
