/** What an operator can do, declared once: the command line, its help and the daemon's private socket are derived from it.
 *  None of it can be reached with the credential of an agent or a person. */

import type { z } from "zod";
import type { Settings } from "#/config/schema.ts";
import type { Author } from "#/src/model/author.ts";
import type { DomainKeyRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { SubmissionRow } from "#/storage/submission.ts";
import type { ZoneRecord } from "../dns-records.ts";
import type { OperatorNeed } from "../operator-scopes.ts";
import type { Jobs } from "./jobs.ts";
import type { LargeWorks } from "./large-works.ts";
import type { AdministrationResult, OperationCall } from "./operation-call.ts";

export interface AdministrationRooms {
  readonly store: Store;
  readonly settings: Settings;
  /** The queue of the daemon: absent where nothing is sent. */
  readonly outbound?: {
    ring(): void;
    /** Tries what waits of a mail now, by the lists of its mailbox; gives the number of recipients. */
    retry(by: Author, mail: SubmissionRow): Promise<number>;
    /** Ends a mail for every recipient that it waits for. */
    cancel(by: Author, mail: SubmissionRow): Promise<void>;
  };
  /** Looks up the DNS records of a domain now. `other` is a mail domain whose server is tried. */
  readonly domainChecks?: {
    check(
      domain: string,
      keys: readonly DomainKeyRow[],
      other: string,
    ): Promise<AdministrationResult & { readonly ok: boolean }>;
    /** Records that only a signed zone needs (DNSSEC); none elsewhere. */
    listSecureRecords(): Promise<readonly ZoneRecord[]>;
    /** Names of those that the DNS does not have. */
    findUnpublished(domain: string, keys: readonly DomainKeyRow[]): Promise<readonly string[]>;
  };
  /** Where events are sent from; absent where nothing is sent. */
  readonly webhooks?: {
    /** Webhooks were added, removed or resumed. */
    changed(): void;
    /** Sends a test event. */
    test(webhook: number): Promise<{ readonly status: number | null; readonly error: string | null }>;
    /** Sends a request of the history once more. */
    resend(message: string): Promise<{ readonly status: number | null; readonly error: string | null }>;
  };
  /** Work that may take hours; absent where there is no house. */
  readonly jobs?: Jobs;
  readonly works?: LargeWorks;
  /** What the process does now. */
  readonly status?: { read(): Promise<AdministrationResult> };
}

export interface AdministrationOperation<Input = unknown> extends OperatorNeed {
  /** Noun and verb: `token.create` is `waypost token create`. */
  readonly name: string;
  readonly summary: string;
  /** Its fields' descriptions are the help of the options. */
  readonly input: z.ZodObject<z.ZodRawShape, z.core.$strict>;
  /** Fields that are given by position; the others are options. */
  readonly positional: readonly string[];
  /** Deletes something that cannot be restored. */
  readonly isDestructive: boolean;
  /** Its result has `ok`: the command ends with 1 where that is false. */
  readonly isCheck: boolean;
  /** Changes nothing. */
  readonly isRead: boolean;
  /** Fields that no log has. */
  readonly secrets: readonly string[];
  /** For the command line alone: not over HTTP. */
  readonly isLocal: boolean;
  /** What an operator token needs beside the operation's own kind, for this input. */
  alsoNeeds(input: Input): readonly OperatorNeed[];
  /** The command that calls it, where it is not the one that is derived from the name. */
  readonly command: string | undefined;
  /** Throws `invalid`, `not_found`, or what the write refuses. */
  run(
    rooms: AdministrationRooms,
    input: Input,
    by: Author,
    call: OperationCall,
  ): Promise<AdministrationResult>;
}

interface Declaration<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly kind: OperatorNeed["kind"];
  readonly summary: string;
  readonly input: z.ZodObject<Shape, z.core.$strict>;
  readonly positional?: readonly (keyof Shape & string)[];
  readonly isDestructive?: boolean;
  readonly isCheck?: boolean;
  readonly isRead?: boolean;
  /** Absent: `read` for an operation that changes nothing. One that writes files of this host needs `write`. */
  readonly access?: OperatorNeed["access"];
  readonly secrets?: readonly (keyof Shape & string)[];
  readonly isLocal?: boolean;
  readonly command?: string;
  alsoNeeds?(input: z.infer<z.ZodObject<Shape, z.core.$strict>>): readonly OperatorNeed[];
  run(
    rooms: AdministrationRooms,
    input: z.infer<z.ZodObject<Shape, z.core.$strict>>,
    by: Author,
    call: OperationCall,
  ): Promise<AdministrationResult>;
}

export function administrationOperation<Shape extends z.ZodRawShape>(
  declaration: Declaration<Shape>,
): AdministrationOperation {
  return {
    positional: [],
    isDestructive: false,
    isCheck: false,
    isRead: false,
    isLocal: false,
    command: undefined,
    secrets: [],
    access: declaration.isRead === true ? "read" : "write",
    ...declaration,
    alsoNeeds: (input) => declaration.alsoNeeds?.(input as Parameters<typeof declaration.run>[1]) ?? [],
    run: (rooms, input, by, call) =>
      declaration.run(rooms, input as Parameters<typeof declaration.run>[1], by, call),
  };
}
