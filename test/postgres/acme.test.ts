/** Daemons on one store with one name: one of them orders a certificate, the authority may reach any of them, and all use it. */
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import tls from "node:tls";
import { describe, expect, it, vi } from "vitest";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";
import { startAcmeServer } from "../support/servers/acme-server.ts";
import { change, dropDatabase, makeDatabase, serverUrl } from "./database.ts";

const patience = { timeout: 60_000, interval: 100 };

describe.skipIf(serverUrl === undefined).each(["http-01", "tls-alpn-01"])(
  "two daemons with %s",
  (challenge) => {
    it("answer a challenge of the other's order, and show its certificate", async () => {
      await using acme = await startAcmeServer();
      const url = await makeDatabase("waypost_template");
      // Nobody orders until the lease is given to one of them.
      await change(url, "insert into lease (name, daemon) values ('certificates', 'nobody')");
      const start = async () => {
        const [http, https] = [await freePort(), await freePort()];
        const daemon = await startInProcessDaemon({
          set: [
            `storage.url=${url}`,
            "acme.enabled=true",
            `acme.directory=${acme.directory}`,
            "acme.names=also.example.org",
            "server.hostname=mail.example.org",
            "dns.servers=none",
            "log.level=silent",
            `acme.challenge=${challenge}`,
            `acme.port=${http}`,
            `https.port=${https}`,
          ],
        });
        return { daemon, places: { http, https } };
      };
      try {
        const { daemon: one } = await start();
        const { daemon: two, places } = await start();
        try {
          Object.assign(acme.places, places);
          const { daemon: name } = one.daemon.house.store.leases;
          await change(url, `update lease set daemon = '${name}' where name = 'certificates'`);
          for (const daemon of [one, two])
            for (const host of ["mail.example.org", "also.example.org"])
              await vi.waitFor(
                async () => expect(await shown(daemon, host, acme.root)).toBe(`DNS:${host}`),
                patience,
              );
          expect(acme.given).toEqual(["mail.example.org", "also.example.org"]);
          const { store } = two.daemon.house;
          expect(
            await store.column("select name from deployment where name like 'authority %' order by name"),
          ).toEqual([
            "authority account key",
            "authority certificate also.example.org",
            "authority certificate mail.example.org",
          ]);
          const kept = [one, two].map(({ daemon }) =>
            fs.readFileSync(
              path.join(daemon.settings.storage.folder, "tls/acme/mail.example.org.pem"),
              "utf8",
            ),
          );
          expect(kept[0]).toBe(kept[1]);
        } finally {
          await two[Symbol.asyncDispose]();
          await one[Symbol.asyncDispose]();
        }
      } finally {
        await dropDatabase(url);
      }
    });
  },
);

/** The names of a certificate that the authority has signed; undefined for another one. */
async function shown(
  { imaps }: InProcessDaemon,
  servername: string,
  ca: string,
): Promise<string | undefined> {
  const socket = tls.connect({ ...imaps, servername, ca, rejectUnauthorized: false });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  const { subjectaltname } = socket.getPeerCertificate();
  socket.destroy();
  return socket.authorized ? subjectaltname : undefined;
}
