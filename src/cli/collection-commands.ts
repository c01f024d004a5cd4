import { Command } from "commander";
import type { ImportResult } from "#/src/collections/transfer/import-items.ts";
import type { ArchiveImport } from "#/src/daemon/moving/archive/import-account.ts";
import type { MailImport } from "#/src/daemon/moving/import-mail.ts";
import { operate } from "./operator.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printLine, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";
import { exitCodes, type Shell } from "./shell.ts";

interface TransferOptions extends CommonOptions {
  readonly in?: string;
  readonly passwordFile?: string;
  readonly caFile?: string;
  readonly fingerprint?: string;
  readonly oauth?: boolean;
  readonly settings?: boolean;
  readonly mbox?: boolean;
}

function isMail(file: string, options: TransferOptions): boolean {
  return options.in === undefined && !/\.(?:ics|vcf)$/i.test(file);
}

async function importMailOf(
  shell: Shell,
  owner: string,
  file: string,
  options: TransferOptions,
): Promise<void> {
  const { buffer } = await import("node:stream/consumers");
  const { readFile } = await import("node:fs/promises");
  const from = options.passwordFile;
  const password =
    from === undefined
      ? ""
      : String(from === "-" ? await buffer(shell.input) : await readFile(from)).replace(/\r?\n$/, "");
  const result = (await transfer(shell, "import", owner, file, options, "mail", {
    password,
    isToken: options.oauth === true,
    ...(options.caFile === undefined ? {} : { authority: String(await readFile(options.caFile)) }),
    ...(options.fingerprint === undefined ? {} : { fingerprint: options.fingerprint }),
    takesSettings: options.settings === true,
  })) as MailImport | ArchiveImport;
  if (options.json) printResult(shell, result, true);
  else {
    const { refusals, ...counts } = result;
    printResult(shell, counts, false);
    for (const { folder, why } of refusals) printLine(shell, `${folder}: ${why}`);
  }
  if (result.refused > 0) shell.exitCode = exitCodes.refused;
}

const inOption = ["--in <collection>", "a calendar or addressbook, by id or name"] as const;

export function importCommand(shell: Shell): Command {
  const command = new Command("import")
    .description(
      "Bring in mail (IMAP, Maildir, mbox, .eml), everything of an archive (.tar, .tar.gz, .tar.zst), or the events or contacts of a file (.ics, .vcf). It can be run again: mail that is there already is left, events and contacts are replaced; nobody is invited.",
    )
    .argument("<owner>", "agent or person: address or id (ag_…)")
    .argument(
      "<file>",
      "the file or folder, or imaps://name%40example.org@imap.example.org; without --in .ics and .vcf go into the default calendar or addressbook",
    )
    .option(...inOption)
    .option("--password-file <file>", "where the password for IMAP is; - is standard input")
    .option("--ca-file <file>", "PEM file of the authority that signed the certificate of the IMAP server")
    .option(
      "--fingerprint <sha256>",
      "the SHA-256 of that certificate, which is trusted then whoever signed it",
    )
    .option("--oauth", "the password is a token of OAuth 2")
    .option("--settings", "take name, quota, aliases, what waits for approval, and grants of an archive too");
  return withCommonOptions(command).action(async (owner: string, file: string, options: TransferOptions) => {
    if (isMail(file, options)) return importMailOf(shell, owner, file, options);
    const result = (await transfer(shell, "import", owner, file, options)) as ImportResult;
    if (options.json) printResult(shell, result, true);
    else {
      const { refusals, ...counts } = result;
      printResult(shell, counts, false);
      for (const { line, uid, why } of refusals)
        printLine(shell, `line ${line}${uid ? ` (${uid})` : ""}: ${why}`);
    }
    if (result.refused > 0) shell.exitCode = exitCodes.refused;
  });
}

export function exportCommand(shell: Shell): Command {
  const command = new Command("export")
    .description(
      "Write a calendar or addressbook whole to a new file (.ics, .vcf), all mail to a new folder (Maildir, or mbox files), or everything to an archive (.tar, .tar.gz, .tar.zst) that import takes back.",
    )
    .argument("<owner>", "agent or person: address or id (ag_…)")
    .argument(
      "<file>",
      "the new file; without --in the default calendar (.ics), addressbook (.vcf), everything (.tar), else all mail",
    )
    .option(...inOption)
    .option("--mbox", "mail as mbox files instead of a Maildir");
  return withCommonOptions(command).action(async (owner: string, file: string, options: TransferOptions) =>
    printResult(
      shell,
      await transfer(shell, "export", owner, file, options, isMail(file, options) ? "mail" : "collection", {
        ...(options.mbox === true ? { isMbox: true } : {}),
      }),
      options.json === true,
    ),
  );
}

async function transfer(
  shell: Shell,
  action: "import" | "export",
  owner: string,
  file: string,
  options: TransferOptions,
  what: "collection" | "mail" = "collection",
  more: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const { resolve } = await import("node:path");
  const progress = await showProgress(shell, `${action}ing`, options.json === true);
  return operate(settingsOf(shell, options), {
    operation: `${what}.${action}`,
    // The daemon may have been started in another folder.
    input: {
      owner,
      file: /^imaps?:/i.test(file) ? file : resolve(file),
      ...more,
      ...(options.in === undefined ? {} : { collection: options.in }),
    },
    onProgress: progress.report,
  }).finally(() => progress.end());
}
