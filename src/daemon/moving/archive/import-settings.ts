/** Imports the settings of an archive by operations of the operator. Each setting is accepted or refused separately. */

import { primaryAddress } from "#/src/accounts/principal.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { grantDeclarations, grantMembers } from "#/src/model/grants.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { TransferRooms } from "../transfer-rooms.ts";
import type { ArchivedSettings } from "./format.ts";

const dayMs = 86_400_000;

export async function applySettings(
  rooms: TransferRooms,
  owner: AgentRow,
  settings: ArchivedSettings,
  refuse: (what: string, why: string) => void,
): Promise<void> {
  const address = primaryAddress(owner);
  const run = async (what: string, operation: string, input: Readonly<Record<string, unknown>>) => {
    try {
      return await rooms.operator.administer(operation, input);
    } catch (error) {
      if (!isWaypostError(error)) throw error;
      refuse(what, error.message);
      return undefined;
    }
  };
  const { name, quotaBytes, holdPolicy, approver, allow, block, aliases, grants } = settings;
  await run("name and quota", `${owner.kind}.update`, {
    owner: address,
    ...(name === undefined ? {} : { name }),
    ...(quotaBytes == null ? {} : { quotaBytes }),
  });
  if (owner.kind === "agent" && holdPolicy !== undefined) {
    await run("what waits for approval", "agent.update", { owner: address, holdPolicy, allow, block });
    if (approver != null) await run("approver", "agent.update", { owner: address, approver });
  }
  for (const alias of aliases) {
    const shown = await run(alias, `${owner.kind}.show`, { owner: address });
    if (!(shown?.aliases as readonly string[] | undefined)?.includes(alias))
      await run(alias, `${owner.kind}.alias`, { owner: address, address: alias });
  }
  for (const grant of grants) {
    const { holder, scopes, expiresAt } = grant;
    const named = grantMembers((kind) => grant[grantDeclarations[kind].plural]);
    const days = expiresAt === null ? undefined : (Date.parse(expiresAt) - rooms.store.clock.now()) / dayMs;
    if (days !== undefined && !(days > 0)) continue;
    const found = await run(holder, "grant.list", { holder });
    if (found === undefined || hasGrant(found.grants as readonly HeldGrant[], address, scopes)) continue;
    await run(holder, "grant.create", {
      holder,
      target: address,
      scopes,
      ...Object.fromEntries(Object.entries(named).filter(([, names]) => names !== "all")),
      ...(days === undefined ? {} : { expiresInDays: days }),
    });
  }
}

interface HeldGrant {
  readonly target: string | null;
  readonly scopes: readonly string[];
  readonly revokedAt: string | null;
}

function hasGrant(held: readonly HeldGrant[], target: string, scopes: readonly string[]): boolean {
  return held.some(
    (one) =>
      one.target === target &&
      one.revokedAt === null &&
      [...one.scopes].sort().join() === [...scopes].sort().join(),
  );
}
