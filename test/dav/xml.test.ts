import fc from "fast-check";
import { expect, test } from "vitest";
import { DavError } from "#/protocols/dav/dav-error.ts";
import type { XmlElement } from "#/protocols/dav/xml/element.ts";
import { dav } from "#/protocols/dav/xml/names.ts";
import { readXml, readXmlPieces } from "#/protocols/dav/xml/read-xml.ts";
import {
  element,
  elementWith,
  escapeText,
  textElement,
  writeElement,
  xmlDocument,
} from "#/protocols/dav/xml/write-xml.ts";
import {
  davXmlAttributesMax,
  davXmlDepthMax,
  davXmlElementsMax,
  davXmlNameCharactersMax,
} from "#/src/model/limits.ts";

const propfind = '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>';

function refusal(body: string | Uint8Array, charset?: string): DavError {
  try {
    readXml(typeof body === "string" ? Buffer.from(body) : body, charset);
  } catch (error) {
    if (error instanceof DavError) return error;
    throw error;
  }
  throw new Error("it was read");
}

function utf16(text: string, isBig: boolean, hasMark: boolean): Buffer {
  const bytes = Buffer.from(`${hasMark ? "\ufeff" : ""}${text}`, "utf16le");
  return isBig ? bytes.swap16() : bytes;
}

test("elements have their namespaces, whatever the prefixes", () => {
  const root = readXml(
    Buffer.from(
      '<?xml version="1.0" encoding="UTF-8"?>\n<!-- by hand --><a:propfind xmlns:a="DAV:" xmlns="urn:x"><a:prop>one<b a:c="&#65;&lt;" d=\'2\'/><![CDATA[<two>]]></a:prop></a:propfind>',
    ),
  );
  expect(root).toMatchObject({ namespace: "DAV:", name: "propfind", attributes: [] });
  const [prop] = root.children;
  expect(prop).toMatchObject({ namespace: "DAV:", name: "prop", text: "one<two>" });
  expect(prop!.children[0]).toEqual({
    namespace: "urn:x",
    name: "b",
    attributes: [
      { namespace: "DAV:", name: "c", value: "A<" },
      { namespace: "", name: "d", value: "2" },
    ],
    content: [],
    children: [],
    text: "",
  });
});

test.each<[string, Uint8Array, string?]>([
  ["UTF-8", Buffer.from(propfind)],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${propfind}`)],
  ["UTF-8 as declared", Buffer.from(`<?xml version="1.0" encoding="utf-8"?>${propfind}`)],
  ["UTF-16, little end first", utf16(`<?xml version="1.0" encoding="UTF-16"?>${propfind}`, false, true)],
  ["UTF-16, big end first", utf16(`<?xml version="1.0" encoding="UTF-16"?>${propfind}`, true, true)],
  ["UTF-16 without a mark", utf16(`<?xml version="1.0" encoding="UTF-16LE"?>${propfind}`, false, false)],
  ["UTF-8 as the request says", Buffer.from(propfind), "UTF-8"],
])("%s is read", (_, body, charset) => {
  expect(readXml(body, charset).children[0]!.children[0]!.name).toBe("getetag");
});

const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join(
  "",
);

test.each<[string, string | Uint8Array]>([
  ["nothing", ""],
  ["text", "BEGIN:VCALENDAR"],
  ["two roots", "<a/><b/>"],
  ["an element that stays open", "<a><b></a>"],
  ["a prefix that means nothing", "<D:propfind/>"],
  ["an attribute twice", '<a b="1" b="2"/>'],
  ["an attribute twice by its namespace", '<a xmlns:c="u" xmlns:d="u" c:b="1" d:b="2"/>'],
  ["a NUL", "<a>\u0000</a>"],
  ["a reference to a character that XML does not have", "<a>&#1;</a>"],
  ["XML 1.1 with such a reference", '<?xml version="1.1"?><a>&#1;</a>'],
  ["an entity of HTML", "<a>&nbsp;</a>"],
  ["a document type", '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
  ["a document type behind a comment", "<?xml version='1.0'?>\n<!-- -->\n<!DOCTYPE a><a/>"],
  ["an entity of its own", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ["a billion laughs", `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l9;</a>`],
  ["a processing instruction", '<?xml-stylesheet href="a.xsl"?><a/>'],
  ["octets that are not UTF-8", Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e])],
  ["a surrogate alone in UTF-16", utf16("<a>\ud800</a>", false, true)],
  ["elements that are too deep", `${"<a>".repeat(davXmlDepthMax + 1)}${"</a>".repeat(davXmlDepthMax + 1)}`],
  ["too many elements", `<a>${"<b/>".repeat(davXmlElementsMax)}</a>`],
  [
    "too many attributes",
    `<a ${Array.from({ length: davXmlAttributesMax + 1 }, (_, at) => `b${at}=""`).join(" ")}/>`,
  ],
  ["100,000 attributes", `<a ${Array.from({ length: 100_000 }, (_, at) => `b${at}=""`).join(" ")}/>`],
  ["2 MiB of a name", `<${"a".repeat(2 * 1024 * 1024)}/>`],
  ["a long name of a namespace", `<a xmlns="urn:${"a".repeat(davXmlNameCharactersMax)}"/>`],
  [
    "a long name of an attribute's namespace",
    `<a xmlns:b="urn:${"a".repeat(davXmlNameCharactersMax)}" b:c=""/>`,
  ],
  ["a long name of a language", `<a xml:lang="${"a".repeat(davXmlNameCharactersMax + 1)}"/>`],
  ["2 MiB of a document type", `<!DOCTYPE a [${"<!ELEMENT a ANY>".repeat(130_000)}]><a/>`],
])("%s is answered 400", (_, body) => {
  expect(refusal(body).status).toBe(400);
});

test.each<[string, Uint8Array, string?]>([
  ["UTF-16 declared in UTF-8", Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${propfind}`)],
  ["an encoding that is not read", Buffer.from(`<?xml version="1.0" encoding="UTF-7"?>${propfind}`)],
  ["a charset that is not read", Buffer.from(propfind), "iso-8859-1"],
])("%s is answered 415", (_, body, charset) => {
  expect(refusal(body, charset).status).toBe(415);
});

