/** Items between the text that is stored and JSON. An ordinary one takes about a millisecond and is done at once; what can take
 *  seconds is given to a thread with a limit. */
import { WaypostError } from "#/src/model/errors.ts";
import { readForeign } from "#/src/model/foreign-text.ts";
import type { ReaderName, Reading } from "#/src/threads/reading.ts";
import type { JobAnswer, JobTable, NamedJob } from "./projected-jobs.ts";

export interface Projection<J extends JobTable<J>> {
  /** Throws `invalid` with the JSON pointer of what is wrong with a body or a patch. */
  run<D extends keyof J>(action: D, job: J[D]["job"]): Promise<J[D]["result"]>;
}

export interface Projected<J extends JobTable<J>> {
  /** What an error calls an item: "contact". */
  readonly noun: string;
  readonly reader: ReaderName;
  /** Whether a job is done at once. */
  isSmall(job: NamedJob<J>): boolean;
  /** What does jobs, with the formats, which most commands do not need. */
  load(): Promise<(job: NamedJob<J>) => JobAnswer<J>>;
}

export function createProjection<J extends JobTable<J>>(
  reading: Reading,
  { noun, reader, isSmall, load }: Projected<J>,
): Projection<J> {
  const overLimit: JobAnswer<J> = {
    refusal: {
      code: "policy_refused",
      message: `The ${noun} takes too much work.`,
      details: { reason: "limit_reached", hint: "Leave out some of its members." },
    },
  };
  async function onThread(named: NamedJob<J>): Promise<JobAnswer<J>> {
    const { bytes, given } = sizesOf(named.job);
    const size = { bytes: (bytes?.length ?? 0) + given.length };
    return (await reading.read<JobAnswer<J>>(reader, named, size)) ?? overLimit;
  }

  /** With all that is done with the octets of the item. */
  function readHere(read: (job: NamedJob<J>) => JobAnswer<J>, named: NamedJob<J>): JobAnswer<J> {
    return readForeign(
      noun,
      sizesOf(named.job).bytes ?? "",
      () => read(named),
      () => overLimit,
    );
  }

  return {
    async run(action, job) {
      const named: NamedJob<J> = { action, job };
      const answer = isSmall(named) ? readHere(await load(), named) : await onThread(named);
      if ("result" in answer) return answer.result as J[typeof action]["result"];
      const { code, message, details } = answer.refusal;
      throw new WaypostError(code, message, details);
    },
  };
}

/** Octets of the item, and what the caller wrote as JSON, of a job that has them. */
export function sizesOf(job: object): { readonly bytes: Uint8Array | undefined; readonly given: string } {
  const { bytes, body, change } = job as { bytes?: Uint8Array; body?: object; change?: object };
  const given = body ?? change;
  return { bytes, given: given === undefined ? "" : JSON.stringify(given) };
}
