/** Adds the current state of the object to a refused compare-and-swap ("Errors" of the interface, `version` and `current`), if the
 *  caller may read it. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { reachesScope } from "#/src/reach/agents.ts";
import type { OperationContext } from "./operation.ts";

export interface Current {
  readonly version: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** `agent`: the owner of the object. */
export async function withCurrent<R>(
  context: OperationContext,
  agent: AgentNumber,
  write: () => Promise<R>,
  read: () => Promise<Current | undefined>,
): Promise<R> {
  try {
    return await write();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "precondition_failed") throw error;
    if (!(await reachesScope(context, agent, "mail:read"))) throw error;
    const current = await read();
    if (current === undefined) throw error;
    const { version, content } = current;
    throw new WaypostError(error.code, error.message, { ...error.details, version, current: content });
  }
}
