import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SearchContexts } from "#/protocols/imap/search/contexts.ts";
import {
  formatAdded,
  formatRemoved,
  insertSorted,
  withPlaced,
} from "#/protocols/imap/search/result-positions.ts";
import { startImap } from "../server.ts";

/** What a client does with ADDTO (RFC 5267 section 4.3.3). */
function insertAt(list: readonly number[], text: string): number[] {
  const result = [...list];
  for (const [position, numbers] of pairs(text)) result.splice(position - 1, 0, ...numbers);
  return result;
}

/** And with REMOVEFROM (section 4.3.4). */
function removeAt(list: readonly number[], text: string): number[] {
  const result = [...list];
  for (const [position, numbers] of pairs(text))
    expect(result.splice(position - 1, numbers.length)).toEqual(numbers);
  return result;
}

function pairs(text: string): [number, number[]][] {
  if (text === "") return [];
  const words = text.split(" ");
  return Array.from({ length: words.length / 2 }, (_, at) => {
    const [first, last] = words[2 * at + 1]!.split(":").map(Number);
    const count = (last ?? first!) - first! + 1;
    return [Number(words[2 * at]), Array.from({ length: count }, (_unused, index) => first! + index)];
  });
}

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });

describe("positions in a sorted result", () => {
  test("a client that follows ADDTO has the messages in their order", () => {
    fc.assert(
      fc.property(numbers, fc.func(fc.boolean()), fc.func(fc.boolean()), (sorted, isNew, isGone) => {
        const added = new Set(sorted.filter((uid) => isNew(uid)));
        const order = sorted.filter((uid) => !added.has(uid));
        // What is gone is in the client's list still, and sorted no more.
        const present = sorted.filter((uid) => added.has(uid) || !isGone(uid));
        const placed = insertSorted(order, present, added);
        const result = withPlaced(order, placed);
        const told = formatAdded(placed.map(({ uid, position }) => ({ position, number: uid })));
        expect(insertAt(order, told)).toEqual(result);
        expect(result.filter((uid) => present.includes(uid))).toEqual(present);
        expect(result.filter((uid) => !added.has(uid))).toEqual(order);
      }),
    );
  });

  test("a client that follows REMOVEFROM has what is left", () => {
    fc.assert(
      fc.property(numbers, fc.func(fc.boolean()), (order, isGone) => {
        const removed = order.flatMap((number, at) => (isGone(number) ? [{ position: at + 1, number }] : []));
        expect(removeAt(order, formatRemoved(removed))).toEqual(order.filter((number) => !isGone(number)));
      }),
    );
  });

  test("neighbours stand in one set", () => {
    const added = [2731, 2732, 2733].map((number, at) => ({ position: at + 1, number }));
    expect(formatAdded(added)).toBe("1 2731:2733");
  });
});

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
`;

test("CONTEXT=SORT keeps a sorted result up to date, with positions", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 APPEND INBOX {14+}
    C: Subject: b\\r\\n\\r\\n {14+}
    C: Subject: d\\r\\n\\r\\n
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}
    C: a3 CAPABILITY
    S: * CAPABILITY {{*}} CONTEXT=SORT {{*}}
    S: a3 OK {{*}}
    C: s1 UID SORT RETURN (UPDATE CONTEXT ALL) (REVERSE SUBJECT) UTF-8 UNDELETED
    S: * ESEARCH (TAG "s1") UID ALL 2,1
    S: s1 OK {{*}}
    C: s1 SORT RETURN (UPDATE) (SUBJECT) UTF-8 ALL
    S: s1 BAD {{*}}
    C: s2 SORT RETURN (UPDATE PARTIAL 1:1) (SUBJECT) UTF-8 ALL
    S: * ESEARCH (TAG "s2") PARTIAL (1:1 1)
    S: s2 OK {{*}}
    C: a4 APPEND INBOX {14+}
    C: Subject: c\\r\\n\\r\\n {14+}
    C: Subject: e\\r\\n\\r\\n
    S: * 4 EXISTS
    S: * 4 RECENT
    S: * ESEARCH (TAG "s1") UID ADDTO (1 4 3 3)
    S: * ESEARCH (TAG "s2") ADDTO (2 3 4 4)
    S: a4 OK {{*}}
    C: a5 UID STORE 2:3 +FLAGS.SILENT (\\Deleted)
    S*: a5 OK {{*}}
    C: a6 NOOP
    S*: a6 OK {{*}}
    C: a7 UID EXPUNGE 3
    S*: * ESEARCH (TAG "s2") REMOVEFROM (2 3)
    S: * 3 EXPUNGE
    S*: a7 OK {{*}}
    C: a8 UID STORE 2 -FLAGS.SILENT (\\Deleted)
    S*: a8 OK {{*}}
    C: a9 NOOP
    S*: a9 OK {{*}}
    C: b1 CANCELUPDATE "s1" "s2"
    S: b1 OK {{*}}
  `);
});

test("a sorted result of more than 10,000 messages is not kept up to date, one of SEARCH is", () => {
  const uids = Array.from({ length: 10_001 }, (_, at) => at + 1);
  const context = { form: "uid", key: { kind: "all" }, items: [] } as const;
  const criteria = [{ field: "subject", isReverse: false }] as const;
  const contexts = new SearchContexts();
  expect(contexts.add("a", { ...context, uids, criteria })).toBe(false);
  expect(contexts.add("b", { ...context, uids: uids.slice(1), criteria })).toBe(true);
  expect(contexts.add("c", { ...context, uids })).toBe(true);
});

test("an order by relevancy is not kept up to date", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 SELECT INBOX
    S*: a1 OK {{*}}
    C: s1 SORT RETURN (UPDATE COUNT) (RELEVANCY) UTF-8 FUZZY TEXT x
    S: * ESEARCH (TAG "s1") COUNT 0
    S: * NO [NOUPDATE "s1"] {{*}}
    S: s1 OK {{*}}
  `);
});
