/** Every door that makes a session, a passkey, a token, an app password, an invitation or a grant, with what suffices there. Nothing that an
 *  agent has, or can read in a mailbox, suffices at any of them. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openOperatorRoutes, operatorRoutes } from "#/protocols/web/operator/routes.ts";
import { openRoutes, signedRoutes } from "#/protocols/web/routes.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { forms, operatorForms, pathOf, wanted, withProof } from "./forms.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

/** Writes that make a credential, and the files that ask for them. A new one needs its row here and its door below. */
const writes: Readonly<Record<string, readonly string[]>> = {
  createInvitation: ["src/accounts/administration/invitations.ts"],
  useInvitation: ["src/sign-in/sign-in.ts"],
  createPageSession: ["src/sign-in/sign-in.ts"],
  usePasskey: ["src/sign-in/sign-in.ts"],
  addPasskey: ["src/sign-in/own-access.ts"],
  // With its first credentials.
  createAgent: ["src/accounts/administration/agents-and-people.ts"],
  createToken: ["src/accounts/administration/credentials.ts"],
  createPassword: ["src/accounts/administration/credentials.ts"],
  createGrant: ["src/accounts/administration/grants.ts"],
  createOperatorToken: ["src/accounts/administration/operators.ts"],
  createOperatorLink: ["src/accounts/administration/operators.ts"],
  useOperatorLink: ["src/sign-in/operator-sign-in.ts"],
  useOperatorPasskey: ["src/sign-in/operator-sign-in.ts"],
  // No credential, but a place to which something goes out.
  keepPushSubscription: ["src/sign-in/push-subscriptions.ts"],
};

const operations = ["token.create", "password.create", "grant.create", "agent.create", "person.create"];

interface Door {
  readonly path: string;
  readonly makes: string;
  readonly suffices: string;
  /** The request of somebody who has what an agent has. */
  readonly tries: (house: PagesHouse, operatorToken: string) => readonly Record<string, string>[];
}

const doors: readonly Door[] = [
  {
    path: "/join",
    makes: "session, passkey",
    suffices: "an invitation that the command line printed",
    tries: ({ agent }) => [
      { invitation: agent.token },
      { invitation: agent.password },
      { invitation: `wpi_${"0".repeat(32)}`, assertion: "{}" },
    ],
  },
  {
    path: "/join/options",
    makes: "nothing",
    suffices: "an invitation that the command line printed",
    tries: ({ agent }) => [{ invitation: agent.token }],
  },
  {
    path: "/sign-in",
    makes: "session",
    suffices: "an app password or a passkey of a person",
    tries: ({ agent, person }) => [
      { address: agent.address, password: agent.password },
      { address: agent.address, password: agent.token },
      { address: person.address, password: agent.password },
      { address: person.address, password: agent.token },
      { assertion: JSON.stringify({ id: "AAAA", rawId: "AAAA", type: "public-key", response: {} }) },
    ],
  },
  {
    path: "/operator/join",
    makes: "session and passkey of an operator",
    suffices: "a link that the command line printed, with a passkey",
    tries: ({ agent, person }, operatorToken) => [
      { link: agent.token, assertion: "{}" },
      { link: person.password, assertion: "{}" },
      { link: operatorToken, assertion: "{}" },
      { link: `wpl_${"0".repeat(32)}`, assertion: "{}" },
    ],
  },
  {
    path: "/operator/join/options",
    makes: "nothing",
    suffices: "a link that the command line printed",
    tries: ({ agent }, operatorToken) => [{ link: agent.token }, { link: operatorToken }],
  },
  {
    path: "/operator/sign-in",
    makes: "session of an operator",
    suffices: "a passkey of an operator",
    tries: ({ agent, person }, operatorToken) => [
      { address: agent.address, password: agent.password },
      { address: person.address, password: person.password },
      { assertion: operatorToken },
      { assertion: JSON.stringify({ id: "AAAA", rawId: "AAAA", type: "public-key", response: {} }) },
    ],
  },
];

