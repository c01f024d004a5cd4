/** `waypost trace <id>`: the whole way of one mail, from the log, the store and the queue. */

import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Command } from "commander";
import { assertFound, idsOf } from "#/src/accounts/administration/trace.ts";
import { type LogLine, logFiles, openLogFile, traceMail } from "#/src/daemon/log-trace.ts";
import { operate } from "./operator.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printResult } from "./output.ts";
import type { Shell } from "./shell.ts";

export function traceCommand(shell: Shell): Command {
  const command = new Command("trace")
    .description(
      "Show the whole way of a mail: every line of the log about it, where it is stored and why, and what became of it in the queue.",
    )
    .argument(
      "<id>",
      "message_…, the id of a submission or hold_…, req_…, or the word after 'as' in an SMTP reply",
    )
    .option("--log <file>", "the log; - is standard input, as from journalctl -o cat (default: log.file)");
  return withCommonOptions(command).action(
    async (id: string, options: CommonOptions & { readonly log?: string }) => {
      const read =
        options.log === undefined ? undefined : await traceMail(await opener(shell, options.log), id);
      const found = (await operate(settingsOf(shell, options), {
        operation: "mail.trace",
        input: { id, ...(read === undefined ? {} : { related: idsOf(read) }) },
      })) as Trace;
      const { lines = [], stored, holds, queue } = read === undefined ? found : { ...found, lines: read };
      assertFound(id, { lines, stored, holds, queue });
      if (options.json === true) printResult(shell, { lines, stored, holds, queue }, true);
      else {
        if (lines.length > 0) printResult(shell, { log: `${lines.map(formatLine).join("\n")}\n` }, false);
        for (const one of [...stored, ...holds, ...queue]) printResult(shell, one, false);
      }
    },
  );
}

interface Trace {
  readonly lines?: readonly LogLine[];
  readonly stored: readonly object[];
  readonly holds: readonly object[];
  readonly queue: readonly object[];
}

/** Standard input can be read only once, so its content is kept. */
async function opener(shell: Shell, source: string): Promise<() => Iterable<Readable>> {
  if (source !== "-") return () => logFiles(source).values().map(openLogFile);
  const input = await buffer(shell.input);
  return () => [Readable.from([input])];
}

function formatLine({ time, level, msg, ...facts }: LogLine): string {
  const told = Object.entries(facts).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${String(time)} ${String(level)} ${String(msg)}: ${told.join(" ")}`;
}
