import { Buffer } from "node:buffer";
import { text as readText } from "node:stream/consumers";
import { Command } from "commander";
import { type CallName, createClient, type RequestError } from "#/src/client/client.ts";
import { type ErrorCode, errorCodes, WaypostError } from "#/src/model/errors.ts";
import { operate } from "./operator.ts";
import { type SettingsOptions, settingsOf, withSettingsOptions } from "./options.ts";
import { printLine } from "./output.ts";
import type { Shell } from "./shell.ts";

interface CallOptions extends SettingsOptions {
  readonly json: string;
  readonly agent?: string;
  readonly token?: string;
  readonly url?: string;
  readonly help?: boolean;
}

interface CallTarget extends SettingsOptions {
  readonly operation: string;
  readonly input: unknown;
  readonly agent: string | undefined;
  readonly token: string | undefined;
  readonly url: string | undefined;
}

/** `waypost call part.describe --json '{"id":"message_…"}'`: calls an operation of /v1 by the private socket, in the store itself, or
 *  with `--url` over HTTP. The rules are the same in each case. */
export function callCommand(shell: Shell): Command {
  const command = new Command("call")
    .description(
      "Call an operation of /v1, as an agent or with a token. Prints its result, or each batch of events, as a line of JSON.",
    )
    .argument("[operation]", "its name, as part.describe; without one they are listed")
    .option("--agent <owner>", "act in the place of this agent or person (address or id)")
    .option("--token <token>", "act with this token (default: WAYPOST_TOKEN)")
    .option("--url <url>", "ask the server there instead, with a token (default: WAYPOST_URL)")
    .helpOption(false)
    .option("-h, --help", "say what the operation takes");
  // Here --json is the input. The output is always JSON.
  return withSettingsOptions(command)
    .option("--json <input>", "the input; - reads it from standard input", "{}")
    .action(async (operation: string | undefined, options: CallOptions) => {
      if (options.help === true || operation === undefined) return showHelp(shell, command, operation);
      const { agent, data } = options;
      // An agent or a data folder on the command line means the local store, not the URL in the environment.
      const url =
        options.url ??
        (agent === undefined && data === undefined ? shell.environment.WAYPOST_URL : undefined);
      const token = options.token ?? (agent === undefined ? shell.environment.WAYPOST_TOKEN : undefined);
      const target = {
        ...options,
        operation,
        input: await parseJson(shell, options.json),
        agent,
        token,
        url,
      };
      await (url === undefined ? callHere(shell, target) : callThere(shell, target, url));
    });
}

async function showHelp(shell: Shell, command: Command, operation: string | undefined): Promise<void> {
  const { formatOperation, formatOperations } = await import("./operation-help.ts");
  if (operation !== undefined) return printLine(shell, formatOperation(operation));
  printLine(shell, `${command.helpInformation()}\n${formatOperations()}`);
}

async function callHere(
  shell: Shell,
  { operation, input, agent, token, ...settings }: CallTarget,
): Promise<void> {
  let failure: unknown;
  const result = await operate(settingsOf(shell, settings), {
    operation: "call",
    input: { operation, json: input, agent, token },
    onFrame(frame) {
      const { event, data } = frame as { event: string; data?: { error?: unknown } };
      // As over HTTP, a line is a batch.
      if (event === "batch") printLine(shell, JSON.stringify(data));
      failure ??= data?.error;
    },
  });
  if (failure !== undefined) throw errorOf(failure as ErrorWords);
  if (operation !== "watch") printResult(shell, result);
}

async function callThere(
  shell: Shell,
  { operation, input, agent, token }: CallTarget,
  url: string,
): Promise<void> {
  if (agent !== undefined || token === undefined)
    throw new WaypostError("invalid", "Over HTTP it acts with a token: --token, or WAYPOST_TOKEN.");
  const client = createClient({ url, token });
  try {
    if (operation !== "watch")
      return printResult(shell, await client.call(operation as CallName, input as never));
    for await (const batch of client.watch(input as never)) printLine(shell, JSON.stringify(batch));
  } catch (error) {
    throw errorOf(error as RequestError);
  }
}

interface ErrorWords {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly field?: string | undefined;
}

function errorOf({ code, message, hint, field }: ErrorWords): WaypostError {
  const known = errorCodes.find((one): one is ErrorCode => one === code) ?? "internal";
  return new WaypostError(known, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(field === undefined ? {} : { field }),
  });
}

function printResult(shell: Shell, result: unknown): void {
  printLine(shell, JSON.stringify(result, undefined, shell.output.isTTY ? 2 : 0));
}

async function parseJson(shell: Shell, text: string): Promise<unknown> {
  const json = text === "-" ? await readText(shell.input) : text;
  if (json.trim() === "")
    throw new WaypostError("invalid", "The input is empty; --json '{}' sends an empty object.");
  // As the server reads a body: what JSON.parse makes another value of is refused.
  const { parseJson: read } = await import("#/protocols/json/carriage/json-text.ts");
  return read(Buffer.from(json), "input");
}
