/** Runs before each test file, before anything of the program: a test may hand in another value of a limit (`test/limits`). The tables of limits
 *  are loaded with variables in place of constants; their values are those of the source. */
import { registerHooks } from "node:module";

const tables = /\/(?:src|protocols)\/\w+\/limits\.ts$/;
const global = globalThis as { limitsCanBeHanded?: true };

if (global.limitsCanBeHanded === undefined) {
  global.limitsCanBeHanded = true;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!tables.test(url) || loaded.source === undefined || loaded.source === null) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
      const names = [...source.matchAll(/^export const (\w+)/gm)].map(([, name]) => name!);
      const setters = names.map((name) => `${name}(value) { ${name} = value; }`);
      return {
        ...loaded,
        source: `${source.replaceAll(/^export const /gm, "export let ")}\nexport const handIn = { ${setters} };\n`,
      };
    },
  });
}
