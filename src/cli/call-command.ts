import { readFileSync } from "node:fs";
import { Command } from "commander";
import { WaypostError } from "#/src/model/errors.ts";
import { operate } from "./operator.ts";
import { type SettingsOptions, settingsOf, withSettingsOptions } from "./options.ts";
import { printLine } from "./output.ts";

interface CallOptions extends SettingsOptions {
  readonly json?: string;
  readonly agent?: string;
  readonly token?: string;
}

/** `waypost call part.describe --json '{"id":"message_…"}'`: an operation of /v1 without HTTP, under the same rules. */
export function callCommand(): Command {
  const command = new Command("call")
    .description("Call an operation of /v1, as an agent or with a token. Prints its result as JSON.")
    .argument("<operation>", "its name, as part.describe")
    .option("--agent <owner>", "act in the place of this agent or person (address or id)")
    .option("--token <token>", "act with this token (default: WAYPOST_TOKEN)");
  // Here --json is what goes in; what comes out is JSON anyway.
  return withSettingsOptions(command)
    .option("--json <input>", "the input; - reads it from standard input", "{}")
    .action(async (operation: string, options: CallOptions) => {
      const token = options.token ?? (options.agent === undefined ? process.env.WAYPOST_TOKEN : undefined);
      const result = await operate(settingsOf(options), {
        operation: "call",
        input: { operation, json: parseJson(options.json ?? "{}"), agent: options.agent, token },
        onFrame: (frame) => printLine(JSON.stringify(frame)),
      });
      if (operation !== "watch") printLine(JSON.stringify(result, undefined, process.stdout.isTTY ? 2 : 0));
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text === "-" ? readFileSync(0, "utf8") : text);
  } catch (cause) {
    throw new WaypostError("invalid", "The input is no JSON.", { cause });
  }
}
