/** Everything that an operator can do with accounts, in the order of the help. */
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { accountOperations } from "./accounts.ts";
import { agentOperations, personOperations } from "./agents-and-people.ts";
import { passwordOperations, tokenOperations } from "./credentials.ts";
import { domainOperations } from "./domains.ts";
import { grantOperations } from "./grants.ts";
import { holdOperations } from "./holds.ts";
import { jobOperations } from "./job-operations.ts";
import { logOperations } from "./log.ts";
import type { AdministrationOperation, AdministrationRooms } from "./operation.ts";
import { type AdministrationResult, type OperationCall, plainCall } from "./operation-call.ts";
import { auditOperations, operatorOperations } from "./operators.ts";
import { queueOperations, suppressionOperations } from "./queue.ts";
import { serverOperations } from "./server.ts";
import { traceOperation } from "./trace.ts";
import { transferOperations } from "./transfers.ts";
import { webhookOperations } from "./webhooks.ts";

export const administrationOperations: readonly AdministrationOperation[] = [
  ...accountOperations,
  ...domainOperations,
  ...agentOperations,
  ...personOperations,
  ...tokenOperations,
  ...passwordOperations,
  ...grantOperations,
  ...holdOperations,
  ...queueOperations,
  ...suppressionOperations,
  ...webhookOperations,
  ...operatorOperations,
  ...auditOperations,
  ...logOperations,
  traceOperation,
  ...serverOperations,
  ...transferOperations,
  ...jobOperations,
];

/** An operation by its name, if there is one. */
export function findOperation(name: string): AdministrationOperation | undefined {
  return byName.get(name);
}

const byName = new Map(administrationOperations.map((operation) => [operation.name, operation]));

/** Runs an operation by name with unchecked input. Throws `invalid` with the name of the wrong field. */
export async function administer(
  by: Author,
  rooms: AdministrationRooms,
  name: string,
  input: unknown,
  call: OperationCall = plainCall,
): Promise<AdministrationResult> {
  const operation = byName.get(name);
  if (operation === undefined) throw new WaypostError("not_found", `There is no operation ${name}.`);
  return operation.run(rooms, parseAdministration(operation, input), by, call);
}

/** Throws `invalid` with the name of the wrong field. */
export function parseAdministration(
  operation: AdministrationOperation,
  input: unknown,
): Readonly<Record<string, unknown>> {
  const parsed = operation.input.safeParse(input);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new WaypostError("invalid", `${path.join(".") || "input"}: ${message}`, {
    field: `/${path.join("/")}`,
  });
}
