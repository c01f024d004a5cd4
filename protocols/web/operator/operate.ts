/** Everything on the pages of an operator is an operation of the operator's interface, called with the operator's scopes and written into the
 *  audit log. The pages own no rule. */
import type { AdministrationResult } from "#/src/accounts/administration/operation-call.ts";
import { parseAdministration } from "#/src/accounts/administration/operations.ts";
import { allowsOperation } from "#/src/accounts/operator-scopes.ts";
import { isOfServer, type WaypostError } from "#/src/model/errors.ts";
import type { OperatorVisit } from "../visit.ts";

/** Throws what the operation refuses. */
export function operate(
  { rooms, seat, context, operatorSignIn }: OperatorVisit,
  operation: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<AdministrationResult> {
  return rooms.operatorDoor.call({
    operator: seat.operator,
    operation,
    requestId: context.requestId,
    door: "pages",
    isPatient: true,
    isSignedIn: () => operatorSignIn.isSignedIn(seat),
    readInput: async () => input,
    parse: (declared, given) => ({ input: parseAdministration(declared, given), key: undefined }),
  });
}

/** Whether the operator's scopes allow an operation. A button that is refused anyway is off. */
export function mayDo({ rooms, seat }: OperatorVisit, name: string): boolean {
  const operation = rooms.operatorDoor.operations.find((one) => one.name === name);
  return operation !== undefined && allowsOperation(seat.operator.scopes, operation);
}

/** The rows of a list that an operation answers. */
export async function listOf(
  visit: OperatorVisit,
  operation: string,
  member: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<readonly Row[]> {
  return (await operate(visit, operation, input))[member] as readonly Row[];
}

export type Row = Readonly<Record<string, unknown>>;

/** What a refused operation says; undefined where it was done. A fault of the server is thrown. */
export async function refusalOf(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (isOfServer(error)) throw error;
    const { message, details } = error as WaypostError;
    return details.hint === undefined ? message : `${message} ${details.hint}`;
  }
}
