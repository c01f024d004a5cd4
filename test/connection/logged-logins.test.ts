/** What the log says of logins. */
import { pino } from "pino";
import { expect, test } from "vitest";
import { loggedLogins } from "#/protocols/connection/logged-logins.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";

test.each([
  ["whoever hangs up while its password is looked at has not failed", new CallerGone(), []],
  [
    "whoever asks while the server can't look has not failed",
    new WaypostError("upstream_unavailable", "The store has no room left.", { reason: "store_full" }),
    ["login not possible"],
  ],
  ["whoever meets a fault of the server has not failed", new Error("a fault"), ["login not possible"]],
  ["a wrong password has", new WaypostError("unauthorized", "No."), ["login failed"]],
])("%s", async (_, error, told) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const refuse = () => Promise.reject(error);
  const accounts = {
    ...{ authenticateToken: refuse, authenticateBearer: refuse },
    ...{ authenticatePassword: refuse, beginScram: refuse },
  };
  const place = { door: "dav", protocol: "dav", requestId: "req_1" } as const;
  const logins = loggedLogins(accounts, log, place);
  await expect(logins.authenticatePassword("a@b.example", "x", "192.0.2.1")).rejects.toBe(error);
  expect(lines).toEqual(told);
});
