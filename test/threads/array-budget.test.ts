/** The limit on the arrays of a thread. It is tested in a thread, because it changes what an array is there. */
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";

/** What a thread with a budget of 1,000 octets says of code that runs in it. */
async function inThread(code: string): Promise<unknown> {
  const budget = new URL("../../src/threads/array-budget.ts", import.meta.url).href;
  const worker = new Worker(
    `import { parentPort } from "node:worker_threads";
    import { limitArrays } from ${JSON.stringify(budget)};
    const budget = limitArrays(1000);
    let said;
    try { said = (() => { ${code} })(); } catch (error) { said = error.constructor.name; }
    parentPort.postMessage({ said, spent: budget.spent, isOver: budget.isOver });`,
    { eval: true, execArgv: ["--input-type=module"] },
  );
  try {
    return await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  } finally {
    await worker.terminate();
  }
}

it.each([
  [
    "counts octets of every kind of array",
    "new Uint8Array(10); new Float64Array(10); new ArrayBuffer(10)",
    100,
  ],
  [
    "counts arrays of values and of other arrays",
    "new Uint16Array([1, 2]); new Uint8Array(new Uint8Array(3))",
    10,
  ],
  ["counts slices", "new Uint8Array(10).slice(2)", 18],
  [
    "counts no array that shows another's memory",
    "const a = new Uint8Array(10); a.subarray(2); new Uint8Array(a.buffer)",
    10,
  ],
])("%s", async (_what, code, spent) => {
  expect(await inThread(code)).toMatchObject({ spent, isOver: false });
});

it("makes no array beyond the budget, and none after it", async () => {
  const code = "try { new Uint8Array(2000) } catch {} return new Uint8Array(1)";
  expect(await inThread(code)).toMatchObject({ said: "ArraysTooLarge", isOver: true });
});

it("keeps arrays instances of their classes", async () => {
  const code =
    "const a = new Uint8Array(4); return [a instanceof Uint8Array, a.slice(1) instanceof Uint8Array, Uint8Array.from([7])[0], ArrayBuffer.isView(a)]";
  expect(await inThread(code)).toMatchObject({ said: [true, true, 7, true] });
});
