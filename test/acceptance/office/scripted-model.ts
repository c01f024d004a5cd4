/** A model that is a script. It knows of the interface what descriptions and answers tell: where a field is described it is used, where an
 *  answer has what is asked, nothing more is read. Else it goes the long way. */
import type { Answer, Desk } from "./doors.ts";
import { dayOf, type Office } from "./lay-office.ts";
import type { Said } from "./tasks.ts";

const shownMax = 200_000;

export async function playDay(
  desk: Desk,
  office: Pick<Office, "monday" | "manager" | "colleagues">,
): Promise<Said> {
  const said: Said = {};
  const { call, tells } = desk;
  const { monday, manager, colleagues } = office;
  const inbox = await listAll({ folder: "inbox", limit: 100 });
  const bySubject = (subject: string): Answer => inbox.find((one) => one.subject.includes(subject));
  const texts = new Map<string, Answer>();

  // 1: the price list, then the answer.
  const prices = await find("500 catalogues", bySubject("Price list").id);
  const price = /500 catalogues: ([\d,]+)/.exec(prices)![1]!;
  const question = bySubject("500 catalogues?");
  const answered = await call("send", {
    body: { in_reply_to: question.id, text: `Dear Ottilie, one of 500 catalogues costs ${price} EUR.` },
    idempotency_key: "price",
  });

  // 2 and 16: what the mail says stands in its preview, if that is long enough.
  const invoice = bySubject("Invoice 2207");
  const mailText: string = /EUR.*days/s.test(invoice.preview)
    ? invoice.preview
    : (await read(invoice.id)).text;
  const inMail = /over ([\d.,]+) EUR/.exec(mailText)![1]!;
  const file = await fileOf(invoice);
  const { text: fileText } = await call("part.describe", { id: `${invoice.id}#${file.part}` });
  const inFile = /Total\W+([\d.,]+)/.exec(fileText)![1]!;
  said.amounts = [inMail, inFile];
  await call("draft.create", {
    body: { in_reply_to: invoice.id, text: `Your mail says ${inMail} EUR, your file ${inFile} EUR.` },
  });

  // 3
  const slot = await freeHour();
  await call("event.create", {
    body: {
      title: "Paper for spring",
      start: slot,
      timeZone: "Etc/UTC",
      duration: "PT1H",
      participants: colleagues,
    },
    invite: "send",
  });

  // 4 and 5
  const month = await readMonth();
  const fair = bySubject("Hall walk");
  const audit = bySubject("Audit of the stock");
  await answer(fair, "Hall walk", { "participants/me/participationStatus": "accepted" });
  const reason = "The machine is serviced on that morning.";
  const declined = { "participants/me/participationStatus": "declined" };
  if (tells("event.update", "patch", "participationComment"))
    await answer(audit, "Audit", { ...declined, "participants/me/participationComment": reason });
  else {
    await answer(audit, "Audit", declined);
    await call("send", { body: { in_reply_to: audit.id, text: reason } });
  }

  // 6
  await call("folder.create", { path: "Reading" });
  const issues = inbox.filter(({ subject }) => subject.startsWith("Ink Weekly"));
  await call("message.update", { ids: issues.map(({ id }) => id), folder: "Reading" });

  // 7
  for (const [name, subject] of [
    ["Beate Falz", "We bind"],
    ["Corin Heft", "My direct"],
  ] as const) {
    const item = bySubject(subject);
    const known = /Tel\. [+\d ]+\d/.test(item.preview) ? item.preview : (await read(item.id)).text;
    const phone = /Tel\. ([+\d ]+\d)/.exec(known)![1]!;
    await call("contact.create", { body: { name, emails: [item.from.address], phones: [phone] } });
  }

  // 8
  const certificate = bySubject("trade certificate");
  const { part } = await fileOf(certificate);
  await call("send", {
    body: {
      to: [manager],
      subject: "Trade certificate",
      text: "The certificate.",
      attachments: [{ part: `${certificate.id}#${part}` }],
    },
  });

  // 9
  await call("send", {
    body: { to: [manager], subject: "Week ahead", text: "Good morning." },
    send_at: `${dayOf(monday, 0)}T07:00:00Z`,
  });

  // 10: the preview has the question.
  const letter = inbox.find(({ from }) => from.address === "seto@setoshuppan.example")!;
  await call("draft.create", { body: { in_reply_to: letter.id, text: "10日でお届けいたします。" } });

  // 11
  const contract = await find("contractual penalty", bySubject("Contract Nordlicht").id);
  said.penalty = /contractual penalty of ([^,]*)/.exec(contract)?.[1];

  // 12
  const thursday = month.filter(({ start }) => start?.startsWith(dayOf(monday, 3)));
  said.overlap = thursday.filter((one) => overlaps(one, thursday)).map(({ title }) => title);
  const bindery = thursday.find(({ title }) => title.includes("bindery"))!;
  await call("event.update", {
    id: bindery.id,
    version: bindery.version,
    patch: { start: `${dayOf(monday, 3)}T14:00:00` },
  });

  // 13
  if (answered.state === "held") {
    const [waiting] = (await call("search", { folder: "holds" })).content.items.filter(
      ({ id }: Answer) => id === answered.ref,
    );
    said.waits = waiting.hold_reason ?? (await call("part.describe", { id: waiting.hold_id })).content.reason;
  } else said.waits = answered.state;

  // 14
  const inHerName = inbox.filter(({ from }) => from.name === "Ottilie Brand");
  said.impostors = await impostorsOf(inHerName);
  if (said.impostors.length > 0)
    await call("message.update", { ids: said.impostors, add_labels: ["impostor"] });

  // 15
  await call("contact.create", {
    in: await sharedAddressbook(),
    body: { name: "Bindery", emails: ["office@binders.example"] },
  });
  return said;

  async function listAll(input: object): Promise<Answer[]> {
    const items: Answer[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await call("search", { ...input, ...(cursor === undefined ? {} : { cursor }) });
      items.push(...page.content.items);
      cursor = page.cursor;
      if (cursor === undefined) return items;
    }
  }

  async function read(id: string): Promise<Answer> {
    const known = texts.get(id) ?? (await call("part.describe", { id, max_chars: shownMax }));
    texts.set(id, known);
    return known;
  }

  /** The text around the words, from the excerpt of a search if there are such. */
  async function find(words: string, id: string): Promise<string> {
    if (tells("part.describe", "around"))
      return (await call("part.describe", { id, around: words, max_chars: 400 })).text;
    return (await read(id)).text;
  }

  async function fileOf(item: Answer): Promise<Answer> {
    const files =
      item.attachments ??
      (await read(item.id)).content.parts.filter(({ name }: Answer) => name !== undefined);
    return files[0];
  }

  async function readMonth(): Promise<Answer[]> {
    const months = new Set([dayOf(monday, 0), dayOf(monday, 4)].map((day) => day.slice(0, 7)));
    const found: Answer[] = [];
    for (const one of months) found.push(...(await call("calendarMonth.list", { month: one })).content.items);
    return found;
  }

  /** Answers the event that the mail brought, which the mail names or the month has. */
  async function answer(mail: Answer, title: string, patch: object): Promise<void> {
    const event = month.find((one) => one.id === mail.event || one.title.includes(title))!;
    await call("event.update", { id: event.id, version: event.version, patch });
  }

  /** The start of the first common hour, in UTC without a zone. */
  async function freeHour(): Promise<string> {
    const [since, before] = [`${dayOf(monday, 1)}T00:00:00Z`, `${dayOf(monday, 4)}T00:00:00Z`];
    if (tells("search", "kind", "freetime")) {
      const { content } = await call("search", {
        kind: "freetime",
        with: colleagues,
        since,
        before,
        duration: "PT1H",
        hours: "09:00-17:00",
        zone: "Europe/Berlin",
        limit: 1,
      });
      return content.items[0].start.replace("Z", "");
    }
    const { agent } = await call("health");
    const { reach } = (await call("part.describe", { id: agent })).content;
    const mailboxes = reach.map(({ mailbox }: Answer) => mailbox);
    const busy: { start: string; end: string }[] = [];
    for (const one of mailboxes)
      busy.push(...(await call("search", { in: one, kind: "freebusy", since, before })).content.items);
    for (let at = Date.parse(since); ; at += 900_000) {
      const [start, end] = [at, at + 3_600_000].map((ms) => new Date(ms).toISOString().replace(".000", ""));
      const berlin = (text: string): string =>
        new Date(text).toLocaleTimeString("de", {
          timeZone: "Europe/Berlin",
          hour: "2-digit",
          minute: "2-digit",
        });
      const isInHours = berlin(start!) >= "09:00" && berlin(end!) <= "17:00" && berlin(end!) > berlin(start!);
      const isFree = busy.every((one) => one.end <= start! || one.start >= end!);
      if (isInHours && isFree) return start!.replace("Z", "");
    }
  }

  /** Those whom an answer says to resemble somebody, else those whose address no card has. */
  async function impostorsOf(items: readonly Answer[]): Promise<string[]> {
    if (items.some((one) => one.author_facts !== undefined))
      return items.filter((one) => one.author_facts?.resembles !== undefined).map(({ id }) => id);
    const { agent } = await call("health");
    const { addressbooks } = (await call("part.describe", { id: agent })).content;
    const { content } = await call("search", { in: addressbooks[0].id, q: "Ottilie Brand" });
    const known = content.items.flatMap(({ emails }: Answer) => emails);
    return items.filter(({ from }) => !known.includes(from.address)).map(({ id }) => id);
  }

  async function sharedAddressbook(): Promise<string> {
    const { agent } = await call("health");
    const own = (await call("part.describe", { id: agent })).content;
    const named = own.addressbooks.find(({ owner }: Answer) => owner?.address === colleagues[1]);
    if (named !== undefined) return named.id;
    const { mailbox } = own.reach.find(({ address }: Answer) => address === colleagues[1]);
    return (await call("part.describe", { id: mailbox })).content.addressbooks[0].id;
  }
}

function overlaps(one: Answer, others: readonly Answer[]): boolean {
  if (one.overlaps !== undefined) return one.overlaps.length > 0;
  return others.some(
    (other) => other !== one && other.utc_start < one.utc_end && one.utc_start < other.utc_end,
  );
}
