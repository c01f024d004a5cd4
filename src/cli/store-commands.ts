import { Command } from "commander";
import { WaypostError } from "#/src/model/errors.ts";
import { operate } from "./operator.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printLine, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";
import { exitCodes, type Shell } from "./shell.ts";

export function checkCommand(shell: Shell): Command {
  const command = new Command("check").description(
    "Check every invariant of the store; ends with 1 when one does not hold.",
  );
  return withCommonOptions(command).action(async (options: CommonOptions) => {
    const progress = await showProgress(shell, "checking", options.json === true);
    const result = await operate(settingsOf(shell, options), {
      operation: "store.check",
      input: {},
      onProgress: progress.report,
    }).finally(() => progress.end());
    const { problems, notes } = result as { problems: readonly string[]; notes: readonly string[] };
    if (options.json) printResult(shell, result, true);
    else
      printLine(
        shell,
        [problems.length === 0 ? "The store is sound." : problems.join("\n"), ...notes].join("\n"),
      );
    if (problems.length > 0) shell.exitCode = exitCodes.refused;
  });
}

interface BackupOptions extends CommonOptions {
  readonly verify?: boolean;
  readonly keep?: string;
}

export function backupCommand(shell: Shell): Command {
  const command = new Command("backup")
    .description("Write a complete copy of the store to a new file, also while the daemon runs.")
    .argument("<file>", "the new file; with --keep a folder, in which each copy is named by its time")
    .option("--verify", "read the copy whole, and end with 1 where it is damaged")
    .option(
      "--keep <n>",
      "how many copies stay in the folder; older ones are deleted when the new one is there",
    );
  return withCommonOptions(command).action(async (place: string, options: BackupOptions) => {
    const { resolve } = await import("node:path");
    const progress = await showProgress(shell, "copying", options.json === true);
    const result = await operate(settingsOf(shell, options), {
      operation: "store.backup",
      // The daemon may have been started in another folder.
      input: {
        file: resolve(place),
        ...(options.verify === true ? { verify: true } : {}),
        ...(options.keep === undefined ? {} : { keep: readKeep(options.keep) }),
      },
      onProgress: progress.report,
    }).finally(() => progress.end());
    printResult(shell, result, options.json === true);
  });
}

function readKeep(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep > 0) return keep;
  throw new WaypostError("invalid", "--keep is a number of copies, 1 to 9999.", { field: "/keep" });
}

export function beginAnewCommand(shell: Shell): Command {
  const command = new Command("begin-anew")
    .description(
      "After a database of PostgreSQL was put back from a backup, before the first start: mailboxes get new UIDVALIDITYs and cursors begin anew. A backup of the file does so by itself.",
    )
    .option("--yes", "the database was put back, and no daemon runs");
  return withCommonOptions(command).action(async (options: CommonOptions & { readonly yes?: boolean }) => {
    const { url, passwordFile } = settingsOf(shell, options).storage;
    if (url === "")
      throw new WaypostError(
        "invalid",
        "The store is a file: a backup that is put back begins anew by itself.",
      );
    if (options.yes !== true)
      throw new WaypostError(
        "invalid",
        "Clients fetch everything again: say --yes if the database was put back.",
      );
    const { beginAnew } = await import("#/storage/postgres/begin-anew.ts");
    await beginAnew(passwordFile === "" ? { url } : { url, passwordFile }, Date.now());
    printResult(shell, { begun: true }, options.json === true);
  });
}
