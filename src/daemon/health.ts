/** Whether the daemon takes mail: `GET /health` of the public ports and of the port for monitoring, which a load balancer asks.
 *
 *  Each part is tried, unless real work has just shown that it works: a read and a durable write of the store, and the preparation of a
 *  message. So a part that has recovered is found well although no mail comes while the answer is 503. */
import fs from "node:fs/promises";
import type { Health } from "#/protocols/json/carriage/health.ts";
import type { Preparation } from "#/src/arrival/preparing/preparation.ts";
import { after } from "#/src/model/background.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { isFull } from "#/storage/failures.ts";
import { countWaitingHolds } from "#/storage/queries/load.ts";
import type { Store } from "#/storage/store.ts";
import { sharing } from "./sharing.ts";

/** With fewer free octets there is no room for the mail of the next minutes. */
const freeBytesMin = 64 * 1024 * 1024;
/** How long each part may take. */
const partMsMax = 2000;
/** A disk that was well so recently is not looked at again. */
const seenMs = 1000;

interface HealthRooms {
  readonly store: Store;
  readonly preparation: Pick<Preparation, "prove">;
}

export function createHealth({ store, preparation }: HealthRooms): Health {
  let diskSeenAt = Number.NEGATIVE_INFINITY;
  async function lookAtDisk(): Promise<string | undefined> {
    const now = performance.now();
    if (now - diskSeenAt < seenMs) return undefined;
    const problem = await findDiskProblem(store);
    if (problem === undefined) diskSeenAt = now;
    return problem;
  }
  return {
    findProblems: sharing(async () => {
      const parts = [lookAtDisk(), findPreparerProblem(preparation)];
      const readProblem = await findReadProblem(store);
      // What cannot be read is not written either.
      parts.unshift(readProblem === undefined ? findWriteProblem(store) : Promise.resolve(readProblem));
      const problems = await Promise.all(parts);
      // A full disk is one problem, also if the store finds it too.
      return [...new Set(problems.filter((one) => one !== undefined))];
    }),
  };
}

function findReadProblem(store: Store): Promise<string | undefined> {
  return problemOf(countWaitingHolds(store), {
    failed: (error) => (store.isReachable() ? `the store cannot be read: ${codeOf(error)}` : lost),
    late: () => (store.isReachable() ? `the store answers slowly: not within ${partMsMax / 1000} s` : lost),
  });
}

async function findWriteProblem(store: Store): Promise<string | undefined> {
  if (store.isBusy()) return "the store has more to write than it takes";
  return problemOf(store.proveWriting(), {
    failed: (error) => {
      if (!store.isReachable()) return lost;
      return isFull(error) ? full : `the store cannot be written: ${codeOf(error)}`;
    },
    late: () => `the store writes slowly: not within ${partMsMax / 1000} s`,
  });
}

function findPreparerProblem(preparation: HealthRooms["preparation"]): Promise<string | undefined> {
  return problemOf(preparation.prove(), {
    // A gate that is full says that there is much mail, and each of its owners has a turn.
    failed: (error) =>
      isWaypostError(error) && error.details.reason === "busy"
        ? undefined
        : `mail cannot be prepared: ${codeOf(error)}`,
    // A thread that starts on a busy machine.
    late: () => `mail is prepared slowly: not within ${partMsMax / 1000} s`,
  });
}

async function findDiskProblem({ folder }: Store): Promise<string | undefined> {
  try {
    const { bsize, bavail } = await fs.statfs(folder);
    if (bsize * bavail < freeBytesMin) return full;
    await fs.access(folder, fs.constants.W_OK);
    return undefined;
  } catch (error) {
    return `the disk of the store cannot be written: ${codeOf(error)}`;
  }
}

interface Words {
  failed(error: unknown): string | undefined;
  late(): string;
}

async function problemOf(part: Promise<unknown>, { failed, late }: Words): Promise<string | undefined> {
  const waited = Promise.withResolvers<string | undefined>();
  const timer = after(partMsMax, () => waited.resolve(late())).unref();
  try {
    return await Promise.race([part.then(() => undefined, failed), waited.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  // What a writer thread tells of its engine (`storage/failures.ts`).
  const told =
    typeof cause === "string" ? /^([0-9A-Z_]{5,60}): /.exec(cause)?.[1] : readThrown(cause ?? error).code;
  return told ?? (isWaypostError(error) ? error.code : "internal");
}

const lost = "the store's database cannot be reached";
const full = "the disk of the store is full";
