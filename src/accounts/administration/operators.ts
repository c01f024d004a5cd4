/** Tokens for programs that act as the operator, and the audit log. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { listPageOperators } from "#/storage/queries/accounts/operator-sign-ins.ts";
import { listOperatorCalls, listOperatorTokens } from "#/storage/queries/accounts/operators.ts";
import type { OperatorCallRow } from "#/storage/rows.ts";
import { operatorKinds, operatorScopes } from "../operator-scopes.ts";
import { generateOperatorLink, generateOperatorToken, hashToken } from "../secrets.ts";
import { pagesOrigin } from "./invitations.ts";
import { administrationOperation } from "./operation.ts";
import { expiryOf, isoTime, nameField, numberField, shownToken } from "./selectors.ts";

const linkMs = 3_600_000;

const operatorScopesField = z
  .array(z.enum(operatorScopes))
  .min(1)
  .default(["read", "write"])
  .describe(
    `write: everything; read: all that changes nothing; or by kind, and with :read only to look: ${Object.entries(
      operatorKinds,
    )
      .map(([kind, what]) => `${kind} (${what})`)
      .join("; ")}.`,
  );
const operatorExpiryField = z.coerce
  .number()
  .positive()
  .max(3660)
  .default(365)
  .describe("Days until it expires; 365.");

export const operatorOperations = [
  administrationOperation({
    name: "operator.create",
    kind: "access",
    summary: "Make a token with which a program administers this server at /operator/v1, shown once.",
    isLocal: true,
    input: z.strictObject({
      name: nameField.describe("The program, to know it again in the list and in the audit log."),
      scopes: operatorScopesField,
      expiresInDays: operatorExpiryField,
    }),
    positional: ["name"],
    async run({ store }, { name, scopes, expiresInDays }, by) {
      const token = generateOperatorToken();
      const at = store.clock.now();
      const expiresAt = expiryOf(expiresInDays, at)!;
      const { token: number } = await store.write(by, "createOperatorToken", {
        name,
        hash: hashToken(token),
        scopes,
        expiresAt,
        at,
      });
      return { token, number, name, scopes, expiresAt: isoTime(expiresAt) };
    },
  }),
  administrationOperation({
    name: "operator.sign-in",
    kind: "access",
    summary: "Print a link with which an operator signs in to the pages: for one hour, once.",
    isLocal: true,
    input: z.strictObject({
      name: nameField.describe("Who it is, to be read in the audit log. The same name is the same operator."),
      scopes: operatorScopesField,
      expiresInDays: operatorExpiryField,
    }),
    positional: ["name"],
    async run({ store, settings }, { name, scopes, expiresInDays }, by) {
      const origin = pagesOrigin(settings);
      if (settings.operator.servedOn !== "http")
        throw new WaypostError("invalid", "The pages for operators are not served on the HTTP ports.", {
          hint: 'Set operator.served_on = "http".',
        });
      const link = generateOperatorLink();
      const at = store.clock.now();
      const expiresAt = expiryOf(expiresInDays, at)!;
      const { operator: number } = await store.write(by, "createOperatorLink", {
        name,
        hash: hashToken(link),
        linkExpiresAt: at + linkMs,
        scopes,
        expiresAt,
        at,
      });
      // Behind # no server and no log of a proxy sees it.
      return {
        number,
        name,
        scopes,
        link: `${origin}/operator/join#${link}`,
        linkExpiresAt: isoTime(at + linkMs),
        expiresAt: isoTime(expiresAt),
      };
    },
  }),
  administrationOperation({
    name: "operator.list",
    kind: "access",
    isRead: true,
    summary: "List who administers this server: programs with a token, and operators at the pages.",
    isLocal: true,
    input: z.strictObject({}),
    async run({ store }) {
      const atPages = await listPageOperators(store);
      const rows = await listOperatorTokens(store);
      return {
        operators: rows.map((row) => ({
          ...shownToken(row),
          signsIn: atPages.includes(row.token) ? "at the pages" : "with a token",
        })),
      };
    },
  }),
  administrationOperation({
    name: "operator.revoke",
    kind: "access",
    summary:
      "Make the token of a program worthless from now on; an operator at the pages is signed out for good.",
    isLocal: true,
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store }, { number }, by) {
      await store.write(by, "revokeOperatorToken", { token: number, at: store.clock.now() });
      return { number, revoked: true };
    },
  }),
];

export const auditOperations = [
  administrationOperation({
    name: "audit.list",
    kind: "records",
    isRead: true,
    summary: "List what operators have done, the newest first: who, what, and what came of it.",
    input: z.strictObject({
      before: numberField.optional().describe("Only those before this number, to go on."),
      limit: z.coerce.number().int().min(1).max(1000).default(100).describe("How many; 100."),
    }),
    async run({ store }, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows = await listOperatorCalls(store, { before, limit });
      return { calls: rows.map(describeCall) };
    },
  }),
];

function describeCall(row: OperatorCallRow) {
  return {
    number: row.call,
    at: isoTime(row.startedAt),
    by: row.token === null ? "command line" : `${row.name} (${row.token})`,
    operation: row.operation,
    input: JSON.parse(row.input) as unknown,
    outcome: row.outcome,
    requestId: row.requestId,
    ms: row.endedAt === null ? null : row.endedAt - row.startedAt,
  };
}
