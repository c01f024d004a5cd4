import { Command } from "commander";
import { objectsOf } from "#/src/daemon/object-place.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printLine, printResult } from "./output.ts";
import { type ProgressLine, showProgress } from "./progress.ts";
import type { Shell } from "./shell.ts";

interface MoveOptions extends CommonOptions {
  readonly to?: string;
  readonly toPasswordFile?: string;
  readonly cancel?: boolean;
}

export function moveCommand(shell: Shell): Command {
  const command = new Command("move")
    .description(
      "Move the store to PostgreSQL or back to the file. Daemons run on until it says that they have to be stopped. What was killed goes on when it is called again.",
    )
    .option("--to <place>", "postgres://user@host/database, or file for the one in the data folder")
    .option("--to-password-file <file>", "file with the password of that database, in one line")
    .option("--cancel", "give up a move that is not finished, and use the store as before");
  return withCommonOptions(command).action(async (options: MoveOptions) => {
    const { storage } = settingsOf(shell, options);
    const from = placeOf(storage.url, storage.passwordFile);
    const { runCancel, runMove } = await import("#/storage/moving/open-move.ts");
    if (options.cancel === true) {
      await runCancel(storage.folder, from);
      printResult(shell, { cancelled: true }, options.json === true);
      return;
    }
    const { to } = options;
    if (to === undefined) throw new WaypostError("invalid", "Say where: --to postgres://… or --to file.");
    if (to !== "file" && !(/^postgres(ql)?:\/\//.test(to) && URL.canParse(to)))
      throw new WaypostError("invalid", "--to is postgres://user@host:5432/database, or file.");
    let bar: ProgressLine | undefined;
    let showing = Promise.resolve();
    const moved = await runMove({
      folder: storage.folder,
      from,
      objects: objectsOf(storage),
      to: placeOf(to === "file" ? "" : to, options.toPasswordFile ?? ""),
      onStep(step) {
        bar?.end();
        bar = undefined;
        if (step === "waiting")
          shell.errors.write(
            "The copy is whole and follows all changes. Stop the daemon now; this goes on then.\n",
          );
        showing = showProgress(shell, step, options.json === true).then((line) => {
          bar = line;
        });
      },
      onProgress: (done, total) => bar?.report(done, total),
    }).finally(async () => {
      await showing;
      bar?.end();
    });
    if (options.json === true) return printResult(shell, moved, true);
    printLine(
      shell,
      [
        `Moved ${moved.rows} rows of ${moved.tables} tables from ${moved.from} to ${moved.to}: compared row by row, and checked. No daemon ran for ${(moved.stoppedMs / 1000).toFixed(1)} s of it.`,
        ...(moved.aside === undefined ? [] : [`What was there before is in ${moved.aside}.`]),
        `The former store is not opened any more. Now ${to === "file" ? 'set url = ""' : `set url = "${hidden(to)}"`} below [storage], and start.`,
      ].join("\n"),
    );
  });
}

function placeOf(url: string, passwordFile: string) {
  if (url === "") return undefined;
  return passwordFile === "" ? { url } : { url, passwordFile };
}

/** Without the password. */
function hidden(place: string): string {
  const url = new URL(place);
  if (url.password !== "") url.password = "…";
  return url.href;
}
