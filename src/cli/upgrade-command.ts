/** `waypost upgrade`: says what the migrations will do, copies the store, and runs them. */
import path from "node:path";
import { Command } from "commander";
import { WaypostError } from "#/src/model/errors.ts";
import type { Upgrade } from "#/storage/upgrading/upgrade.ts";
import { isAgreed } from "./ask.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printLine, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";
import type { Shell } from "./shell.ts";

interface UpgradeOptions extends CommonOptions {
  readonly backup?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function upgradeCommand(shell: Shell): Command {
  const command = new Command("upgrade")
    .description(
      "Bring the store to the schema of this version: say what the steps will do, copy the store, take them. The server has to be stopped; its start takes small steps by itself.",
    )
    .option("--backup <file>", "where the copy goes (default: the folder backups of the data)")
    .option("--dry-run", "only say what would be done")
    .option("--yes", "do it without asking");
  return withCommonOptions(command).action(async (options: UpgradeOptions) => {
    const settings = settingsOf(shell, options);
    const { folder } = settings.storage;
    const { connectToDaemon } = await import("#/src/daemon/private-client.ts");
    const daemon = await connectToDaemon(folder);
    daemon?.destroy();
    if (daemon !== undefined)
      throw new WaypostError("precondition_failed", "The server is running.", {
        hint: "Stop it, upgrade, and start the new one: systemctl stop waypost.",
      });
    const [{ prepareUpgrade }, { databaseOf }] = await Promise.all([
      import("#/storage/upgrading/upgrade.ts"),
      import("#/config/database-of.ts"),
    ]);
    const backup = options.backup === undefined ? undefined : path.resolve(options.backup);
    await using upgrade = await prepareUpgrade({ folder, database: databaseOf(settings) }, backup);
    const isDue = upgrade.plan.steps.length > 0;
    if (options.json !== true) printLine(shell, describePlan(upgrade));
    if (isDue && options.dryRun !== true) {
      if (options.yes !== true && !(await isAgreed(shell)))
        throw new WaypostError("invalid", "Nothing was done.", { hint: "Add --yes to do it." });
      const progress = await showProgress(shell, "copying", options.json === true);
      await upgrade.carryOut(progress.report).finally(() => progress.end());
    }
    const isDone = isDue && options.dryRun !== true;
    if (options.json === true)
      printResult(shell, { ...upgrade.plan, backup: upgrade.backup ?? null, done: isDone }, true);
    else if (isDone) printLine(shell, describeDone(upgrade));
  });
}

function describePlan({ plan, backup }: Upgrade): string {
  const { from, to, steps } = plan;
  if (steps.length === 0) return `The store has schema ${to}, that of this version. Nothing is to be done.`;
  const width = String(to).length;
  return [
    `The store has schema ${from}, and this version of Waypost has ${to}. Each step is done whole or not at all:`,
    ...steps.map(
      ({ step, does, rows }) =>
        `  ${String(step).padStart(width)}  ${does}${rows === 0 ? "" : ` (goes through ${rows} rows)`}`,
    ),
    backup === undefined
      ? "The database is not copied before: make a backup with pg_dump, and stop every server on it."
      : `Before the first one the store is copied to ${backup.file}: ${mebibytes(backup.bytes)} of the ${mebibytes(backup.freeBytes)} that are free there.`,
    "Meanwhile no server can be started on it.",
  ].join("\n");
}

function describeDone({ plan, backup }: Upgrade): string {
  return [
    `The store has schema ${plan.to} now. waypost check looks whether everything is sound.`,
    ...(backup === undefined
      ? []
      : [
          `To go back: the former version of Waypost, with ${backup.file} in the place of waypost.db. Delete the copy when nobody needs it.`,
        ]),
  ].join("\n");
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
