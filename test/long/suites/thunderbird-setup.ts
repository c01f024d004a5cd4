/** Thunderbird sets itself up. All names resolve to loopback, and a proxy forwards port 443 to the port of the daemon. Certificates are
 *  not checked here; `test/long/from-empty.test.ts` does the same on the usual ports with certificates checked. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { connectRawSmtp, stuff } from "../../support/clients/raw-smtp.ts";
import { startInProcessDaemon } from "../../support/daemon.ts";
import { freePort } from "../../support/free-port.ts";
import { startThunderbird } from "./marionette.ts";
import { missingProgram, patient, type Suite } from "./suite.ts";
import { addAccount, autoconfigOnly } from "./thunderbird-account.ts";

const domain = "ours.example";
const hostname = `mail.${domain}`;

export const thunderbirdSetup: Suite = {
  name: "thunderbird-setup",
  missing: () => missingProgram("thunderbird", "Xvfb"),
  async run(_, work) {
    const [imaps, submissions, https] = [await freePort(), await freePort(), await freePort()];
    await using daemon = await startInProcessDaemon({
      set: [
        ...patient,
        `server.domain=${domain}`,
        `server.hostname=${hostname}`,
        `imaps.port=${imaps}`,
        `submissions.port=${submissions}`,
        `https.port=${https}`,
        "dns.servers=none",
      ],
    });
    const { id, address, password } = daemon.people[0]!;
    {
      await using client = await connectRawSmtp(daemon.smtp);
      await client.command("EHLO mx.outside.example");
      await client.command("MAIL FROM:<a@outside.example>");
      await client.command(`RCPT TO:<${address}>`);
      await client.command("DATA");
      await client.send(stuff("From: a@outside.example\r\nSubject: Waiting for you\r\n\r\nx\r\n"));
    }
    await using proxy = await startProxy(https);
    await using thunderbird = await startThunderbird(work, {
      ...autoconfigOnly,
      "network.dns.native-is-localhost": true,
      "network.proxy.type": 1,
      "network.proxy.ssl": "127.0.0.1",
      "network.proxy.ssl_port": proxy.port,
      "network.proxy.no_proxies_on": "",
      "network.proxy.allow_hijacking_localhost": true,
    });
    await thunderbird.run(
      `Cc["@mozilla.org/security/certoverride;1"].getService(Ci.nsICertOverrideService)
         .setDisableAllSecurityChecksAndLetAttackersInterceptMyData(true);
       Services.io.offline = false;`,
    );
    try {
      await addAccount(thunderbird, {
        address,
        password: password!,
        hostname,
        imaps,
        submissions,
        calendars: `/dav/calendars/${id}`,
        subject: "Waiting for you",
      });
      return true;
    } catch (error) {
      console.log(`FAIL\t${error}`);
      await thunderbird.screenshot(path.join(work, "failed.png"));
      return false;
    }
  },
};

/** A CONNECT proxy that forwards every name and port to one port of this machine. */
async function startProxy(target: number) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (head) => {
      if (!head.toString("latin1").startsWith(`CONNECT `)) return socket.destroy();
      const there = net.connect(target, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        socket.pipe(there).pipe(socket);
      });
      sockets.add(there);
      there.on("error", () => socket.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
