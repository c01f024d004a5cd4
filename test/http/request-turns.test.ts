import { expect, test } from "vitest";
import { RequestTurns, type TurnTaker } from "#/protocols/http/request-turns.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a network with many connections and another network get alternate turns", async () => {
  const turns = new RequestTurns();
  const order: string[] = [];
  const taker = (key: string, requests: number): TurnTaker => ({
    owner: { key },
    takeTurn() {
      order.push(key);
      return --requests > 0;
    },
  });
  for (let count = 0; count < 100; count++) turns.wait(taker("many", 10));
  const quiet = taker("quiet", 3);
  turns.wait(quiet);
  for (let count = 0; count < 3; count++) await turn();
  expect(order.indexOf("quiet")).toBe(1);
  expect(order.filter((key) => key === "quiet")).toHaveLength(3);
  expect(order).toHaveLength(48);
});

test("a closed connection gets no turn, also when its owner has changed", async () => {
  const turns = new RequestTurns();
  const asked: string[] = [];
  const gone = { owner: { key: "a" }, takeTurn: () => asked.push("gone") > 0 };
  const stays = { owner: { key: "b" }, takeTurn: () => asked.push("stays") > 1 };
  turns.wait(gone);
  turns.wait(stays);
  gone.owner = { key: "c" };
  turns.forget(gone);
  await turn();
  expect(asked).toEqual(["stays"]);
});