test("names of JavaScript's own properties are read as any other name", () => {
  const root = readXml(Buffer.from('<constructor __proto__="a" toString="b"/>'));
  expect(root.name).toBe("constructor");
  expect(root.attributes.map(({ name, value }) => [name, value])).toEqual([
    ["__proto__", "a"],
    ["toString", "b"],
  ]);
});

test("as many elements as the limit are read", () => {
  const root = readXml(Buffer.from(`<a>${"<b/>".repeat(davXmlElementsMax - 1)}</a>`));
  expect(root.children).toHaveLength(davXmlElementsMax - 1);
  const deep = `${"<a>".repeat(davXmlDepthMax)}${"</a>".repeat(davXmlDepthMax)}`;
  expect(readXml(Buffer.from(deep)).children).toHaveLength(1);
});

test("known namespaces have their prefixes, others declare themselves", () => {
  const written = xmlDocument(
    dav("multistatus"),
    textElement(dav("href"), "/a&b"),
    elementWith({ namespace: 'urn:"x', name: "y" }, { z: "<\n" }),
    element({ namespace: "", name: "plain" }),
  );
  expect(written).toContain("<D:href>/a&amp;b</D:href>");
  expect(readXml(Buffer.from(written)).children).toMatchObject([
    { namespace: "DAV:", name: "href", text: "/a&b" },
    { namespace: 'urn:"x', name: "y", attributes: [{ name: "z", value: "<\n" }] },
    { namespace: "", name: "plain" },
  ]);
});

test("what XML cannot hold is U+FFFD", () => {
  expect(escapeText("a\u0000b\u001fc\ud800d\uffffe\tf")).toBe("a\ufffdb\ufffdc\ufffdd\ufffde\tf");
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

test("any text is the same after it is written and read, also its line ends", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const read = readXml(Buffer.from(xmlDocument(dav("a"), textElement(dav("b"), text))));
      const held = text.toWellFormed().replace(notInXml, "\ufffd");
      expect(read.children[0]!.text).toBe(held);
    }),
  );
});

test("any tree is the same after it is written and read, without declared namespaces", () => {
  const name = fc.record({
    namespace: fc.constantFrom("", "DAV:", "urn:x", "urn:y&<"),
    name: fc.constantFrom("a", "b", "c"),
  });
  const attributes = fc.uniqueArray(fc.tuple(name, fc.string()), {
    selector: ([{ namespace, name: local }]) => `${namespace} ${local}`,
    maxLength: 3,
  });
  const { tree } = fc.letrec<{ tree: XmlElement }>((tie) => ({
    tree: fc
      .tuple(
        name,
        attributes,
        fc.array(fc.oneof({ maxDepth: 4 }, fc.string({ minLength: 1 }), tie("tree")), { maxLength: 4 }),
      )
      .map(([own, listed, content]) =>
        treeOf(
          own,
          listed.map(([one, value]) => ({ ...one, value })),
          content as (string | XmlElement)[],
        ),
      ),
  }));
  fc.assert(
    fc.property(tree, (one) => {
      expect(readXml(Buffer.from(writeElement(one)))).toEqual(one);
    }),
  );
});

function treeOf(
  { namespace, name }: { namespace: string; name: string },
  attributes: XmlElement["attributes"],
  content: readonly (string | XmlElement)[],
): XmlElement {
  const joined: (string | XmlElement)[] = [];
  for (const one of content) {
    const last = joined.at(-1);
    if (typeof one === "string" && typeof last === "string") joined[joined.length - 1] = last + one;
    else joined.push(one);
  }
  return {
    namespace,
    name,
    attributes,
    content: joined,
    children: joined.filter((one) => typeof one !== "string"),
    text: joined.filter((one) => typeof one === "string").join(""),
  };
}

test("is read in pieces with the same result, wherever they are cut", () => {
  const text =
    '<?xml version="1.0"?>\r\n<!-- <a> --><a xmlns="DAV:" b="&lt;1\u{1f600}"><![CDATA[]]]]><![CDATA[>]]>\u{1f600}é &#x1f600;\r\n<c/></a>\n';
  const body = Buffer.from(text);
  const whole = readXml(body);
  for (let characters = 1; characters < text.length; characters++)
    expect(finish(readXmlPieces(body, undefined, characters)).root).toEqual(whole);
  const hrefs = Array.from({ length: 10_000 }, (_, at) => `<href>/dav/calendars/one/e${at}.ics</href>`);
  const { root, turns } = finish(readXmlPieces(Buffer.from(`<a>${hrefs.join("")}</a>`)));
  expect(root.children).toHaveLength(10_000);
  expect(turns).toBeGreaterThan(10);
  expect(() => finish(readXmlPieces(Buffer.from(`<a>${hrefs.join("")}</b>`)))).toThrow("not well-formed");
});

function finish(reading: ReturnType<typeof readXmlPieces>) {
  for (let turns = 0; ; turns++) {
    const { done, value } = reading.next();
    if (done === true) return { root: value, turns };
  }
}
