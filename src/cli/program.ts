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
import { printError } from "./output.ts";
import { devCommand, startCommand } from "./serve-commands.ts";
import { setupCommand } from "./setup-command.ts";
import { type ExitCode, exitCodes, processShell, type Shell } from "./shell.ts";
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
export function createProgram(shell: Shell = processShell): Command {
  const program = new Command("waypost")
    .description(manifest.description)
    .version(manifest.version)
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => void shell.output.write(text),
      writeErr: (text) => void shell.errors.write(text),
    })
    .addHelpText("after", examples);
  const commands = [
    setupCommand(shell),
    startCommand(shell),
    devCommand(shell),
    ...administrationCommands(shell),
    checkCommand(shell),
    backupCommand(shell),
    moveCommand(shell),
    beginAnewCommand(shell),
    upgradeCommand(shell),
    importCommand(shell),
    exportCommand(shell),
    callCommand(shell),
    mcpCommand(shell),
    deliverCommand(shell),
    statusCommand(shell),
    traceCommand(shell),
  ];
  for (const command of commands) program.addCommand(command);
  // Options of the program, such as --version, stand before the command. Options after it belong to the command.
  program.enablePositionalOptions().exitOverride().showHelpAfterError("(--help shows how)");
  for (const command of withSubcommands(program)) command.copyInheritedSettings(program);
  return program;
}

/** Runs one command line; resolves with its exit code when it is done, which for a server is when it has stopped. */
export async function runProgram(args: readonly string[], shell: Shell = processShell): Promise<ExitCode> {
  const program = createProgram(shell);
  try {
    await program.parseAsync(args, { from: "user" });
    return shell.exitCode;
  } catch (error) {
    // Requested help and version end with 0. Commander has printed them, or the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    printError(shell, error, args[0] !== "call" && args.includes("--json"));
    return isUsage(error) ? exitCodes.usage : exitCodes.refused;
  }
}

/** Wrong settings and wrong input are wrong usage. An error of the store is a refusal. */
function isUsage(error: unknown): boolean {
  return isWaypostError(error) && error.code === "invalid" && error.details.reason === undefined;
}

export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
