/** Mail that hides text from people, and honest mail that must keep all its text, read with every rendering. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corpusNote, hasCorpus } from "../support/corpus.ts";
import { sampleOf } from "../support/samples.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

const corpus = path.resolve(import.meta.dirname, "../../../shared/corpus");

interface Case {
  readonly name: string;
  readonly bytes: Buffer;
  readonly hidden: readonly string[];
  readonly visible: readonly string[];
  /** What is seen may be in doubt: it is an attack, or the case says so. Then a line says that something is left out. */
  readonly mayDoubt: boolean;
}

/** Honest mail with a construct that is not understood, with signs that fill more than their line, or that shows text only by scrolling in a box. */
const debatable =
  /^ls11-|^n(?:97|99|104|118|119|150|194|196|197|202|204)-|^q(?:023|029|031|061|113|145|155|165|177)-/;
/** Clients differ in what is no text of the page: generated content, that of a form, an attached message. */
const notText = /^n(?:102|107|208)-|^q(?:085|087|091)-/;
/** Letters below a contrast of 1.5, or as small as a point where a browser has no least size. */
const hardlySeen = /^q(?:065|103|105)-/;
/** Parts of these are texts of their own for who asks for them, and no body. */
const hasOtherParts = /related-start|plain-last/;
const mark = /\[\d+ passages? left out: /;

const cases: readonly Case[] = hasCorpus
  ? ["injection", "injection-2", "injection-3"].flatMap((set) =>
      ["hidden-text", "legit"].flatMap((kind) =>
        readdirSync(path.join(corpus, set, kind))
          .filter((name) => name.endsWith(".eml"))
          .map((name) => {
            const file = path.join(corpus, set, kind, name);
            const sidecar = JSON.parse(readFileSync(file.replace(/eml$/, "json"), "utf8"));
            return {
              name,
              bytes: readFileSync(file),
              hidden: sidecar.debatable === true && set === "injection-3" ? [] : (sidecar.hidden ?? []),
              visible: [...(sidecar.visible ?? []), ...(sidecar.must_keep ?? [])],
              mayDoubt: debatable.test(name) || (set !== "injection" && kind === "hidden-text"),
            };
          }),
      ),
    )
  : [];

function fold(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Text of HTML that holds no comments, scripts or style. */
function bareText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

describe.skipIf(!hasCorpus)(`hidden text${corpusNote}`, () => {
  let server: JsonServer;
  beforeAll(async () => {
    server = await openJsonServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(sampleOf(cases, 60))(
    "is left out, and no other text is lost: $name",
    async ({ name, bytes, hidden, visible, mayDoubt }) => {
      const id = await server.deliver(server.ada, bytes);
      const { client } = server.ada;
      const said: string[] = [];
      for (const render of ["text", "reply", "markdown", "html"]) {
        const { text, content, provenance } = await client.ok("part.describe", { id, render });
        const shown = fold(render === "html" ? bareText(text) : text);
        said.push(text, shown, JSON.stringify([content, provenance]));
        for (const one of visible)
          if (!(mayDoubt && mark.test(shown)) && !notText.test(name) && !hardlySeen.test(name))
            expect([render, shown]).toEqual([render, expect.stringContaining(fold(one))]);
      }
      const { content } = await client.ok("part.describe", { id, render: "json" });
      for (const { part } of content.parts) {
        const described = await client.ok("part.describe", { id, part });
        // A text alternative that says something else is a part of its own, for who asks for it.
        if (!hasOtherParts.test(name) && described.content.type !== "text/plain")
          said.push(JSON.stringify(described));
      }
      const listing = await client.ok("search", { limit: 1 });
      said.push(JSON.stringify(listing));
      for (const one of hidden) for (const text of said) expect(fold(text)).not.toContain(fold(one));
    },
  );

  // The other alternative is text for the one who searches, too.
  const searched = cases.filter(({ name }) => !name.includes("plain-differs"));
  it.each(
    sampleOf(
      searched.filter(({ hidden }) => hidden.some((one) => /^[a-z ]{8,}$/i.test(one))),
      30,
    ),
  )("finds nothing when it is searched for: $name", async ({ bytes, hidden }) => {
    await server.deliver(server.ada, bytes);
    for (const one of hidden.filter((text) => /^[a-z ]{8,}$/i.test(text)))
      expect((await server.ada.client.ok("search", { q: `"${one}"` })).content.items).toEqual([]);
  });

  it.each(hasCorpus ? ["remote-content", "script-vectors"] : [])(
    "HTML for display has no script and no remote content: %s",
    async (name) => {
      const file = path.resolve(corpus, `attack/html/${name}.eml`);
      const { expect: expected } = JSON.parse(readFileSync(`${file}.expect.json`, "utf8"));
      const id = await server.deliver(server.ada, readFileSync(file));
      for (const render of ["text", "reply", "markdown", "html"]) {
        const { text } = await server.ada.client.ok("part.describe", { id, render });
        for (const kept of expected.must_keep) expect(text).toContain(kept);
        for (const one of expected.must_not) expect(text.toLowerCase()).not.toContain(one);
      }
    },
  );
});
