/** Logins with a log line for each failure, and for each success on a connection. The log has the given name only if it is an
 *  address: people paste passwords and tokens into the wrong field. */
import type { Logger } from "pino";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { formatAddress, parseAddress } from "#/src/accounts/address.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import type { Door } from "#/src/model/author.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { peerOf } from "./peer.ts";
import { logNoLogin } from "./stranger-lines.ts";

export type Logins = Pick<
  Accounts,
  "authenticateToken" | "authenticateBearer" | "authenticatePassword" | "beginScram"
>;

/** The protocol of the login, and the connection or request. */
export interface LoginPlace {
  readonly door: Door;
  readonly protocol: string;
  readonly session?: string;
  readonly requestId?: string;
}

/** `door`: not for the log; it is part of the author of what the principal changes. */
export function loggedLogins(accounts: Logins, log: Logger, { door, ...place }: LoginPlace): Logins {
  const request = place.requestId ?? place.session ?? "";
  const placed = (principal: Principal): Principal => ({
    ...principal,
    author: { ...principal.author, door, request },
  });

  async function told<T>(
    remoteAddress: string,
    name: string,
    attempt: () => Promise<T>,
    principalOf: (outcome: T) => Principal | undefined,
  ): Promise<T> {
    const address = parseAddress(name);
    const login = address === undefined ? {} : { login: formatAddress(address) };
    try {
      const outcome = await attempt();
      const principal = principalOf(outcome);
      if (principal !== undefined)
        log.info({ ...peerOf(remoteAddress), ...place, login: principal.address }, "login");
      return outcome;
    } catch (error) {
      // Whoever hangs up meanwhile has not failed to prove anything: programs that ban by this line would ban it.
      if (error instanceof CallerGone) throw error;
      logNoLogin(log, remoteAddress, { ...place, ...login }, error);
      throw error;
    }
  }

  return {
    // Every request has a token: only failures are logged.
    authenticateToken: (token, remoteAddress) =>
      told(
        remoteAddress,
        "",
        async () => placed(await accounts.authenticateToken(token, remoteAddress)),
        () => undefined,
      ),
    authenticateBearer: (address, token, remoteAddress) =>
      told(
        remoteAddress,
        address,
        async () => placed(await accounts.authenticateBearer(address, token, remoteAddress)),
        (principal) => principal,
      ),
    authenticatePassword: (address, password, remoteAddress, tokenScopes) =>
      told(
        remoteAddress,
        address,
        async () =>
          placed(await accounts.authenticatePassword(address, password, remoteAddress, tokenScopes)),
        // As with tokens: the success of a single request is not logged.
        (principal) => (place.requestId === undefined ? principal : undefined),
      ),
    async beginScram(address, remoteAddress) {
      const begin = () => accounts.beginScram(address, remoteAddress);
      const login = await told(remoteAddress, address, begin, () => undefined);
      return {
        ...login,
        prove: (message, proof) =>
          told(
            remoteAddress,
            address,
            async () => {
              const proven = await login.prove(message, proof);
              return { ...proven, principal: placed(proven.principal) };
            },
            ({ principal }) => principal,
          ),
      };
    },
  };
}
