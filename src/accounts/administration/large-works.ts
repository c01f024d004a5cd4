/** Work on the whole store, or on everything of an owner, as the operations of the operator ask for it. It is done in processes of its own.
 *  A file is written by one work at a time: another one for it is refused with `invalid`. */
import type { Author } from "#/src/model/author.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { AdministrationResult, Watcher } from "./operation-call.ts";

export interface LargeWorks {
  check(
    watcher: Watcher,
  ): Promise<{ readonly problems: readonly string[]; readonly notes: readonly string[] }>;
  /** Refuses a file that exists. */
  backup(file: string, watcher: Watcher): Promise<void>;
  /** What is wrong with a copy of the store. */
  verifyBackup(file: string, by: Author, watcher: Watcher): Promise<readonly string[]>;
  transferItems(transfer: ItemTransfer, by: Author, watcher: Watcher): Promise<AdministrationResult>;
  importMail(transfer: MailImportWork, by: Author, watcher: Watcher): Promise<AdministrationResult>;
  exportMail(transfer: MailExportWork, by: Author, watcher: Watcher): Promise<AdministrationResult>;
  /** Lines of the log file about one mail; undefined where the log is in no file. */
  traceLog(id: string, by: Author, watcher: Watcher): Promise<readonly AdministrationResult[] | undefined>;
}

interface OwnerFile {
  readonly owner: AgentRow;
  readonly file: string;
}

export interface ItemTransfer extends OwnerFile {
  readonly action: "import" | "export";
  /** A calendar or an addressbook, by id or name; undefined: the default one of the file's kind. */
  readonly collection: string | undefined;
}

export interface MailImportWork extends OwnerFile {
  readonly password: string;
  /** The password is a token of OAuth 2. */
  readonly isToken: boolean;
  /** PEM of the authority that signed the certificate of the source. */
  readonly authority: string | undefined;
  /** SHA-256 of that certificate. */
  readonly fingerprint: string | undefined;
  /** Name, quota, aliases and grants of an archive too. */
  readonly takesSettings: boolean;
}

export interface MailExportWork extends OwnerFile {
  readonly isMbox: boolean;
}
