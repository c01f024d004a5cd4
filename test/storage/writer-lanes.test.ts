/** The order in which the writer handles waiting jobs. */
import { expect, it } from "vitest";
import type { Job, Lane } from "#/storage/threads/messages.ts";
import { WriterLanes } from "#/storage/writer-lanes.ts";

function jobOf(lane: Lane, key: string, id = 0): Job {
  return { id, by: undefined, lane, owner: { key }, name: "", args: undefined, bytes: 0, at: 0 };
}

function lanesWith(...jobs: readonly (readonly [lane: Lane, owner: string])[]): WriterLanes {
  const lanes = new WriterLanes();
  for (const [id, [lane, owner]] of jobs.entries()) lanes.push(jobOf(lane, owner, id));
  return lanes;
}

/** Batch by batch, with one job of each lane's owners: "quick a b", "long a". */
function batchesOf(lanes: WriterLanes, jobsMax = 2): string[] {
  const batches: string[] = [];
  for (;;) {
    const lane = lanes.nextLane();
    if (lane === undefined) return batches;
    lanes.began(lane);
    const owners: string[] = [];
    while (owners.length < (lane === "quick" ? jobsMax : 1)) {
      const job = lanes.shift(lane);
      if (job === undefined) break;
      owners.push(job.owner.key);
    }
    batches.push([lane, ...owners].join(" "));
  }
}

it("takes quick jobs in turns of their owners", () => {
  const lanes = lanesWith(["quick", "a"], ["quick", "a"], ["quick", "a"], ["quick", "b"]);
  expect(batchesOf(lanes)).toEqual(["quick a b", "quick a a"]);
});

it("does one piece of a long write after each batch of quick jobs, in turns of the owners", () => {
  const lanes = lanesWith(
    ["long", "a"],
    ["long", "a"],
    ["long", "b"],
    ["quick", "c"],
    ["quick", "c"],
    ["quick", "c"],
  );
  expect(batchesOf(lanes)).toEqual(["quick c c", "long a", "quick c", "long b", "long a"]);
});

it("does maintenance when nothing else waits", () => {
  const lanes = lanesWith(["idle", ""], ["quick", "a"], ["long", "b"]);
  expect(batchesOf(lanes)).toEqual(["quick a", "long b", "idle "]);
});

it("gives maintenance a turn once in a while when something always waits", () => {
  const lanes = lanesWith(["idle", ""], ["idle", ""]);
  const done: string[] = [];
  for (let batch = 0; batch < 200; batch++) {
    lanes.push(jobOf("quick", "a", batch));
    const lane = lanes.nextLane()!;
    lanes.began(lane);
    lanes.shift(lane);
    done.push(lane);
  }
  expect(done.filter((lane) => lane === "idle")).toHaveLength(2);
  expect(done.slice(0, 50)).not.toContain("idle");
});

it("gives the sweep a turn when nothing waits, and once in a while", () => {
  const lanes = lanesWith();
  expect(lanes.isSweepDue).toBe(true);
  lanes.push(jobOf("quick", "a"));
  expect(lanes.isSweepDue).toBe(false);
  for (let batch = 0; batch < 50; batch++) lanes.began("quick");
  expect(lanes.isSweepDue).toBe(true);
});
