/** Every option of a command reaches that command, also when the program itself has an option with the same name. */
import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { createProgram, withSubcommands } from "#/src/cli/program.ts";

const program = createProgram();
const leaves = withSubcommands(program).filter(({ commands }) => commands.length === 0);

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

function givenValue(option: Option): string[] {
  return option.required || option.optional ? ["7"] : [];
}

/** A command line that gives what the command needs and one option, in front of its arguments or behind them. */
function lineFor(command: Command, option: Option, isFirst: boolean): string[] {
  const given = [option.long ?? option.short!, ...givenValue(option)];
  const needed = command.options
    .filter(({ mandatory, long }) => mandatory && long !== option.long)
    .flatMap(({ long }) => [long!, "x"]);
  const positional = command.registeredArguments.map(() => "x");
  return [
    ...pathOf(command),
    ...(isFirst ? [...given, ...positional] : [...positional, ...given]),
    ...needed,
  ];
}

test("there are commands with options to look at", () => {
  const lines = leaves.flatMap((command) =>
    command.options.map((option) => `${pathOf(command)} ${option.flags}`),
  );
  expect(lines.length).toBeGreaterThan(100);
  expect(lines).toContain("hold,approve --version <value>");
});

/** Commander prints and ends for the program's own options; what it prints is an error here. */
for (const command of withSubcommands(program))
  command.configureOutput({ writeOut: () => {}, writeErr: () => {} });

test.each(leaves.map((command) => [pathOf(command).join(" "), command] as const))(
  "every option of waypost %s reaches it",
  async (_, command) => {
    let runCount = 0;
    command.action(() => {
      runCount++;
    });
    for (const option of command.options)
      for (const isFirst of [true, false]) {
        const line = lineFor(command, option, isFirst);
        const before = runCount;
        await program.parseAsync(line, { from: "user" });
        expect([line, runCount]).toEqual([line, before + 1]);
        const value: unknown = command.getOptionValue(option.attributeName());
        expect([line, [value].flat().map(String)]).toEqual([
          line,
          [givenValue(option)[0] ?? String(!option.negate)],
        ]);
        expect(program.opts()).toEqual({});
      }
  },
);
