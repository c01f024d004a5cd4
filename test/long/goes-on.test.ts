/** A daemon with its usual idle times goes on for a minute after every verb of every door. A daemon for each door, all at the same time. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { manyRequests, startChildDaemon } from "../support/daemon.ts";
import { doors, knockAt } from "../support/every-verb.ts";

/** Twice the time after which threads and readers end that nobody uses. */
const quietMs = 60_000;

test.concurrent.each(doors)(
  "goes on for a minute after every verb of %s",
  { timeout: 300_000 },
  async (door) => {
    await using daemon = await startChildDaemon({ set: manyRequests });
    await knockAt(door, { daemon });
    await wait(quietMs);
    expect(daemon.process.exitCode).toBeNull();
    const response = await fetch(`${daemon.http.url}/v1/search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${daemon.agents[0]!.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ q: "hello" }),
    });
    expect(response.status).toBe(200);
  },
);
