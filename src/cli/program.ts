/** The command line. Commands load their modules when they run, so that help and errors are printed at once. */
import { Command, CommanderError } from "commander";
import manifest from "#/package.json" with { type: "json" };
import { isWaypostError } from "#/src/model/errors.ts";
import { administrationCommands } from "./administration-commands.ts";
import { callCommand } from "./call-command.ts";
import { exportCommand, importCommand } from "./collection-commands.ts";
import { deliverCommand } from "./deliver-command.ts";
import { mcpCommand } from "./mcp-command.ts";
import { moveCommand } from "./move-command.ts";
import { exitCodes, printError } from "./output.ts";
import { devCommand, startCommand } from "./serve-commands.ts";
import { setupCommand } from "./setup-command.ts";
import { statusCommand } from "./status-command.ts";
import { backupCommand, beginAnewCommand, checkCommand } from "./store-commands.ts";
import { traceCommand } from "./trace-command.ts";
import { upgradeCommand } from "./upgrade-command.ts";

const examples = `
Examples:
  waypost setup --domain example.org
  waypost start
  waypost agent create helper@waypost.test --name Helper
  waypost password create person@waypost.test --name Thunderbird
  waypost deliver --to agent@waypost.test --subject Hello
  waypost call wait --agent agent@waypost.test
  waypost import person@waypost.test contacts.vcf
  waypost backup /var/backups/waypost.db

With a running daemon, commands go through its private socket in the data folder; without one they open the store.
Settings: waypost.toml, then WAYPOST_* variables, then --set; config/waypost.example.toml has all of them.
Ends with 0 when it is done, 1 when it was refused, 2 when it was used wrongly.`;

/** Every command of the program. */
export function createProgram(): Command {
  const program = new Command("waypost")
    .description(manifest.description)
    .version(manifest.version)
    .showSuggestionAfterError()
    .addHelpText("after", examples);
  const commands = [
    setupCommand(),
    startCommand(),
    devCommand(),
    ...administrationCommands(),
    checkCommand(),
    backupCommand(),
    moveCommand(),
    beginAnewCommand(),
    upgradeCommand(),
    importCommand(),
    exportCommand(),
    callCommand(),
    mcpCommand(),
    deliverCommand(),
    statusCommand(),
    traceCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  // Options of the program, such as --version, stand before the command. Options after it belong to the command.
  for (const command of withSubcommands(program))
    command.enablePositionalOptions().exitOverride().showHelpAfterError("(--help shows how)");
  return program;
}

/** Runs one command line; resolves when it is done, which for a server is when it has stopped. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = createProgram();
  // Only this user can read the files that a command or the daemon writes (store, backup, log, key).
  process.umask(0o077);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Requested help and version end with 0. Commander has printed them, or the error.
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
      return;
    }
    printError(error, args[0] !== "call" && args.includes("--json"));
    process.exitCode = isUsage(error) ? exitCodes.usage : exitCodes.refused;
  }
}

/** Wrong settings and wrong input are wrong usage. An error of the store is a refusal. */
function isUsage(error: unknown): boolean {
  return isWaypostError(error) && error.code === "invalid" && error.details.reason === undefined;
}

export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
