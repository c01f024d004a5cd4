import { Command } from "commander";
import type { ImportResult } from "#/src/collections/transfer/import-items.ts";
import { operate } from "./operator.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { exitCodes, printLine, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";

interface TransferOptions extends CommonOptions {
  readonly in?: string;
}

const inOption = ["--in <collection>", "a calendar or addressbook, by id or name"] as const;

export function importCommand(): Command {
  const command = new Command("import")
    .description(
      "Put the events or contacts of a file (.ics, .vcf) into a calendar or addressbook. What is there already is replaced, so it can be run again; nobody is invited.",
    )
    .argument("<owner>", "agent or person: address or id (ag_…)")
    .argument(
      "<file>",
      "the file; without --in it goes into the default calendar (.ics) or addressbook (.vcf)",
    )
    .option(...inOption);
  return withCommonOptions(command).action(async (owner: string, file: string, options: TransferOptions) => {
    const result = (await transfer("import", owner, file, options)) as ImportResult;
    if (options.json) printResult(result, true);
    else {
      const { refusals, ...counts } = result;
      printResult(counts, false);
      for (const { line, uid, why } of refusals) printLine(`line ${line}${uid ? ` (${uid})` : ""}: ${why}`);
    }
    if (result.refused > 0) process.exitCode = exitCodes.refused;
  });
}

export function exportCommand(): Command {
  const command = new Command("export")
    .description("Write a calendar or addressbook whole to a new file (.ics, .vcf).")
    .argument("<owner>", "agent or person: address or id (ag_…)")
    .argument("<file>", "the new file; without --in the default calendar (.ics) or addressbook (.vcf)")
    .option(...inOption);
  return withCommonOptions(command).action(async (owner: string, file: string, options: TransferOptions) =>
    printResult(await transfer("export", owner, file, options), options.json === true),
  );
}

async function transfer(
  deed: "import" | "export",
  owner: string,
  file: string,
  options: TransferOptions,
): Promise<unknown> {
  const { resolve } = await import("node:path");
  const progress = await showProgress(`${deed}ing`, options.json === true);
  return operate(settingsOf(options), {
    operation: `collection.${deed}`,
    // The daemon may have been started in another folder.
    input: { owner, file: resolve(file), ...(options.in === undefined ? {} : { collection: options.in }) },
    onProgress: progress.report,
  }).finally(() => progress.end());
}