test("every form for strangers is in the table of doors, but the one of the language", () => {
  const posts = [...openRoutes, ...openOperatorRoutes].filter(({ method }) => method === "POST");
  const found = posts.map(
    ({ path: form }) => doors.find((door) => form.test(door.path))?.path ?? form.source,
  );
  expect(found.toSorted()).toEqual([...doors.map((door) => door.path), "^\\/language$"].toSorted());
});

test("every write that makes a credential is asked for by the files of this table alone", () => {
  const top = new URL("../..", import.meta.url).pathname;
  const files = ["src", "protocols"].flatMap((folder) =>
    readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => path.posix.join(folder, name)),
  );
  const found = Object.fromEntries(
    Object.keys(writes).map((name) => [
      name,
      files.filter((file) => readFileSync(path.join(top, file), "utf8").includes(`"${name}"`)),
    ]),
  );
  expect(found).toEqual(writes);
});

describe("what an agent has", () => {
  test("suffices at no door of the pages", async () => {
    await using house = await openPagesHouse(["limits.login_failures_per_address=100"]);
    const { token } = await house.administer("operator.create", { name: "robot" });
    for (const { path: door, tries } of doors)
      for (const fields of tries(house, String(token))) {
        const browser = openBrowser(house.origin);
        const answer = await browser.post(door, fields);
        expect([door, fields, answer.status >= 400, [...browser.cookies.keys()]]).toEqual([
          door,
          fields,
          true,
          [],
        ]);
      }
  });

  test("suffices for no operation that makes a credential, over HTTP or with a session", async () => {
    await using house = await openPagesHouse();
    const browser = openBrowser(house.origin);
    await browser.post("/sign-in", { ...house.person });
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const operation of [...operations, "person.invite", "operator.create", "operator.sign-in"])
      for (const headers of [{ authorization: `Bearer ${house.agent.token}` }, { cookie }]) {
        const answer = await fetch(`${house.origin}/operator/v1/${operation}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: "{}",
        });
        expect([operation, answer.status]).toEqual([operation, 401]);
      }
  });

  // What it gets at each path is in `every-path.test.ts`.
  test("every form of a signed-in person is in the table", () => {
    const posts = [...signedRoutes, ...operatorRoutes].filter(({ method }) => method === "POST");
    const found = Object.keys({ ...forms, ...operatorForms }).map((form) =>
      posts.findIndex(({ path }) => path.test(pathOf(form, "ag_0"))),
    );
    expect(found).not.toContain(-1);
    expect([...new Set(found)].toSorted((one, other) => one - other)).toEqual(posts.map((_, at) => at));
  });

  test("with the session of a person it makes no credential: a program that drives the browser has no more", async () => {
    await using house = await openPagesHouse([
      "limits.login_failures_per_address=1000",
      "pages.agents_per_person=9",
      "pages.policies=any",
    ]);
    const browser = openBrowser(house.origin);
    await browser.post("/sign-in", { ...house.person });
    const agent = /\/agents\/(ag_\w+)\/policy/.exec((await browser.get("/agents")).text)![1]!;
    const state = async () =>
      JSON.stringify([
        await house.administer("password.list", { owner: house.person.address }),
        await house.administer("agent.list", {}),
        (await browser.get("/mine")).text.includes("Being signed in is enough"),
      ]);
    const before = await state();
    const proofs = [
      {},
      { password: house.agent.password },
      { password: house.agent.token },
      { assertion: "{}" },
    ];
    for (const form of withProof)
      for (const proof of proofs) {
        const answer = await browser.post(pathOf(form, agent), { ...wanted, ...proof } as Record<
          string,
          string
        >);
        expect([form, proof, answer.status]).toEqual([form, proof, 409]);
      }
    expect(await state()).toBe(before);
  });

  test("is no person: the session of a person opens nothing of /v1, and a token of it none", async () => {
    await using house = await openPagesHouse();
    const browser = openBrowser(house.origin);
    await browser.post("/sign-in", { ...house.person });
    const token = browser.cookies.get("__Host-waypost")!;
    for (const headers of [{ cookie: `__Host-waypost=${token}` }, { authorization: `Bearer ${token}` }]) {
      const answer = await fetch(`${house.origin}/v1/health`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
        body: "{}",
      });
      expect(answer.status).toBe(401);
    }
  });
});
