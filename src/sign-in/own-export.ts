/** Everything of a person as an archive, the one that `waypost export` writes. It is made as a job, which ends with the session that asked for
 *  it, kept for an hour for that session, and forgotten at a restart. The caller has the proof that it is the person who asks. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import type { Settings } from "#/config/schema.ts";
import type { Jobs } from "#/src/accounts/administration/jobs.ts";
import type { LargeWorks } from "#/src/accounts/administration/large-works.ts";
import { plainCall } from "#/src/accounts/administration/operation-call.ts";
import { isLivePageSession } from "#/src/accounts/page-session.ts";
import { after, inBackground } from "#/src/model/background.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { findPageSessionByNumber } from "#/storage/queries/accounts/sign-ins.ts";
import type { Store } from "#/storage/store.ts";
import { ownArchivesFolder } from "./own-archives.ts";
import type { PageSession } from "./page-session.ts";

export interface OwnExport {
  readonly state: "running" | "done" | "failed";
  /** When it is deleted, once it is done. */
  readonly until: number;
  readonly bytes: number;
}

export interface OwnExports {
  /** The one that this session has asked for. */
  findExport(session: PageSession): OwnExport | undefined;
  /** Throws `rate_limited` while there is one of the person, or too many of all. */
  beginExport(session: PageSession): Promise<void>;
  /** undefined unless it is done. */
  openExport(session: PageSession): { readonly stream: Readable; readonly bytes: number } | undefined;
}

interface Kept extends OwnExport {
  readonly session: number;
  readonly file: string;
}

export interface ExportRooms {
  readonly store: Store;
  readonly settings: Settings;
  readonly jobs: Jobs;
  readonly works: LargeWorks;
}

const keptMs = 3_600_000;
/** Of all people: each may be as large as a mailbox. */
const keptMax = 20;

export function createOwnExports({ store, settings, jobs, works }: ExportRooms): OwnExports {
  const folder = ownArchivesFolder(settings);
  const kept = new Map<AgentNumber, Kept>();

  function settle(agent: AgentNumber, file: string, state: "done" | "failed"): void {
    const one = kept.get(agent);
    if (one?.file !== file) return;
    const bytes = state === "done" ? fs.statSync(file).size : 0;
    kept.set(agent, { ...one, state, bytes, until: store.clock.now() + keptMs });
    after(keptMs, () => forget(agent, file)).unref();
  }

  function forget(agent: AgentNumber, file: string): void {
    if (kept.get(agent)?.file === file) kept.delete(agent);
    fs.rmSync(file, { force: true });
  }

  async function isSignedIn(agent: AgentNumber, session: number): Promise<boolean> {
    const row = await findPageSessionByNumber(store, session);
    if (row?.agent !== agent || !isLivePageSession(row, store.clock.now())) return false;
    return (await findAgent(store, agent)) !== undefined;
  }

  return {
    findExport({ number, principal }) {
      const one = kept.get(principal.agent);
      return one?.session === number ? one : undefined;
    },

    async beginExport({ number, principal: { agent, author } }) {
      const former = kept.get(agent);
      const isBusy = former !== undefined && former.state !== "failed";
      if (isBusy || kept.size >= keptMax)
        throw new WaypostError("rate_limited", "There is an archive already, or there are too many of all.");
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = path.join(folder, `${randomBytes(12).toString("hex")}.tar.gz`);
      // Before anything is awaited: the next request sees it.
      kept.set(agent, { session: number, file, state: "running", until: 0, bytes: 0 });
      inBackground(async () => {
        try {
          const owner = await findAgent(store, agent);
          if (owner === undefined) throw new WaypostError("not_found", "The person is deleted.");
          const call = { ...plainCall, mayGoOn: () => isSignedIn(agent, number) };
          await jobs.run("mail.export", author, call, async (watcher) => {
            try {
              const result = await works.exportMail({ owner, file, isMbox: false }, author, watcher);
              settle(agent, file, "done");
              return result;
            } catch (error) {
              settle(agent, file, "failed");
              fs.rmSync(file, { force: true });
              throw error;
            }
          });
        } catch (error) {
          // So many jobs run that it was not begun.
          settle(agent, file, "failed");
          if (!isWaypostError(error)) throw error;
        }
      });
    },

    openExport({ number, principal }) {
      const one = kept.get(principal.agent);
      if (one?.state !== "done" || one.session !== number) return undefined;
      return { stream: fs.createReadStream(one.file), bytes: one.bytes };
    },
  };
}
