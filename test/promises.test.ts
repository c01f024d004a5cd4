/** No promise of the program is left alone: it is awaited, returned, given a handler, or begun by `inBackground` (`src/model`). A rejection
 *  that nobody handles would end the process, or nobody would notice it. */
import path from "node:path";
import type { CallExpression, Expression, NewExpression, Node } from "typescript/unstable/ast";
import {
  isCallExpression,
  isExpressionStatement,
  isNewExpression,
  isPropertyAccessExpression,
  isVoidExpression,
} from "typescript/unstable/ast/is";
import { API, type Checker, SignatureKind, type Type, TypeFlags } from "typescript/unstable/sync";
import { expect, test } from "vitest";

const top = new URL("..", import.meta.url).pathname;
const rooms = ["src/", "protocols/", "storage/"];

test("every promise is awaited, returned, handled, or begun in the background", () => {
  const api = new API({ cwd: top });
  const project = api.updateSnapshot({ openProjects: [path.join(top, "tsconfig.json")] }).getProjects()[0]!;
  const { program, checker } = project;
  const wrong: string[] = [];
  for (const name of program.getSourceFileNames()) {
    const file = path.relative(top, name);
    if (!rooms.some((room) => file.startsWith(room))) continue;
    const source = program.getSourceFile(name)!;
    const { dropped, given } = findExpressions(source);
    const lineOf = (node: Node): string =>
      `${file}:${source.text.slice(0, node.getStart(source)).split("\n").length}`;
    checker.getTypeAtLocation(dropped).forEach((type, at) => {
      if (isPromise(checker, type)) wrong.push(`${lineOf(dropped[at]!)} nobody awaits it`);
    });
    checker.getTypeAtLocation(given).forEach((type, at) => {
      if (returnsPromise(checker, type) && isCalledForNothing(checker, given[at]!))
        wrong.push(`${lineOf(given[at]!)} who calls it does not await it`);
    });
  }
  api.close();
  expect(wrong).toEqual([]);
});

/** Values that are thrown away, and values that are given to another function. */
function findExpressions(source: Node): { readonly dropped: Expression[]; readonly given: Expression[] } {
  const dropped: Expression[] = [];
  const given: Expression[] = [];
  const visit = (node: Node): void => {
    if (isExpressionStatement(node) || isVoidExpression(node)) {
      if (isCallExpression(node.expression) && !hasHandler(node.expression)) dropped.push(node.expression);
    }
    if (isCallExpression(node) || isNewExpression(node)) given.push(...functionsGiven(node));
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return { dropped, given };
}

function functionsGiven(call: CallExpression | NewExpression): readonly Expression[] {
  // What `finally` calls is awaited, though its type does not say so.
  return methodOf(call) === "finally" ? [] : (call.arguments ?? []);
}

function hasHandler(call: CallExpression): boolean {
  const method = methodOf(call);
  return method === "catch" || (method === "then" && call.arguments.length === 2);
}

function methodOf({ expression }: CallExpression | NewExpression): string | undefined {
  return isPropertyAccessExpression(expression) ? expression.name.text : undefined;
}

function isPromise(checker: Checker, type: Type | undefined): boolean {
  return partsOf(type).some(
    (part) => part.isObjectType() && checker.getPropertyOfType(part, "then") !== undefined,
  );
}

function returnsPromise(checker: Checker, type: Type | undefined): boolean {
  return callsOf(checker, type).some((returned) => isPromise(checker, returned));
}

function isCalledForNothing(checker: Checker, argument: Expression): boolean {
  const returned = callsOf(checker, checker.getContextualType(argument));
  return returned.length > 0 && returned.every((type) => (type.flags & TypeFlags.Void) !== 0);
}

/** What the calls of a function of this type return. */
function callsOf(checker: Checker, type: Type | undefined): Type[] {
  return partsOf(type)
    .filter((part) => part.isObjectType())
    .flatMap((part) => checker.getSignaturesOfType(part, SignatureKind.Call))
    .map((signature) => checker.getReturnTypeOfSignature(signature))
    .filter((returned) => returned !== undefined);
}

function partsOf(type: Type | undefined): readonly Type[] {
  return type === undefined ? [] : type.isUnionType() ? type.getTypes() : [type];
}
