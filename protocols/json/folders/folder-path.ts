/** The path of a folder as a request gives it: the whole path, or a path below a parent. */

import { otherUsers } from "#/src/accounts/other-users.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import type { ReachedData } from "#/src/reach/agents.ts";
import type { OperationContext } from "../operation.ts";
import { reachFolder } from "../reach.ts";

export async function folderPath(
  context: OperationContext,
  reached: ReachedData,
  request: { readonly path: string; readonly parent?: string | undefined },
): Promise<string> {
  if (request.parent === undefined) {
    // Mail clients see the folders of others below this name.
    if (request.path.split(hierarchyDelimiter)[0] === otherUsers)
      throw new WaypostError("invalid", `Folders below ${otherUsers} are folders of others.`, {
        field: "/path",
        hint: "Name their mailbox with in.",
      });
    return request.path;
  }
  const parent = await reachFolder(context, reached, request.parent, "/parent");
  return `${parent.name}${hierarchyDelimiter}${request.path}`;
}

/** Points a refusal about a folder's name to the field of the request that gave the name. */
export async function atPath<R>(write: () => Promise<R>): Promise<R> {
  try {
    return await write();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "invalid" || error.details.field !== undefined) throw error;
    const hint = error.details.hint ?? 'A path such as "Projects/2026".';
    throw new WaypostError("invalid", `${error.message.replace(/\.$/, "")}.`, {
      ...error.details,
      field: "/path",
      hint,
    });
  }
}
