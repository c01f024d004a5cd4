/** A person's calendar and addressbook in Thunderbird: an event to which an agent invites, a contact of the agent, and an invitation
 *  from outside that the person accepts in its mail. The answer must reach the organizer's server.
 *  With SCREENSHOTS=folder, pictures of the screen are written there. */

import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../../support/daemon.ts";
import { startDnsServer } from "../../support/servers/dns-server.ts";
import { startSink } from "../../support/servers/smtp-sink.ts";
import { type Preferences, startThunderbird, type Thunderbird } from "./marionette.ts";
import { missingProgram, patient, type Suite } from "./suite.ts";

const organizer = "olga@organizer.example";

export const thunderbirdCalendar: Suite = {
  name: "thunderbird-calendar",
  missing: () => missingProgram("thunderbird", "Xvfb"),
  async run(_, work) {
    await using names = await startDnsServer({
      "organizer.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    });
    await using sink = await startSink();
    await using daemon = await startInProcessDaemon({
      set: [
        ...patient,
        "server.domain=waypost.example",
        `dns.servers=${names.address}`,
        "outbound.smarthost_host=127.0.0.1",
        `outbound.smarthost_port=${sink.port}`,
        "outbound.smarthost_tls=none",
        "outbound.allow_private_addresses=true",
      ],
    });
    const shots = process.env.SCREENSHOTS ?? work;
    const person = daemon.people[0]!;
    await call(daemon, "event.create", {
      body: {
        title: "Review of the offer",
        start: "2030-01-15T10:00:00",
        timeZone: "Europe/Berlin",
        duration: "PT1H",
        participants: { p: { calendarAddress: `mailto:${person.address}`, roles: { attendee: true } } },
      },
      invite: "send",
      idempotency_key: "event",
    });
    const book = await shareContacts(daemon);
    const calendar = await defaultCalendar(daemon);
    await using thunderbird = await startThunderbird(work, preferencesOf(daemon, calendar, book));
    await logIn(thunderbird, daemon);
    await thunderbird.run(`document.getElementById("today-pane-panel").style.display = "none";`);

    const seen = async (what: string, action: () => Promise<unknown>): Promise<void> => {
      await action();
      console.log(`ok\t${what}`);
    };
    try {
      await seen("the agent's event in the person's calendar", async () => {
        await thunderbird.until(
          "event",
          `${calendarOf} calendar.refresh(); return await find("Review of the offer")`,
        );
        await thunderbird.run(
          `${waiting} ${calendarModule} document.getElementById("tabmail").openTab("calendar"); await wait(1000);
           goToDate(cal.createDateTime("20300115")); switchToView("week"); await wait(3000);`,
        );
        await thunderbird.screenshot(path.join(shots, "thunderbird-calendar.png"));
      });
      await seen("the agent's contact", async () => {
        await thunderbird.until(
          "card",
          `${bookOf} await directory.fetchAllFromServer(); return book.childCards.some((card) => card.primaryEmail === "lind@supplier.example")`,
        );
        await thunderbird.run(
          `${waiting} document.getElementById("tabmail").openTab("addressBookTab"); await wait(3000);
           const view = document.getElementById("tabmail").currentTabInfo.browser.contentWindow;
           view.cardsPane.cardsList.selectedIndex = 0; await wait(1500);`,
        );
        await thunderbird.screenshot(path.join(shots, "thunderbird-contacts.png"));
      });
      await invite(daemon, person.address);
      await seen("an invitation from outside, with its buttons", async () => {
        await thunderbird.until(
          "mail",
          `${inboxOf} await update(); return [...inbox.messages].some(isInvitation)`,
        );
        await thunderbird.until(
          "event",
          `${calendarOf} calendar.refresh(); return await find("Visit of the plant")`,
        );
        await thunderbird.run(`${waiting} ${inboxOf} const tabs = document.getElementById("tabmail");
          tabs.switchToTab(0); const pane = tabs.currentAbout3Pane; pane.displayFolder(inbox.URI); await wait(1500);
          pane.threadTree.selectedIndex = pane.gDBView.findIndexOfMsgHdr([...inbox.messages].find(isInvitation), true);`);
        await thunderbird.until("button", `${buttonOf} return button !== null && !button.hidden`);
        await wait(1500);
        await thunderbird.screenshot(path.join(shots, "thunderbird-invitation.png"));
      });
      await seen("the acceptance reaches the organizer's server", async () => {
        await thunderbird.run(`${buttonOf} button.doCommand ? button.doCommand() : button.click();`);
        const deadline = performance.now() + 60_000;
        const replies = () => sink.mails.filter(({ text }) => /METHOD:REPLY/.test(text));
        while (replies().length === 0 && performance.now() < deadline) await wait(300);
        await wait(3000);
        const [reply, ...more] = replies();
        if (reply === undefined || more.length > 0 || !reply.to.includes(organizer))
          throw new Error(`${replies().length} answers among ${sink.mails.length} mails`);
        const plain = reply.text.replaceAll(/=?\r\n[ ]?/g, "");
        if (!plain.includes("PARTSTAT=ACCEPTED") && !plain.includes("PARTSTAT=3DACCEPTED"))
          throw new Error(reply.text);
      });
      return true;
    } catch (error) {
      console.log(`FAIL\t${error}`);
      await thunderbird.screenshot(path.join(work, "failed.png"));
      return false;
    }
  },
};

const waiting = "const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));";
const calendarModule = `const { cal } = ChromeUtils.importESModule("resource:///modules/calendar/calUtils.sys.mjs");`;
const calendarOf = `${calendarModule} const calendar = cal.manager.getCalendars().find(({ name }) => name === "Waypost");
  const find = async (title) => (await calendar.getItemsAsArray(Ci.calICalendar.ITEM_FILTER_ALL_ITEMS, 0, null, null)).some((item) => item.title === title);`;
const bookOf = `const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
  const { CardDAVDirectory } = ChromeUtils.importESModule("resource:///modules/CardDAVDirectory.sys.mjs");
  const book = MailServices.ab.directories.find(({ dirName }) => dirName === "Agent"); const directory = CardDAVDirectory.forFile(book.fileName);`;
const inboxOf = `const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
  const server = MailServices.accounts.accounts.find(({ incomingServer }) => incomingServer.type === "imap").incomingServer;
  const inbox = server.rootFolder.getFolderWithFlags(Ci.nsMsgFolderFlags.Inbox); if (!inbox) server.performExpand(null);
  const isInvitation = (header) => header.mime2DecodedSubject.includes("Visit of the plant");
  const update = () => new Promise((resolve, reject) => inbox.QueryInterface(Ci.nsIMsgImapMailFolder).updateFolderWithListener(null,
    { OnStartRunningUrl() {}, OnStopRunningUrl(_, code) { Components.isSuccessCode(code) ? resolve() : reject(new Error(code)); } }));`;
const buttonOf = `const shown = document.getElementById("tabmail").currentAboutMessage;
  const button = shown?.document.getElementById("imipAcceptButton") ?? null;`;

function preferencesOf(daemon: InProcessDaemon, calendarHref: string, book: string): Preferences {
  const { imap, submission, http } = daemon;
  const person = daemon.people[0]!;
  const calendar = "calendar.registry.aaaaaaaa-0000-4000-8000-000000000001";
  const server = (name: string) => `mail.server.${name}`;
  return {
    "mail.accountmanager.accounts": "account1,account2",
    "mail.accountmanager.defaultaccount": "account1",
    "mail.accountmanager.localfoldersserver": "server2",
    "mail.account.account1.server": "server1",
    "mail.account.account1.identities": "id1",
    "mail.account.account2.server": "server2",
    "mail.account.lastKey": 2,
    [`${server("server1")}.type`]: "imap",
    [`${server("server1")}.hostname`]: imap.host,
    [`${server("server1")}.port`]: imap.port,
    [`${server("server1")}.userName`]: person.address,
    [`${server("server1")}.name`]: person.address,
    [`${server("server1")}.socketType`]: 0,
    [`${server("server1")}.authMethod`]: 3,
    [`${server("server1")}.directory-rel`]: "[ProfD]ImapMail/one",
    [`${server("server2")}.type`]: "none",
    [`${server("server2")}.hostname`]: "Local Folders",
    [`${server("server2")}.userName`]: "nobody",
    [`${server("server2")}.directory-rel`]: "[ProfD]Mail/Local Folders",
    "mail.identity.id1.fullName": "Pat",
    "mail.identity.id1.useremail": person.address,
    "mail.identity.id1.smtpServer": "smtp1",
    "mail.identity.id1.valid": true,
    "mail.smtpservers": "smtp1",
    "mail.smtp.defaultserver": "smtp1",
    "mail.smtpserver.smtp1.hostname": submission.host,
    "mail.smtpserver.smtp1.port": submission.port,
    "mail.smtpserver.smtp1.username": person.address,
    "mail.smtpserver.smtp1.authMethod": 3,
    "mail.smtpserver.smtp1.try_ssl": 0,
    [`${calendar}.type`]: "caldav",
    [`${calendar}.uri`]: `${http.url}${calendarHref}`,
    [`${calendar}.name`]: "Waypost",
    [`${calendar}.username`]: person.address,
    [`${calendar}.cache.enabled`]: true,
    [`${calendar}.imip.identity.key`]: "id1",
    [`${calendar}.calendar-main-in-composite`]: true,
    "ldap_2.servers.book.description": "Agent",
    "ldap_2.servers.book.dirType": 102,
    "ldap_2.servers.book.filename": "abook-agent.sqlite",
    "ldap_2.servers.book.uid": "aaaaaaaa-0000-4000-8000-000000000002",
    "ldap_2.servers.book.carddav.url": `${http.url}${book}`,
    "ldap_2.servers.book.carddav.username": person.address,
  };
}

/** Calls an operation and returns its result. */
async function call(
  daemon: InProcessDaemon,
  operation: string,
  input: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${daemon.http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Makes contacts of the agent, and a grant with which the person may read them. Returns their href. */
async function shareContacts(daemon: InProcessDaemon): Promise<string> {
  const [agent, person] = [daemon.agents[0]!, daemon.people[0]!];
  const contacts = [
    { name: "Nora Lind", emails: ["lind@supplier.example"], phones: ["+46 8 555 0100"] },
    { name: "Olga Petrova", emails: [organizer] },
  ];
  for (const [at, body] of contacts.entries())
    await call(daemon, "contact.create", { body, idempotency_key: `contact-${at}` });
  const { house } = daemon.daemon;
  await administer(atCommandLine, house, "grant.create", {
    holder: person.address,
    target: agent.address,
    scopes: ["contacts:read"],
    addressbooks: ["Contacts"],
  });
  const book = await defaultOf(daemon, agent.id, "addressbook");
  return `/dav/addressbooks/${person.id}/${house.store.ids.encode("addressbook", book.agent, book.number)}/`;
}

async function defaultCalendar(daemon: InProcessDaemon): Promise<string> {
  const person = daemon.people[0]!;
  const calendar = await defaultOf(daemon, person.id, "calendar");
  const id = daemon.daemon.house.store.ids.encode("calendar", calendar.agent, calendar.number);
  return `/dav/calendars/${person.id}/${id}/`;
}

async function defaultOf(
  { daemon: { house } }: InProcessDaemon,
  owner: string,
  kind: "calendar" | "addressbook",
) {
  const { agent } = house.store.ids.decode(owner)!;
  return (await house.collections.findCollectionOfRole(agent, kind, "default"))!;
}

async function logIn(
  thunderbird: Thunderbird,
  { imap, submission, http, people }: InProcessDaemon,
): Promise<void> {
  const { address, password } = people[0]!;
  const mail = [`imap://${imap.host}`, `smtp://${submission.host}`, `imap://${imap.host}:${imap.port}`];
  const logins = [
    ...[...mail, `smtp://${submission.host}:${submission.port}`].map((origin) => [origin, origin]),
    [new URL(http.url).origin, "Waypost"],
  ];
  await thunderbird.run(
    `const [logins, name, password] = args;
    for (const [origin, realm] of logins) {
      const login = Cc["@mozilla.org/login-manager/loginInfo;1"].createInstance(Ci.nsILoginInfo);
      login.init(origin, null, realm, name, password, "", "");
      await Services.logins.addLoginAsync(login);
    }
    Services.io.offline = false;`,
    logins,
    address,
    password,
  );
}

/** Sends an invitation as a server outside would. */
async function invite({ smtp }: InProcessDaemon, address: string): Promise<void> {
  const transport = createTransport({ ...smtp, secure: false, tls: { rejectUnauthorized: false } });
  const content = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Organizer//EN", "METHOD:REQUEST", "BEGIN:VEVENT"],
    ...["UID:visit@organizer.example", "DTSTAMP:20260901T100000Z", "SUMMARY:Visit of the plant"],
    ...["DTSTART:20300116T130000Z", "DTEND:20300116T150000Z", "LOCATION:Hall 3"],
    ...[`ORGANIZER;CN=Olga Petrova:mailto:${organizer}`],
    ...[`ATTENDEE;CN=Olga Petrova;PARTSTAT=ACCEPTED:mailto:${organizer}`],
    ...[`ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${address}`, "END:VEVENT", "END:VCALENDAR", ""],
  ].join("\r\n");
  await transport.sendMail({
    from: `Olga Petrova <${organizer}>`,
    to: address,
    subject: "Invitation: Visit of the plant",
    text: "Please come to the visit of the plant.\n",
    icalEvent: { method: "REQUEST", content },
  });
  transport.close();
}
