/** `waypost trace <id>`: the whole way of one mail, from the log and the queue. */

import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Command } from "commander";
import { type LogLine, logFiles, openLogFile, traceMail } from "#/src/daemon/log-trace.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { operate } from "./operator.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printResult } from "./output.ts";
import type { Shell } from "./shell.ts";

export function traceCommand(shell: Shell): Command {
  const command = new Command("trace")
    .description(
      "Show the whole way of a mail: every line of the log about it, and what became of it in the queue.",
    )
    .argument(
      "<id>",
      "message_…, the id of a submission or hold_…, req_…, or the word after 'as' in an SMTP reply",
    )
    .option("--log <file>", "the log; - is standard input, as from journalctl -o cat (default: log.file)");
  return withCommonOptions(command).action(
    async (id: string, options: CommonOptions & { readonly log?: string }) => {
      const settings = settingsOf(shell, options);
      const source = options.log ?? settings.log.file;
      const lines = source === "" ? [] : await traceMail(await opener(shell, source), id);
      const queued = await queuedMail(settings, [id, ...submissionsOf(lines)]);
      if (lines.length === 0 && queued.length === 0)
        throw new WaypostError("not_found", `Nothing is known about ${id}.`, {
          hint:
            source === ""
              ? "The log is not in a file (log.file): journalctl -u waypost -o cat | waypost trace <id> --log -"
              : "It may have left the log; waypost queue list shows what is on its way out.",
        });
      if (options.json === true) printResult(shell, { lines, queue: queued }, true);
      else {
        if (lines.length > 0) printResult(shell, { log: `${lines.map(formatLine).join("\n")}\n` }, false);
        for (const mail of queued) printResult(shell, mail, false);
      }
    },
  );
}

/** Standard input can be read only once, so its content is kept. */
async function opener(shell: Shell, source: string): Promise<() => Readable[]> {
  if (source !== "-") return () => logFiles(source).map(openLogFile);
  const input = await buffer(shell.input);
  return () => [Readable.from([input])];
}

function submissionsOf(lines: readonly LogLine[]): string[] {
  return lines.flatMap(({ submission }) => (typeof submission === "string" ? [submission] : []));
}

/** The mail in the queue. Incoming mail that was stored here is not in the queue. */
async function queuedMail(
  settings: Parameters<typeof operate>[0],
  ids: readonly string[],
): Promise<Record<string, unknown>[]> {
  const found = new Map<string, Record<string, unknown>>();
  for (const id of new Set(ids)) {
    try {
      const mail = (await operate(settings, { operation: "queue.show", input: { id } })) as {
        readonly id: string;
      };
      found.set(mail.id, mail);
    } catch (error) {
      if (!isWaypostError(error) || !["not_found", "invalid"].includes(error.code)) throw error;
    }
  }
  return [...found.values()];
}

function formatLine({ time, level, msg, ...facts }: LogLine): string {
  const told = Object.entries(facts).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${String(time)} ${String(level)} ${String(msg)}: ${told.join(" ")}`;
}
