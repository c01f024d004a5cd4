/** Reading and writing of content lines: lines that were read are written with the same octets, new lines are folded. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  listComponents,
  makeComponent,
  makeProperty,
  type Property,
  parameterValue,
  parameterValues,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { findsLetters, unfoldedOctets } from "#/src/formats/content-lines/unfold.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { contentDepthMax, contentParametersMax, contentParameterValuesMax } from "#/src/model/limits.ts";
import { corpusNote, hasCorpus, listCorpusFiles } from "../../support/corpus.ts";

function read(text: string) {
  return readContentLines(Buffer.from(text, "latin1"));
}

function readOne(line: string): Property {
  const [item] = read(`${line}\r\n`).items;
  if (item?.kind !== "property") throw new Error(`${line} is no property`);
  return item;
}

describe("a content line", () => {
  const lines: readonly [line: string, name: string, parameters: readonly unknown[], value: string][] = [
    ["SUMMARY:Hello", "SUMMARY", [], "Hello"],
    ["summary:", "SUMMARY", [], ""],
    ["DTSTART;TZID=Europe/Berlin:2026", "DTSTART", [["TZID", "Europe/Berlin"]], "2026"],
    ['A;B="x;y:z,w":v', "A", [["B", "x;y:z,w"]], "v"],
    [
      'A;B="x",y,"z";C=:v',
      "A",
      [
        ["B", "x", "y", "z"],
        ["C", ""],
      ],
      "v",
    ],
    ['A;B=a^n^^^\'^x:v:"w";x=1', "A", [["B", 'a\n^"^x']], 'v:"w";x=1'],
    ["TEL;HOME;type=VOICE:1", "TEL", [["HOME"], ["TYPE", "VOICE"]], "1"],
    ['ATTENDEE;CN=Ann "Ace" Doe:mailto:a@x', "ATTENDEE", [["CN", 'Ann "Ace" Doe']], "mailto:a@x"],
    ['ATTENDEE;CN="Ann:mailto:a@x', "ATTENDEE", [["CN", '"Ann']], "mailto:a@x"],
    ["A;;B=1:v", "A", [["B", "1"]], "v"],
    ["N:M\xc3\xbcller", "N", [], "Müller"],
    ["N:M\xfcller", "N", [], "Müller"],
    ["N;CN=M\xc3\xbc:x", "N", [["CN", "Mü"]], "x"],
    ["X_Y:v", "X_Y", [], "v"],
  ];
  test.each(lines)("%j is read", (line, name, parameters, value) => {
    const property = readOne(line);
    expect([
      property.name,
      property.parameters.map((parameter) => [parameter.name, ...parameter.values]),
      property.value,
    ]).toEqual([name, parameters, value]);
  });

  test("a group and the spelling of the name are kept", () => {
    expect(readOne("item1.X-ABLabel:Work")).toMatchObject({
      group: "item1",
      name: "X-ABLABEL",
      writtenName: "X-ABLabel",
    });
  });

  test.each(["no colon", ": value", "A B:x", "A;B=1", "", " "])("%j is kept and not read", (line) => {
    const stream = read(`${line}\r\n`);
    expect(stream.items).toEqual([{ kind: "unread", octets: `${line}\r\n` }]);
  });

  test("repeated parameters are one list", () => {
    const property = readOne("TEL;TYPE=home;TYPE=voice,pref:1");
    expect(parameterValues(property, "TYPE")).toEqual(["home", "voice", "pref"]);
    expect(parameterValue(property, "TYPE")).toBe("home");
    expect(parameterValue(property, "X")).toBeUndefined();
  });

  test("a fold inside a UTF-8 sequence is taken out", () => {
    expect(readOne("N:M\xc3\r\n \xbcller\n\tx").value).toBe("Müllerx");
  });

  test("soft line ends of quoted-printable continue a value, up to the end of the component", () => {
    const text =
      "BEGIN:VCARD\r\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\r\nb: c=\r\n d\r\nTEL;QUOTED-PRINTABLE:x=\r\nEND:VCARD\r\n";
    const [card] = listComponents(read(text));
    expect(card!.items.map((item) => (item as Property).value)).toEqual(["a=\r\nb: c=\r\n d", "x="]);
    expect(card!.end).toBe("END:VCARD\r\n");
  });

  test("an equals sign at the end of other values continues nothing", () => {
    expect(read("KEY;ENCODING=b:AA==\r\nTEL:1\r\n").items).toHaveLength(2);
  });
});

describe("a stream", () => {
  test("components are a tree", () => {
    const [calendar] = listComponents(
      read("begin:VCalendar\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR"),
    );
    expect(calendar!.name).toBe("VCALENDAR");
    const [event] = listComponents(calendar!, "VEVENT");
    expect(findProperty(event!, "UID")!.value).toBe("1");
  });

  const faulty: readonly [text: string, faults: readonly [line: number, reason: string][]][] = [
    ["BEGIN:A\r\nEND:A\r\n", []],
    ["\xef\xbb\xbfBEGIN:A\r\nEND:A\r\n", []],
    ["BEGIN:A\nEND:A\r\n", [[1, "bare LF"]]],
    [
      "BEGIN:A\r\nX:1\r\n \xe4\r\nX:\x01\r\nEND:A\r\n",
      [
        [2, "not UTF-8"],
        [4, "control character"],
      ],
    ],
    ["BEGIN:A\r\nBEGIN:B\r\nEND:A\r\n", [[2, "BEGIN without END"]]],
    ["BEGIN:A\r\nEND:B\r\nEND:A\r\n", [[2, "END without BEGIN"]]],
    [
      "BEGIN:A\r\nfoo\r\nA;:x\r\nEND:A\r\n",
      [
        [2, "no colon"],
        [3, "bad parameter"],
      ],
    ],
    ["X:1\r\n", [[1, "property outside of a component"]]],
  ];
  test.each(faulty)("the faults of %j are reported", (text, faults) => {
    const stream = read(text);
    expect(stream.faults.map(({ line, reason }) => [line, reason])).toEqual(faults);
    expect(writeContentLines(stream).toString("latin1")).toBe(text);
  });

  test("any octets are written as they were read", () => {
    const piece = fc.constantFrom(
      ...'\r\n|\n|\r| |\t|BEGIN:A|END:A|BEGIN:B|END:B|x|:|;|=|"|,|^n|N;QUOTED-PRINTABLE:|=\r\n|\xc3|\xbc|\0'.split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join("");
        expect(writeContentLines(read(text)).toString("latin1")).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  describe.skipIf(!hasCorpus)(`of the corpora${corpusNote}`, () => {
    const tooDeep: Record<string, readonly string[]> = {
      calendar: ["libical/get_char_test.ics"],
      contact: ["libical/vcardfuzz488416219.vcf"],
      attack: ["ical/component-nesting.ics", "vcard/agent-nesting.vcf"],
    };
    test.each(Object.keys(tooDeep))("every file of %s is written as it was read, or refused", (kind) => {
      const files = listCorpusFiles(kind, /\.(ics|vcf|txt)$/);
      expect(files.length).toBeGreaterThan(10);
      const refused: string[] = [];
      for (const { file, bytes } of files) {
        try {
          if (!writeContentLines(readContentLines(bytes)).equals(bytes)) throw new Error(`${file} differs`);
        } catch (error) {
          if ((error as { code?: string }).code !== "invalid") throw error;
          refused.push(file);
        }
      }
      expect(refused).toEqual(tooDeep[kind]);
    });
  });
});

describe("a changed stream", () => {
  const text = "BEGIN:A\r\nX-one:1\r\nitem1.X-Two;b=c:\r\n 2\r\n\r\nX-one:3\r\nEND:A\r\n";

  function change(source: string, edit: (component: Component) => Component): string {
    const stream = read(source);
    return writeContentLines({
      items: stream.items.map((item) => (item.kind === "component" ? edit(item) : item)),
    }).toString("utf8");
  }

  test("only the changed property is written anew", () => {
    const edited = change(text, (component) =>
      changeItems(
        component,
        component.items.map((item) =>
          item.kind === "property" && item.name === "X-TWO" ? changeProperty(item, { value: "ä" }) : item,
        ),
      ),
    );
    expect(edited).toBe("BEGIN:A\r\nX-one:1\r\nitem1.X-Two;B=c:ä\r\n\r\nX-one:3\r\nEND:A\r\n");
  });

  test("new lines end as the stream's lines do, also behind a last line without end", () => {
    const add = (component: Component) =>
      changeItems(component, [...component.items, makeProperty("N", "1")]);
    expect(change("BEGIN:A\nEND:A", add)).toBe("BEGIN:A\nN:1\nEND:A");
    expect(change("BEGIN:A\r\nX:1", add)).toBe("BEGIN:A\r\nX:1\r\nN:1\r\n");
  });

  test("a new line is folded at 75 octets and between characters, and is read back", () => {
    const character = fc.constantFrom("a", "ä", "€", "😀", "\u0301", " ", ";", "\\");
    fc.assert(
      fc.property(
        fc.string({ unit: character, maxLength: 300 }),
        fc.string({ unit: fc.constantFrom("a", '"', "^", ",", ":", ";", "\n", "é"), maxLength: 90 }),
        (value, parameter) => {
          const made = makeComponent("A", [
            makeProperty("note", value, [{ name: "P", values: [parameter] }]),
          ]);
          const written = writeContentLines({ items: [made] });
          for (const line of written.toString("latin1").split("\r\n")) {
            expect(line.length).toBeLessThanOrEqual(75);
            expect(Buffer.from(line, "latin1").toString("utf8")).not.toContain("\ufffd");
          }
          const property = findProperty(listComponents(readContentLines(written))[0]!, "NOTE")!;
          expect([property.value, parameterValue(property, "P")]).toEqual([value, parameter]);
        },
      ),
    );
  });

  test("a line end in a value or parameter cannot begin another line", () => {
    const made = makeComponent("A", [
      makeProperty("N", "a\r\nb\nc\rd\0", [{ name: "P", values: ["x\r\nEND:A"] }]),
    ]);
    expect(writeContentLines({ items: [made] }).toString()).toBe(
      'BEGIN:A\r\nN;P="x^nEND:A":a\\nb\\nc\\nd\r\nEND:A\r\n',
    );
  });
});

describe("the limits", () => {
  const refused: readonly [what: string, text: () => string, reason: string][] = [
    ["depth", () => "BEGIN:A\r\n".repeat(contentDepthMax + 1), "limit_reached"],
    ["lines", () => "\n".repeat(500_001), "limit_reached"],
    ["octets", () => "x".repeat(32 * 1024 * 1024 + 1), "too_large"],
  ];
  test.each(refused)("a stream over the limit of %s is refused", (_, text, reason) => {
    expect(() => read(text())).toThrow(expect.objectContaining({ code: "invalid", details: { reason } }));
  });

  test("a property with too many parameters or values is kept and not read", () => {
    for (const line of [
      `A${";B=1".repeat(contentParametersMax + 1)}:x`,
      `A;B=1${",2".repeat(contentParameterValuesMax)}:x`,
    ]) {
      const stream = read(line);
      expect(stream.items).toEqual([{ kind: "unread", octets: line }]);
      expect(stream.faults).toContainEqual({ line: 1, reason: "bad parameter" });
    }
  });

  test("the first twenty faults of each kind are reported, beside faults of other kinds", () => {
    expect(read("x\r\n".repeat(100)).faults).toHaveLength(20);
    const { faults } = read(`BEGIN:A\n${"B:c\n".repeat(100)}`);
    expect(faults).toHaveLength(21);
    expect(faults).toContainEqual({ line: 1, reason: "BEGIN without END" });
  });
});

test("letters are found in any case and behind folds, and nowhere else", () => {
  const findsAt = findsLetters("ATTACH");
  const pieces = ["a", "T", "t", "A", "c", "h", "\r\n ", "\n\t", "\r\n", "\n", " ", "-"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
      const text = Buffer.from(parts.join(""));
      expect(findsAt(text)).toBe(/attach/i.test(unfoldedOctets(text)));
    }),
  );
  for (const text of ["attach", "x\r\n AT\n\tT\r\n \r\n ACH;", "ATT\r\nACH", "ATTAC"])
    expect(findsAt(Buffer.from(text))).toBe(/attach/i.test(unfoldedOctets(Buffer.from(text))));
});
