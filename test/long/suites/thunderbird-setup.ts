/** Thunderbird sets itself up: in its own dialog an address and an app password are typed and nothing else (the name is the one of the system's user).
 *  It finds the servers by autoconfig, and has the person's mail, calendar and addressbook. Names are answered by loopback,
 *  and a proxy leads port 443 to the port of the daemon. It does not look at certificates here. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { startInProcessDaemon } from "../../support/daemon.ts";
import { freePort } from "../../support/free-port.ts";
import { connectRawSmtp, stuff } from "../../support/raw-smtp.ts";
import { startThunderbird, type Thunderbird } from "./marionette.ts";
import { missingProgram, patient, type Suite } from "./suite.ts";

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
      "mailnews.auto_config.fetchFromISP.enabled": true,
      // Nothing else may find the servers.
      "mailnews.auto_config.fetchFromExchange.enabled": false,
      "mailnews.auto_config.guess.enabled": false,
      "mailnews.auto_config_url": "",
      "mailnews.mx_service_url": "",
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
    const seen = async (what: string, script: string, ...args: readonly unknown[]): Promise<void> => {
      await thunderbird.until(what, script, ...args);
      console.log(`ok\t${what}`);
    };
    try {
      await thunderbird.run(`openAccountHub("MAIL");`);
      await fillIn(thunderbird, "email", address);
      await seen(
        "the servers by autoconfig",
        `${page} return shown("email-config-found")?.textContent.includes(args[0])`,
        hostname,
      );
      await goOn(thunderbird);
      await fillIn(thunderbird, "password", password!);
      await thunderbird.until("an account", `${accounts} return imap !== undefined && smtp !== undefined`);
      const made = await thunderbird.run(
        `${accounts} return [imap, smtp].map((one) => [one.hostName ?? one.hostname, one.port, one.socketType, one.username].join(" "))`,
      );
      const wanted = [imaps, submissions].map((port) => `${hostname} ${port} 3 ${address}`);
      if (String(made) !== String(wanted)) throw new Error(`${made} instead of ${wanted}`);
      console.log("ok\tan account with TLS from the first octet");
      await thunderbird.until("calendars", `${page} return shown("email-sync-accounts-form") !== undefined`);
      await goOn(thunderbird);
      await seen(
        "the calendar",
        `const { cal } = ChromeUtils.importESModule("resource:///modules/calendar/calUtils.sys.mjs");
         return cal.manager.getCalendars().some((one) => one.type === "caldav" && one.uri.filePath.startsWith("/dav/calendars/" + args[0]))`,
        id,
      );
      await seen(
        "the addressbook",
        `${accounts} return MailServices.ab.directories.some((one) => one.dirType === Ci.nsIAbManager.CARDDAV_DIRECTORY_TYPE)`,
      );
      await seen(
        "the mail",
        `${accounts} const inbox = imap.rootFolder.getFolderWithFlags(Ci.nsMsgFolderFlags.Inbox);
         if (!inbox) { imap.performExpand(null); return false; }
         inbox.updateFolder(null); return [...inbox.messages].some(({ subject }) => subject === "Waiting for you")`,
      );
      return true;
    } catch (error) {
      console.log(`FAIL\t${error}`);
      await thunderbird.screenshot(path.join(work, "failed.png"));
      return false;
    }
  },
};

/** The dialog stands below shadow roots. `shown` is an element that can be seen. */
const page = `const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const shown = (name) => all(document).find((one) => (one.localName === name || one.id === name) && one.checkVisibility());`;

const accounts = `const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
  const imap = MailServices.accounts.accounts.map((one) => one.incomingServer).find((one) => one?.type === "imap");
  const smtp = MailServices.outgoingServer.servers[0]?.QueryInterface(Ci.nsISmtpServer);`;

/** Types into a field, and goes on. */
async function fillIn(thunderbird: Thunderbird, field: string, text: string): Promise<void> {
  await thunderbird.until(
    field,
    `${page} const input = shown(args[0]); if (!input) return false;
     input.value = args[1]; input.dispatchEvent(new Event("input", { bubbles: true })); return true`,
    field,
    text,
  );
  await goOn(thunderbird);
}

async function goOn(thunderbird: Thunderbird): Promise<void> {
  await thunderbird.until(
    "the button to go on",
    `${page} const button = shown("forward"); if (!button || button.disabled) return false; button.click(); return true`,
  );
}

/** A proxy (CONNECT) that leads every name and port to one port here. */
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
