/** The whole server in one process: one store, the rooms over it, and the listeners that serve them. */
import fs from "node:fs";
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import { type Delivery, startDelivery } from "#/protocols/delivery/start-delivery.ts";
import { startWebhooks } from "#/protocols/webhooks/send-events.ts";
import { startPushes } from "#/protocols/webhooks/start-pushes.ts";
import { rememberRecipients } from "#/src/arrival/recent-recipients.ts";
import { createResolve } from "#/src/evidence/dns.ts";
import { createSecureDns } from "#/src/evidence/secure-dns.ts";
import { systemClock } from "#/src/model/clock.ts";
import { createDispatch } from "#/src/outbound/dispatch.ts";
import { tlsDetail } from "#/src/reports/write-tls-report.ts";
import { removeOwnArchives } from "#/src/sign-in/own-archives.ts";
import { countQueued } from "#/storage/queries/load.ts";
import { createChallenges } from "./acme/challenges.ts";
import { createSharedAuthority } from "./acme/shared-authority.ts";
import { startAcme } from "./acme/start-acme.ts";
import { assertStartable } from "./assert-startable.ts";
import { startCalendarMailRunner } from "./calendar-mail-runner.ts";
import type { Certificate } from "./certificate.ts";
import { freeBytes } from "./conditions/conditions.ts";
import { tellEndedPasskeys } from "./ended-passkeys.ts";
import { startHoldRunner } from "./hold-runner.ts";
import { type House, openHouse } from "./house.ts";
import { openListeners } from "./listeners.ts";
import { openCertificate } from "./live-certificate.ts";
import { openLog } from "./log.ts";
import { startMaintenance } from "./maintenance.ts";
import { runPrivateOperation } from "./private-operations.ts";
import { listenPrivately } from "./private-socket.ts";
import { startReportRunner } from "./report-runner.ts";
import { spareMemory } from "./spare-memory.ts";

export interface Daemon extends AsyncDisposable {
  readonly settings: Settings;
  readonly house: House;
  readonly log: Logger;
  readonly certificate: Certificate;
  readonly listeners: readonly Listener[];
  /** Delivers mail to other servers. */
  readonly delivery: Delivery;
  /** Opens the log file anew, and reads the certificate's files again. Open connections stay. */
  reload(): Promise<void>;
  /** Accepts nothing new, finishes running requests, closes the store. */
  close(): Promise<void>;
}

/** Resolves when every listener is bound. Throws `WrongSettings` for settings that this host cannot have. When a part cannot be opened, it closes what is open and throws. */
export async function startDaemon(settings: Settings): Promise<Daemon> {
  await assertStartable(settings);
  const { logger: log, reopen, flush } = openLog(settings.log);
  const startedAt = performance.now();
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
    await flush();
  };
  try {
    const folder = settings.storage.folder;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.chmodSync(folder, 0o700);
    const house = await openHouse(settings, log, { isStaying: true });
    closers.push(async () => house[Symbol.asyncDispose]());
    removeOwnArchives(settings);
    // After the lock of the store is taken: two daemons must not write the same certificate.
    const shared = createSharedAuthority(settings, house.store);
    const challenges = settings.acme.enabled ? createChallenges(shared) : undefined;
    const certificate = await openCertificate(settings, systemClock, log, challenges);
    closers.push(async () => certificate.close());
    const maintenance = startMaintenance(house);
    closers.push(() => maintenance.stop());
    const sparing = spareMemory(house, log);
    closers.push(async () => sparing.stop());
    const holdRunner = startHoldRunner(house, log);
    closers.push(() => holdRunner.stop());
    const calendarMail = startCalendarMailRunner(house, log);
    closers.push(() => calendarMail.stop());
    const secureDns = createSecureDns(settings.dns);
    const resolve = createResolve(settings.dns);
    const { reportCounts } = house;
    const reportRunner = startReportRunner({ ...house, resolve }, reportCounts, log);
    closers.push(() => reportRunner.stop());
    const delivery = startDelivery({
      ...house,
      dispatch: createDispatch(house),
      resolve,
      onTls: (session) => reportCounts.note("tls", session.policy.domain, tlsDetail(session)),
      ...(secureDns === undefined ? {} : { secureDns }),
      recipients: rememberRecipients(house.accounts, house.store),
    });
    closers.push(async () => delivery[Symbol.asyncDispose]());
    const { listeners, close: closeListeners } = await openListeners(house, certificate, challenges);
    closers.push(closeListeners);
    const acme =
      challenges === undefined ? undefined : await startAcme(house, challenges, certificate, shared);
    if (acme !== undefined) closers.push(() => acme.stop());
    const conditions = house.conditions.watch({
      ...house,
      certificate,
      troubles: () => acme?.troubles() ?? [],
      freeBytes,
    });
    closers.push(() => conditions.stop());
    const webhooks = await startWebhooks(house);
    closers.push(async () => webhooks[Symbol.asyncDispose]());
    const stopCounting = house.day.watch(async () => {
      const { due, later } = await countQueued(house.store, house.store.clock.now());
      return due + later;
    });
    closers.push(async () => stopCounting());
    const pushes = startPushes(house);
    closers.push(async () => pushes[Symbol.asyncDispose]());
    await tellEndedPasskeys(house);
    const ports = house.status.serve(listeners, certificate);
    const socket = await listenPrivately(folder, log, (call) => runPrivateOperation(house, call));
    closers.push(() => socket.close());
    log.info(
      { pid: process.pid, listeners: ports, folder, startMs: Math.round(performance.now() - startedAt) },
      "ready",
    );
    const reload = async (): Promise<void> => {
      try {
        reopen();
      } catch (error) {
        log.error({ err: error }, "the log file stays as it was");
      }
      await certificate.reload();
      log.info("reloaded");
    };
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= (async () => {
        log.info("stopping");
        await closeAll();
      })();
      return closing;
    };
    return {
      settings,
      house,
      log,
      certificate,
      listeners,
      delivery,
      reload,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
