/** The first sign-in of a person to the pages, and the way back when all passkeys are lost. Only the command line prints an invitation, so
 *  nothing that stands in a mailbox opens an account. */
import { z } from "zod";
import { publicOrigin } from "#/config/public-origin.ts";
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { primaryAddress } from "../principal.ts";
import { generateInvitation, hashToken } from "../secrets.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, ownerField, selectOwner } from "./selectors.ts";

const validMs = 3_600_000;

export const personInvitation = administrationOperation({
  name: "person.invite",
  kind: "access",
  summary: "Print a link with which one person signs in to the pages: for one hour, once.",
  isLocal: true,
  input: z.strictObject({ owner: ownerField.describe("The person's address or id (ag_…).") }),
  positional: ["owner"],
  async run({ store, settings }, input, by) {
    const row = await selectOwner(store, input.owner, "person");
    const origin = pagesOrigin(settings);
    const invitation = generateInvitation();
    const at = store.clock.now();
    const expiresAt = at + validMs;
    await store.write(by, "createInvitation", {
      agent: row.agent,
      hash: hashToken(invitation),
      expiresAt,
      at,
    });
    // Behind # no server and no log of a proxy sees it.
    return {
      address: primaryAddress(row),
      link: `${origin}/join#${invitation}`,
      expiresAt: isoTime(expiresAt),
    };
  },
});

/** Throws `invalid` where the pages have no address. */
export function pagesOrigin(settings: Settings): string {
  const origin = publicOrigin(settings);
  if (origin === undefined)
    throw new WaypostError("invalid", "The pages have no address: server.public_url is not set.", {
      hint: "Set it to the https URL under which browsers reach this server.",
    });
  return origin;
}
