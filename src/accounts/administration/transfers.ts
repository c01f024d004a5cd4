/** Imports and exports of everything of an owner. Each runs in a process of its own. */
import { z } from "zod";
import type { OperatorNeed } from "#/src/accounts/operator-scopes.ts";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jobsOf } from "./job-operations.ts";
import type { LargeWorks } from "./large-works.ts";
import { type AdministrationRooms, administrationOperation } from "./operation.ts";
import type { AdministrationResult, OperationCall } from "./operation-call.ts";
import { ownerField, selectOwner } from "./selectors.ts";

const pathField = z.string().min(1).max(4096);
const exportField = pathField.describe(
  "The new file or folder. Over HTTP it is a name in the folder of operator.files.",
);
const importField = pathField.describe(
  "The file or folder, or imaps://name%40example.org@imap.example.org. Over HTTP a file is a name in the folder of operator.files.",
);
const collectionField = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe("A calendar or addressbook, by id or name; without it the default one of the file's kind.");

const itemFields = { owner: ownerField, collection: collectionField };

function transferItems(
  action: "import" | "export",
  rooms: AdministrationRooms,
  input: { readonly owner: string; readonly file: string; readonly collection?: string | undefined },
  by: Author,
  call: OperationCall,
): Promise<AdministrationResult> {
  return jobsOf(rooms).run(`collection.${action}`, by, call, async (watcher) => {
    const owner = await selectOwner(rooms.store, input.owner);
    const { collection } = input;
    const transfer = { action, owner, file: call.placeOf(input.file), collection };
    return worksOf(rooms).transferItems(transfer, by, watcher);
  });
}
/** The operations that a transfer calls for the settings of an owner; it can call no other, and changes them only where it was asked to. */
export const settingOperations = {
  read: ["agent.show", "person.show", "grant.list"],
  change: ["agent.update", "agent.alias", "person.update", "person.alias", "grant.create"],
} as const satisfies Record<string, readonly string[]>;
const settingNeeds: readonly OperatorNeed[] = [
  { kind: "accounts", access: "write" },
  { kind: "access", access: "write" },
];

export const transferOperations = [
  administrationOperation({
    name: "collection.import",
    command: "import",
    kind: "transfers",
    summary: "Bring the events or contacts of a file (.ics, .vcf) into a calendar or addressbook.",
    input: z.strictObject({ ...itemFields, file: importField }),
    run: (rooms, input, by, call) => transferItems("import", rooms, input, by, call),
  }),
  administrationOperation({
    name: "collection.export",
    command: "export",
    kind: "transfers",
    isRead: true,
    access: "write",
    summary: "Write a calendar or addressbook whole to a new file (.ics, .vcf).",
    input: z.strictObject({ ...itemFields, file: exportField }),
    run: (rooms, input, by, call) => transferItems("export", rooms, input, by, call),
  }),
  administrationOperation({
    name: "mail.import",
    command: "import",
    kind: "transfers",
    summary:
      "Bring in mail (IMAP, Maildir, mbox, .eml), or everything of an archive (.tar, .tar.gz, .tar.zst).",
    input: z.strictObject({
      owner: ownerField,
      file: importField,
      password: z.string().max(8192).default("").describe("For IMAP."),
      isToken: z.boolean().default(false).describe("The password is a token of OAuth 2."),
      authority: z
        .string()
        .max(1024 * 1024)
        .optional()
        .describe("PEM of the authority that signed the certificate of the IMAP server."),
      fingerprint: z.string().max(200).optional().describe("The SHA-256 of that certificate."),
      takesSettings: z
        .boolean()
        .default(false)
        .describe(
          "Take name, quota, aliases, what waits for approval, and grants of an archive too. Needs the scopes accounts and access as well.",
        ),
    }),
    secrets: ["password", "authority"],
    alsoNeeds: ({ takesSettings }) => (takesSettings ? settingNeeds : []),
    run: (rooms, { owner, file, ...source }, by, call) =>
      jobsOf(rooms).run("mail.import", by, call, async (watcher) =>
        worksOf(rooms).importMail(
          {
            ...source,
            authority: source.authority,
            fingerprint: source.fingerprint,
            owner: await selectOwner(rooms.store, owner),
            file: /^imaps?:/i.test(file) ? file : call.placeOf(file),
          },
          by,
          watcher,
        ),
      ),
  }),
  administrationOperation({
    name: "mail.export",
    command: "export",
    kind: "transfers",
    isRead: true,
    access: "write",
    summary:
      "Write all mail to a new folder, or everything of an owner to an archive (.tar, .tar.gz, .tar.zst).",
    input: z.strictObject({
      owner: ownerField,
      file: exportField,
      isMbox: z.boolean().default(false).describe("Mail as mbox files instead of a Maildir."),
    }),
    run: (rooms, { owner, file, isMbox }, by, call) =>
      jobsOf(rooms).run("mail.export", by, call, async (watcher) =>
        worksOf(rooms).exportMail(
          { owner: await selectOwner(rooms.store, owner), file: call.placeOf(file), isMbox },
          by,
          watcher,
        ),
      ),
  }),
];

export function worksOf({ works }: AdministrationRooms): LargeWorks {
  if (works === undefined) throw new WaypostError("unavailable", "There is no whole server here.");
  return works;
}
