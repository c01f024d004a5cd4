/** Whether an agent or a person acts is asked of who acts (`principal`, the actor of a write), not of whose mailbox it is. Each place in the
 *  source that asks an owner stands here with its reason. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const asked = /\bkind [!=]== "(?:person|agent)"/;
const ofActor = /\bprincipal\.kind\b|\beditor\?\.kind\b/;
/** `name?.kind` and the like are kinds of ids. */
const ofIds = /\b(?:name|id)\?\.kind\b/;

const reasons: Readonly<Record<string, string>> = {
  "protocols/json/identifiers.ts": "the kind of an identifier",
  "protocols/smtp/mail-transaction.ts": "the kind of the principal",
  "protocols/web/agents/agents-page.ts": "a person pauses agents alone",
  "src/accounts/administration/agents-and-people.ts": "what the operator makes, changes and is shown",
  "src/accounts/administration/credentials.ts": "a person has no token of the operator's making",
  "src/accounts/administration/sending-policy.ts": "who may be an approver",
  "src/accounts/principal.ts": "an agent's credential never has the right to approve",
  "src/accounts/role-mailboxes.ts": "mail to postmaster goes to a person",
  "src/cli/seed.ts": "an agent gets a token",
  "src/daemon/moving/archive/import-mail.ts": "what waited in an agent's mailbox waits again",
  "src/daemon/moving/archive/import-settings.ts": "an agent has a sending policy",
  "src/outbound/gate/decide.ts":
    "an agent's mailbox has a policy; an agent that sends by a grant keeps that of its own, too",
  "src/outbound/holds/hold-imported.ts": "what waited in an agent's mailbox waits again",
  "src/outbound/submit.ts": "answers of an agent's mailbox are counted one by one",
  "src/reach/approvers.ts": "a grant gives an agent no right to approve",
  "src/reach/mailbox-access.ts": "names of mailboxes of holds belong to agents",
  "src/reports/send-reports.ts": "reports leave in a person's name",
  "src/scheduling/calendar-users.ts": "only a person's calendar marks what others write into it",
  "src/scheduling/outgoing/local-copies.ts":
    "delegates that others name are marked in a person's calendar, and those of people of the account are not",
  "src/sign-in/collection-pushes.ts": "what an agent follows would leave to an address of its choice",
  "src/sign-in/sign-in.ts": "only people sign in to the pages",
  "storage/transactions/accounts/set-sending-policy.ts": "who may be an approver",
  "storage/writing/collections/items.ts": "the kind of the actor: only what a person adds counts as known",
  "storage/writing/mail/mailbox-rows.ts": "names of mailboxes of holds belong to agents",
};

it("is a list of files, each with its reason", () => {
  const asking = new Set<string>();
  for (const folder of ["src", "protocols", "storage"])
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = `${folder}/${name}`;
      if (!file.endsWith(".ts")) continue;
      for (const line of readFileSync(file, "utf8").split("\n"))
        if (asked.test(line) && !ofActor.test(line) && !ofIds.test(line)) asking.add(file);
    }
  expect([...asking].sort()).toEqual(Object.keys(reasons));
});
