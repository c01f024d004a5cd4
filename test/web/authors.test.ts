/** Each form of somebody who is signed in that changes something: the log of the mailbox, or the log of access, names the session, the pages
 *  and the request. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type FormlessBrowser, fieldOf, openBrowser } from "../support/clients/browser.ts";
import { forms } from "./forms.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

let house: PagesHouse;
let browser: FormlessBrowser;
beforeAll(async () => {
  house = await openPagesHouse([
    "webhooks.allow_private_addresses=true",
    "pages.policies=any",
    "pages.agents_per_person=9",
  ]);
  browser = await signIn();
});
afterAll(() => house[Symbol.asyncDispose]());

async function signIn(): Promise<FormlessBrowser> {
  const one = openBrowser(house.origin);
  await one.post("/sign-in", { address: house.person.address, password: house.person.password });
  return one;
}

interface Post {
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
}
type Step = () => Post | Promise<Post>;

const proved = () => ({ password: house.person.password });

/** A mail that waits, and its version as the page shows it. */
async function held(): Promise<{ readonly hold: string; readonly version: string }> {
  const hold = await house.send();
  return { hold, version: fieldOf(await browser.get(`/approvals/${hold}`), "version") };
}

async function approved(): Promise<string> {
  const { hold, version } = await held();
  await browser.post(`/approvals/${hold}/decide`, { version, act: "approve", ...proved() });
  return hold;
}

/** What an address of a form on a page is. */
async function actionOn(page: string, action: RegExp): Promise<string> {
  return action.exec((await browser.get(page)).text)![1]!;
}

const agentPath = (verb: string) => async (): Promise<Post> => {
  const path = await actionOn("/agents", /(\/agents\/ag_\w+)\//);
  return { path: `${path}/${verb}` };
};

/** Every form, in an order in which each finds what it names; or why no session is the author of what it does. */
const steps: Readonly<Record<keyof typeof forms, Step | string>> = {
  "/approvals/test-mail": "the server writes the mail",
  "/approvals/select": "it shows",
  "/approvals/decide": async () => {
    const { hold } = await held();
    return { path: "/approvals/decide", fields: { hold, ...proved() } };
  },
  "/approvals/HOLD/decide": async () => {
    const { hold, version } = await held();
    return { path: `/approvals/${hold}/decide`, fields: { version, act: "decline" } };
  },
  "/approvals/HOLD/undo": async () => ({ path: `/approvals/${await approved()}/undo` }),
  "/approvals/HOLD/edit": async () => {
    const { hold, version } = await held();
    const written = { to: house.person.address, cc: "", subject: "Another", text: "Nine pieces." };
    return { path: `/approvals/${hold}/edit`, fields: { version, ...written } };
  },
  "/mine/sessions/NUMBER/end": async () => {
    await signIn();
    return { path: await actionOn("/mine", /action="(\/mine\/sessions\/\d+\/end)"/) };
  },
  "/mine/sessions/end": async () => {
    await signIn();
    return { path: "/mine/sessions/end" };
  },
  "/mine/passkeys/new": "it shows",
  "/mine/passkeys": "a browser makes a passkey: test/pages, in Chromium",
  "/mine/passkeys/NUMBER/remove": "a browser makes a passkey: test/pages, in Chromium",
  "/mine/programs": () => ({ path: "/mine/programs", fields: { name: "Mutt", ...proved() } }),
  "/mine/programs/options": "it shows",
  "/mine/programs/NUMBER/revoke": async () => ({
    path: await actionOn(
      "/mine",
      /action="(\/mine\/programs\/\d+\/revoke)"><[^>]+>Revoke<span class="aside"> Mutt/,
    ),
  }),
  "/mine/shares/NUMBER/end": async () => {
    await house.createPerson("kim@waypost.test");
    const shared = { holder: "kim@waypost.test", target: house.person.address };
    const { number } = await house.administer("grant.create", shared);
    return { path: `/mine/shares/${number}/end` };
  },
  "/mine/archive": "the server writes a file, and no mailbox changes",
  "/mine/notices": () => ({
    path: "/mine/notices",
    fields: {
      endpoint: "https://127.0.0.1:1/",
      // A point of the curve P-256: its generator.
      p256dh: "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
      auth: "AAAAAAAAAAAAAAAAAAAAAA",
    },
  }),
  "/mine/notices/end": () => ({ path: "/mine/notices/end" }),
  "/mine/zone": () => ({ path: "/mine/zone", fields: { zone: "Europe/Berlin" } }),
  "/mine/approving": () => ({ path: "/mine/approving", fields: { with: "session", ...proved() } }),
  "/agents": () => ({
    path: "/agents",
    fields: { name: "Robin", local: "robin", policy: "always", allowed: "", blocked: "", ...proved() },
  }),
  "/agents/options": "it shows",
  "/agents/AGENT/policy": async () => {
    const { path } = await agentPath("policy")();
    return { path, fields: { policy: "external", allowed: "", blocked: "far.example", ...proved() } };
  },
  "/agents/AGENT/policy/options": "it shows",
  "/agents/AGENT/pause": agentPath("pause"),
  "/agents/AGENT/resume": agentPath("resume"),
  "/sign-out": () => ({ path: "/sign-out" }),
};

it("are all that there are", () => {
  expect(Object.keys(steps)).toEqual(Object.keys(forms));
});

interface Shown {
  readonly position: number;
}

/** What the session has changed: of the log of access, and of the logs of the agent and the person. */
async function changes(): Promise<ReadonlyMap<string, Shown>> {
  const show = async (log: string, input: object) =>
    ((await house.administer(log, { by: "session", ...input })) as { changes: readonly Shown[] }).changes;
  const access = await show("log.access", {});
  const rows = access.map((row): [string, Shown] => [`access ${row.position}`, row]);
  for (const owner of [house.agent.address, house.person.address])
    for (const row of await show("log.show", { owner })) rows.push([`${owner} ${row.position}`, row]);
  return new Map(rows);
}

const tried = Object.entries(steps).flatMap(([form, step]) =>
  typeof step === "string" ? [] : [[form, step] as const],
);

it.each(tried)("%s", async (_, step) => {
  const { path, fields = {} } = await step();
  const before = await changes();
  const { status } = await browser.post(path, fields);
  expect([path, status]).toEqual([path, 200]);
  const added = await vi.waitFor(
    async () => {
      const rows = [...(await changes())].filter(([key]) => !before.has(key));
      expect(rows.length).toBeGreaterThan(0);
      return rows.map(([, row]) => row);
    },
    { timeout: 60_000, interval: 50 },
  );
  for (const row of added)
    expect(row).toMatchObject({
      by: { kind: "session", address: house.person.address },
      door: "pages",
      request: expect.stringMatching(/./),
    });
});
