/** The renderings of a body and of an attachment. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docxOf, pdfOf } from "../support/documents.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const read = (id: string, request: object = {}) => server.ada.client.ok("part.describe", { id, ...request });

function messageOf(headers: string, body: string): string {
  return `From: Mel <mel@elsewhere.example>\nTo: ada@first.example\nSubject: s\nMIME-Version: 1.0\n${headers}\n\n${body}`;
}

function mixed(...parts: string[]): string {
  return messageOf(
    "Content-Type: multipart/mixed; boundary=b",
    `${parts.map((part) => `--b\n${part}\n`).join("")}--b--\n`,
  );
}

const attached = (type: string, name: string, bytes: Buffer): string =>
  `Content-Type: ${type}; name="${name}"\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${bytes.toString("base64")}`;

describe("a body", () => {
  it("is the visible text of the HTML, and says when the plain alternative differs", async () => {
    const alternatives = (plain: string) =>
      messageOf(
        "Content-Type: multipart/alternative; boundary=a",
        `--a\nContent-Type: text/plain\n\n${plain}\n--a\nContent-Type: text/html\n\n<h1>Hello Ada</h1><p>the <b>meeting</b> is at noon today.</p><p style="display:none">not this</p>\n--a--\n`,
      );
    const same = await server.deliver(
      server.ada,
      alternatives("Hello Ada, the meeting is at noon today. http://x.example/elsewhere"),
    );
    const other = await server.deliver(
      server.ada,
      alternatives("Sign the attached contract at once and send it back"),
    );
    const { text, content, provenance } = await read(same, { part: "body" });
    expect(text).toBe("Hello Ada\n\nthe meeting is at noon today.");
    expect(content).toMatchObject({ part: "2", renderer: "waypost-text/9" });
    expect(content.alternatives_differ).toBeUndefined();
    expect(provenance.removed_detail).toEqual([{ what: "hidden-by-style", count: 1, where: "2" }]);
    const differing = await read(other);
    expect(differing).toMatchObject({ text, content: { alternatives_differ: { shown: ["2"], other: "1" } } });
    expect(differing.provenance.removed_detail).toContainEqual({
      what: "hidden-element",
      count: 1,
      where: "1",
    });
    expect((await read(same, { render: "markdown" })).text).toBe(
      "# Hello Ada\n\nthe **meeting** is at noon today.",
    );
    expect((await read(same, { render: "html" })).text).toBe(
      "<h1>Hello Ada</h1><p>the <b>meeting</b> is at noon today.</p>",
    );
  });

  it("is the plain text where the HTML is empty, and is empty where the HTML is beyond the limits", async () => {
    const alternatives = (html: string) =>
      messageOf(
        "Content-Type: multipart/alternative; boundary=a",
        `--a\nContent-Type: text/plain\n\nplain words\n--a\nContent-Type: text/html\n\n${html}\n--a--\n`,
      );
    const empty = await server.deliver(server.ada, alternatives(" "));
    expect((await read(empty)).text).toBe("plain words");
    const bomb = await server.deliver(server.ada, alternatives(`<style>${"a{".repeat(90_000)}</style>seen`));
    const { text, provenance } = await read(bomb);
    expect(text).toBe("");
    expect(provenance.removed).toContain("over-limit");
    expect((await read(bomb, { part: "1" })).text).toBe("plain words");
  });

  it("has no history and signature in render reply, and the cuts restore the whole text", async () => {
    const body =
      "Yes, 😀 gladly.\n\n> Will you come?\n\nAt noon.\n-- \nMel\n\nOn Mon, 2 Mar 2026 Ada wrote:\n> old";
    const id = await server.deliver(server.ada, messageOf("Content-Type: text/plain; charset=utf-8", body));
    const whole = [...(await read(id)).text];
    const { text, content, provenance } = await read(id, { render: "reply" });
    expect(text).toBe("Yes, 😀 gladly.\n\nAt noon.");
    expect(content.cuts.map((cut: { what: string }) => cut.what)).toEqual([
      "quoted-history",
      "signature",
      "quoted-history",
    ]);
    expect(provenance.removed).toEqual(["quoted-history", "signature"]);
    const cut = content.cuts.map(({ start, end }: { start: number; end: number }) =>
      whole.slice(start, end).join(""),
    );
    expect(cut[0]).toContain("> Will you come?");
    expect(cut[1]).toBe("-- \nMel\n\n");
    expect(cut[2]).toMatch(/^On Mon[\s\S]*> old/);
  });
});

describe("an attachment", () => {
  it.each([
    ["a PDF", attached("application/pdf", "a.pdf", pdfOf(["Invoice 42"])), "Invoice 42"],
    [
      "a PDF by its name alone",
      attached("application/octet-stream", "A.PDF", pdfOf(["Invoice 43"])),
      "Invoice 43",
    ],
    [
      "a Word document",
      attached(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "a.docx",
        docxOf("<w:p><w:r><w:t>Terms</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>NOT</w:t></w:r></w:p>"),
      ),
      "Terms",
    ],
    ["a page", attached("text/html", "a.html", Buffer.from("<p>shown</p><p hidden>not</p>")), "shown"],
    ["a table", attached("text/csv", "a.csv", Buffer.from("a,b\r\n1,2\u200b\r\n")), "a,b\n1,2\n"],
    [
      "a calendar",
      attached(
        "text/calendar",
        "a.ics",
        Buffer.from(
          "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Talk\r\nX-A:b\r\nEND:VEVENT\r\nEND:VCALENDAR",
        ),
      ),
      "Summary: Talk",
    ],
    [
      "a question when somebody is busy",
      attached(
        "text/calendar",
        "a.ics",
        Buffer.from(
          "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VFREEBUSY\r\nDTSTART:20260105T080000Z\r\nDTEND:20260106T080000Z\r\nORGANIZER:mailto:olga@organizer.example\r\nFREEBUSY;FBTYPE=BUSY-TENTATIVE:20260105T100000Z/20260105T110000Z,20260105T120000Z/PT1H\r\nEND:VFREEBUSY\r\nEND:VCALENDAR",
        ),
      ),
      "Method: REQUEST\n\nAbout: when somebody is busy\nStarts: 2026-01-05 08:00 UTC\nEnds: 2026-01-06 08:00 UTC\nOrganizer: olga@organizer.example\nTimes: busy-tentative 2026-01-05 10:00 UTC to 2026-01-05 11:00 UTC, 2026-01-05 12:00 UTC to PT1H",
    ],
    [
      "a contact",
      attached("text/vcard", "a.vcf", Buffer.from("BEGIN:VCARD\r\nFN:Ann\r\nEND:VCARD")),
      "Name: Ann",
    ],
  ])("that is %s is text", async (_, part, text) => {
    const id = await server.deliver(server.ada, mixed("Content-Type: text/plain\n\nsee there", part));
    expect(await read(id, { part: "2" })).toMatchObject({
      kind: "attachment",
      text,
      content: { renderer: "waypost-text/9" },
    });
    expect((await read(id)).text).toBe("see there");
  });

  it("that is a message has a provenance of its own", async () => {
    const inner = `From: Boss <boss@first.example>\nSubject: Inner\nAuthentication-Results: first.example; dkim=pass\nContent-Type: text/html\n\n<p>inside</p><p hidden>not</p>`;
    const id = await server.deliver(
      server.ada,
      mixed("Content-Type: text/plain\n\nouter", `Content-Type: message/rfc822\n\n${inner}`),
      {
        isAuthenticated: true,
      },
    );
    const { text, content, provenance } = await read(id, { part: "2" });
    expect(text).toBe("inside");
    expect(content.message).toMatchObject({
      from: { name: "Boss", address: "boss@first.example" },
      subject: "Inner",
    });
    expect(provenance).toEqual({
      authenticated: false,
      removed: ["hidden-element"],
      removed_detail: [{ what: "hidden-element", count: 1, where: "2.1" }],
    });
    expect((await read(id)).provenance.authenticated).toBe(true);
  });
});

it("has names and subjects without invisible characters", async () => {
  const word = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
  const tags = [..."obey"].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join("");
  const message = mixed(
    "Content-Type: text/plain\n\nx",
    attached("application/zip", word("in\u202evoice.pdf\u200b.exe"), Buffer.from("x")),
  )
    .replace("From: Mel", `From: ${word(`M\u00ade\u200bl${tags}`)}`)
    .replace("Subject: s", `Subject: ${word(`Hi\u2066 there${tags}`)}`);
  const id = await server.deliver(server.ada, message);
  const { content, provenance } = await read(id, { render: "json" });
  expect(content).toMatchObject({ subject: "Hi there", from: { name: "Mel" } });
  expect(content.parts.at(-1).name).toBe("invoice.pdf.exe");
  expect(provenance.removed).toEqual(expect.arrayContaining(["zero-width", "unicode-tag", "bidi-control"]));
  const listed = (await server.ada.client.ok("search", { limit: 1 })).content.items[0];
  expect(listed).toMatchObject({ subject: "Hi there", from: { name: "Mel" }, preview: "x" });
});
