import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openApiDocument } from "#/protocols/json/carriage/openapi.ts";
import { createRegistry, operations } from "#/protocols/json/registry.ts";

it("is an OpenAPI 3.1 document, with every reference resolved", async () => {
  const validator = new Validator();
  const document = openApiDocument(createRegistry(["watch"]));
  const { valid, errors } = await validator.validate(structuredClone(document) as never);
  expect(errors ?? []).toEqual([]);
  expect([valid, validator.version]).toEqual([true, "3.1"]);
  expect(() => validator.resolveRefs()).not.toThrow();
});

it("describes every operation, those that are not served as such", () => {
  const { paths } = openApiDocument(createRegistry(["search"])) as {
    paths: Record<string, { post: { responses: object; requestBody?: object } }>;
  };
  for (const { name } of operations) {
    const { responses, requestBody } = paths[`/v1/${name}`]!.post;
    expect([name, "200" in responses, requestBody !== undefined]).toEqual([
      name,
      name !== "search",
      name !== "search",
    ]);
  }
});
