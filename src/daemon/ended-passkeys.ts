/** Says at the start how many passkeys the name of the server ends: a browser offers a passkey only to the host for which it was made. */
import { publicOrigin } from "#/config/public-origin.ts";
import { countPasskeysOfOtherHosts } from "#/storage/queries/accounts/sign-ins.ts";
import type { House } from "./house.ts";

export async function tellEndedPasskeys({
  settings,
  store,
  log,
}: Pick<House, "settings" | "store" | "log">): Promise<void> {
  const origin = publicOrigin(settings);
  if (origin === undefined) return;
  const { hostname: host } = new URL(origin);
  const passkeys = await countPasskeysOfOtherHosts(store, host);
  if (passkeys > 0)
    log.warn(
      { host, passkeys },
      "passkeys were made for another name of this server and sign nobody in; server.public_url is the name",
    );
}
