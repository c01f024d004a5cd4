/** The commands of administration. The declared operation `token.create` is the command `waypost token create`. Its positional fields
 *  are arguments, the others are options. */
import { Command } from "commander";
import { z } from "zod";
import { argumentOf, optionOf } from "#/src/accounts/administration/command-words.ts";
import type { AdministrationOperation } from "#/src/accounts/administration/operation.ts";
import { administrationOperations } from "#/src/accounts/administration/operations.ts";
import type { DomainCheck } from "#/src/domain-check/check-domain.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { formatCheck } from "./check-lines.ts";
import { operate } from "./operator.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printLine, printResult } from "./output.ts";
import { exitCodes, type Shell } from "./shell.ts";

const nouns = {
  account: "accounts, which own domains, agents and people",
  domain: "domains that this server receives mail for",
  agent: "agents: mailboxes of programs",
  person: "people: mailboxes without tokens",
  token: "tokens of agents",
  password: "app passwords for mail clients",
  grant: "grants: reach to the data of another one",
  hold: "holds: mail of agents that waits for approval",
  queue: "the queue: mail on its way out",
  suppression: "suppressed addresses: those that get no more mail",
  webhook: "webhooks: events for programs that are called",
  operator: "operator tokens: programs that administer this server over HTTP",
  job: "jobs: checks, backups, imports and exports that run",
  audit: "the audit log: what operators have done",
  log: "the change log: who changed what in a mailbox",
} as const;

/** Results that people read in a form of their own. */
const forms: Readonly<Record<string, (result: unknown) => string>> = {
  "domain.check": (result) => formatCheck(result as DomainCheck),
};

export function administrationCommands(shell: Shell): Command[] {
  return Object.entries(nouns).map(([noun, summary]) => {
    const group = new Command(noun).description(`Manage ${summary}.`);
    for (const operation of administrationOperations)
      if (operation.name.startsWith(`${noun}.`))
        group.addCommand(operationCommand(shell, operation), { isDefault: operation.name === "log.show" });
    return group;
  });
}

function operationCommand(shell: Shell, operation: AdministrationOperation): Command {
  const command = new Command(operation.name.split(".")[1]).description(operation.summary);
  const fields = Object.entries(operation.input.shape) as [string, z.ZodType][];
  for (const [name, field] of fields) {
    const description = field.description ?? bare(field).description ?? "";
    if (operation.positional.includes(name)) command.argument(argumentOf(name, field), description);
    else command.option(`--${optionOf(name)} <${isList(field) ? "a,b" : "value"}>`, description);
  }
  if (operation.isDestructive) command.option("--yes", "do it: what is deleted does not come back");
  withCommonOptions(command);
  return command.action(async (...given: unknown[]) => {
    const options = command.opts<CommonOptions & Record<string, unknown>>();
    if (operation.isDestructive && options.yes !== true)
      throw new WaypostError("invalid", "Nothing was deleted.", { hint: "Add --yes to do it." });
    const input: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      const at = operation.positional.indexOf(name);
      const value = at >= 0 ? given[at] : options[name];
      if (value !== undefined)
        input[name] = isList(field)
          ? String(value)
              .split(",")
              .map((item) => item.trim())
          : value;
    }
    const mayCreate = operation.name === "account.create";
    const call = { operation: operation.name, input };
    const result = await operate(settingsOf(shell, options), call, { mayCreate }).catch((error: unknown) => {
      throw inWordsOfCommand(operation, error);
    });
    const form = options.json === true ? undefined : forms[operation.name];
    if (form === undefined) printResult(shell, result, options.json === true);
    else printLine(shell, form(result));
    const { link } = result as { readonly link?: string };
    if (link !== undefined && options.json !== true) printLine(shell, await qrCode(link));
    if (operation.isCheck && (result as { readonly ok: boolean }).ok === false)
      shell.exitCode = exitCodes.refused;
  });
}

/** For the camera of a phone, in letters of the terminal. */
async function qrCode(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import("uqr");
  return `\n${renderUnicodeCompact(text)}`;
}

/** An error about a field, with the name of the field on the command line. */
function inWordsOfCommand({ positional, input }: AdministrationOperation, error: unknown): unknown {
  if (!isWaypostError(error)) return error;
  const [, name = ""] = error.details.field?.split("/") ?? [];
  if (!Object.hasOwn(input.shape, name)) return error;
  const said = positional.includes(name) ? `<${optionOf(name)}>` : `--${optionOf(name)}`;
  const problem = error.message.replace(/^[\w.]+: /, (path) => (path.startsWith(name) ? "" : path));
  return new WaypostError(error.code, `${said}: ${problem}`, error.details);
}

function isList(field: z.ZodType): boolean {
  return bare(field) instanceof z.ZodArray;
}

/** The schema of a field without its wrappers `optional` and `default`. */
function bare(field: z.ZodType): z.ZodType {
  let inner = field;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap() as z.ZodType;
  return inner;
}
