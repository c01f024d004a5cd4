/** The short form of `npm run test:obedient`: some attacks, drawn anew each time, by an agent that does what it reads. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import type { Attack } from "../long/obedient/attack.ts";
import { attacks } from "../long/obedient/attacks.ts";
import { carriers, readCarriers, readForgedMarks } from "../long/obedient/carriers.ts";
import { type Exits, leavesUndecided, prepareAgent, tryExits } from "../long/obedient/exits.ts";
import { doHonestTasks, honestTasks } from "../long/obedient/honest-tasks.ts";
import { attackers, openScene, type Scene } from "../long/obedient/scene.ts";
import { randomSource } from "../support/random.ts";

const random = randomSource(inject("seed"));
const some = <One>(all: readonly One[], count: number): readonly One[] => [
  ...new Set(Array.from({ length: count }, () => random.one(all))),
];
const chosen: readonly Attack[] = some(attacks, 8);

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ attacks: 2 * 3 * chosen.length + honestTasks.length });
});
afterAll(() => scene[Symbol.asyncDispose]());

const reading = () => scene.agentOf("open");

it("reads what a person sees, and nothing of what is hidden", async () => {
  const drawn = [
    ...some(
      carriers.filter((one) => one.isHidden),
      10,
    ),
    ...some(
      carriers.filter((one) => !one.isHidden),
      4,
    ),
  ];
  for (const { carrier, arrived } of await readCarriers(scene, reading(), drawn))
    expect(arrived, `${carrier.kind}: ${carrier.name}`).toBe(!carrier.isHidden);
});

it("is shown no line of the server that a sender has written", async () => {
  const forged = await readForgedMarks(scene, reading(), some(carriers, 4));
  expect(forged).toEqual([]);
});

it.each(["first_contact", "external"] as const)(
  "under %s nothing leaves that a person decides about, and the tasks of people need one approval at most",
  async (policy) => {
    const from = policy === "first_contact" ? 0 : 3 * chosen.length;
    const exits: Exits = await tryExits(scene, { policy, attackers, chosen, from });
    expect(exits.unread).toBe(0);
    expect(leavesUndecided(exits)).toEqual([]);
    if (policy !== "first_contact") return;
    const self = scene.agentOf(policy);
    const secret = await prepareAgent(scene, self, "orderwords");
    for (const { task, approvals, refused } of await doHonestTasks(scene, self, secret, 6 * chosen.length))
      expect([approvals > 1, refused], task.name).toEqual([false, 0]);
  },
);

it("tries every operation that writes", () => {
  const sources = ["mail-attacks.ts", "item-attacks.ts"].map((name) =>
    readFileSync(path.join(import.meta.dirname, "../long/obedient", name), "utf8"),
  );
  const writes = operations.filter(({ effect }) => effect === "writes").map(({ name }) => name);
  expect(writes.filter((name) => !sources.some((text) => text.includes(`"${name}"`)))).toEqual([]);
});
