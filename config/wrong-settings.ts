import { WaypostError } from "#/src/model/errors.ts";

/** One thing that is wrong with the settings. */
export interface SettingProblem {
  /** Where it was set, as text for people: the file with its line, the variable, or the option. */
  readonly place?: string;
  /** Its name, as `smtp.port`, where one setting is wrong. */
  readonly setting?: string;
  readonly text: string;
  readonly hint?: string;
}

export function formatProblem({ place, text }: SettingProblem): string {
  return place === undefined ? text : `${place}: ${text}`;
}

/** All problems of the settings, each with its place. */
export class WrongSettings extends WaypostError {
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const hint = problems.length === 1 ? problems[0]!.hint : undefined;
    super("invalid", problems.map(formatProblem).join("\n"), hint === undefined ? {} : { hint });
    this.name = "WrongSettings";
    this.problems = problems;
  }
}

/** The same error; its problems have the place where their setting was set. Other errors are returned unchanged. */
export function withPlaces(error: unknown, placeOf: (setting: string) => string): unknown {
  if (!(error instanceof WrongSettings)) return error;
  const problems = error.problems.map((problem) =>
    problem.place === undefined && problem.setting !== undefined
      ? { ...problem, place: placeOf(problem.setting) }
      : problem,
  );
  return new WrongSettings(problems);
}
