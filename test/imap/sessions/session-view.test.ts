import { describe, expect, test } from "vitest";
import { SessionView } from "#/protocols/imap/session/session-view.ts";
import { parseNumberSet } from "#/src/model/number-set.ts";

type Step =
  | readonly ["arrive", ...number[]]
  | readonly ["remove", string]
  | readonly ["takeExpunged", ...number[]]
  | readonly ["takeArrived", boolean]
  | readonly ["uids", ...number[]];

describe("what a client knows", () => {
  test.each<[title: string, start: number[], steps: Step[]]>([
    [
      "counts expunged messages after those before them",
      [1, 2, 3, 4, 5],
      [
        ["remove", "3:5"],
        ["takeExpunged", 3, 3, 3],
        ["uids", 1, 2],
      ],
    ],
    [
      "numbers scattered expunges as the client applies them",
      [10, 20, 30, 40],
      [
        ["remove", "10,30"],
        ["takeExpunged", 1, 2],
        ["uids", 20, 40],
      ],
    ],
    [
      "numbers expunges of many ranges alike",
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21],
      [
        ["remove", "1,3,5,7:8,10,12,14,16,18,20:30"],
        ["takeExpunged", 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 10],
        ["uids", 2, 4, 6, 9, 11, 13, 15, 17, 19],
        ["takeExpunged"],
      ],
    ],
    [
      "keeps the number of a removed message until it is told",
      [1, 2],
      [
        ["remove", "1"],
        ["uids", 1, 2],
        ["takeExpunged", 1],
        ["uids", 2],
      ],
    ],
    [
      "gives new messages a number only when they are told",
      [1],
      [
        ["arrive", 2, 3],
        ["uids", 1],
        ["takeArrived", true],
        ["uids", 1, 2, 3],
      ],
    ],
    [
      "leaves no trace of a message that came and went untold",
      [1],
      [["arrive", 2], ["remove", "2"], ["takeExpunged"], ["takeArrived", false]],
    ],
    [
      "takes an arrival that is read twice once",
      [1],
      [
        ["arrive", 2],
        ["arrive", 2],
        ["arrive", 1],
        ["takeArrived", true],
        ["uids", 1, 2],
      ],
    ],
    [
      "passes over a removal that is read twice",
      [1, 2],
      [["remove", "2"], ["takeExpunged", 2], ["remove", "2"], ["takeExpunged"]],
    ],
    [
      "removes ranges that reach beyond what it knows",
      [5, 9],
      [["remove", "1:4294967295"], ["takeExpunged", 1, 1], ["uids"]],
    ],
  ])("%s", (_title, start, steps) => {
    const view = new SessionView(start);
    for (const [verb, ...values] of steps) {
      if (verb === "arrive") view.arrive(values as number[]);
      else if (verb === "remove") view.remove(parseNumberSet(values[0] as string));
      else if (verb === "takeExpunged") expect(view.takeExpunged()).toEqual(values);
      else if (verb === "takeArrived") expect(view.takeArrived()).toBe(values[0]);
      else expect(view.allUids).toEqual(values);
    }
  });

  test("maps sequence numbers and UIDs both ways", () => {
    const view = new SessionView([3, 5, 9]);
    expect([view.seqOf(5), view.seqOf(4), view.uidOf(3), view.uidOf(4)]).toEqual([
      2,
      undefined,
      9,
      undefined,
    ]);
    expect(view.uidsOfSeqs([[1, 2]])).toEqual([
      [3, 3],
      [5, 5],
    ]);
    expect(view.knownUids([[4, 4294967295]])).toEqual([5, 9]);
  });

  test("lists which of its messages are expunged", () => {
    const view = new SessionView([1, 2]);
    view.remove([[2, 2]]);
    expect([view.isExpunged(1), view.isExpunged(2), view.count]).toEqual([false, true, 2]);
  });
});
