/** Which tools a client sees, and how: `/mcp?tools=read,calendar&schemas=1`. */
import { WaypostError } from "#/src/model/errors.ts";
import type { Operation } from "../operation.ts";

const groups = ["read", "mail", "calendar", "contacts", "all"] as const;
type Group = (typeof groups)[number];

export interface ToolSelection {
  readonly isSelected: (operation: Operation) => boolean;
  /** Tools declare schemas of their results. */
  readonly withSchemas: boolean;
}

/** Throws `invalid` for a group that does not exist. Without `tools`, every tool is selected. */
export function readSelection(query: URLSearchParams): ToolSelection {
  const named = query.get("tools")?.split(",") ?? ["all"];
  const unknown = named.find((one) => !(groups as readonly string[]).includes(one));
  if (unknown !== undefined)
    throw new WaypostError("invalid", "The address selects tools that do not exist.", {
      field: "",
      hint: `tools is one of ${groups.join(", ")}, or several with commas: /mcp?tools=read,calendar`,
    });
  return {
    isSelected: (operation) => named.some((group) => isIn(operation, group as Group)),
    withSchemas: query.get("schemas") === "1",
  };
}

function isIn(operation: Operation, group: Group): boolean {
  if (group === "all") return true;
  if (group === "read") return operation.effect === "reads";
  return subjectOf(operation) === undefined || subjectOf(operation) === group;
}

/** undefined for what reads objects of every kind, and explains. */
function subjectOf({ scope, effect }: Operation): Group | undefined {
  if (scope === "any" || (scope === "kind" && effect === "reads")) return undefined;
  const subject = groups.find((group) => scope.startsWith(group));
  return subject ?? "mail";
}
