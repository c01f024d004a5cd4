/** Joins the modules that a start loads in any case. The compiler makes a file for each set of parts that share code, and each file costs a start
 *  0.2 ms: of 190 files a daemon needs 140. They become three, and the files of before name what the others import from them. */
import fs from "node:fs";
import path from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

interface Joining {
  /** Names of the source files with which each layer begins; a layer needs those before it. */
  readonly layers: readonly (readonly string[])[];
  /** Where the compiled modules are, and what it says of them. */
  readonly parts: string;
  readonly outputs: Metafile["outputs"];
  readonly outdir: string;
  readonly options: BuildOptions;
}

export async function joinModules({ layers, parts, outputs, outdir, options }: Joining): Promise<void> {
  const byFile = new Map(Object.entries(outputs).map(([place, one]) => [path.basename(place), one]));
  /** The layer of each module that is joined. */
  const layerOf = new Map<string, number>();
  const texts = layers.map((names, layer) => {
    const waiting = [...byFile]
      .filter(([, one]) => names.includes(one.entryPoint ?? ""))
      .map(([file]) => file);
    if (waiting.length !== names.length) throw new Error(`not every module is there: ${names.join(", ")}`);
    for (const file of waiting) {
      if (!layerOf.has(file)) layerOf.set(file, layer);
      for (const { path: place, kind, external } of byFile.get(file)!.imports)
        if (kind === "import-statement" && external !== true && !waiting.includes(path.basename(place)))
          waiting.push(path.basename(place));
    }
    return waiting
      .map((file) => exportsOf(file, `./${file}`, (name) => [name, `${aliasOf(file)}${name}`]))
      .join("");
  });
  const folder = path.join(parts, "layers");
  fs.mkdirSync(folder);
  for (const [layer, text] of texts.entries())
    fs.writeFileSync(
      path.join(folder, `layer-${layer}.js`),
      text.replaceAll('from "./', 'from "../').replaceAll('import "./', 'import "../'),
    );
  await build({
    ...options,
    entryPoints: texts.map((_, layer) => path.join(folder, `layer-${layer}.js`)),
    outdir,
    splitting: true,
    format: "esm",
    packages: "external",
    plugins: [asTheyAre],
  });
  for (const file of byFile.keys()) {
    const layer = layerOf.get(file);
    if (layer === undefined) fs.copyFileSync(path.join(parts, file), path.join(outdir, file));
    else
      fs.writeFileSync(
        path.join(outdir, file),
        exportsOf(file, `./layer-${layer}.js`, (name) => [`${aliasOf(file)}${name}`, name]),
      );
  }

  /** A line that exports everything of a module again, under other names. */
  function exportsOf(file: string, from: string, names: (name: string) => readonly [string, string]): string {
    const { exports } = byFile.get(file)!;
    if (exports.length === 0) return `import "${from}";\n`;
    return `export { ${exports.map((name) => names(name).join(" as ")).join(", ")} } from "${from}";\n`;
  }
}

/** Another one for each file. */
function aliasOf(file: string): string {
  return `${file.replace(/\.js$/, "").replaceAll(/\W/g, "_")}$`;
}

/** Imports of what is loaded only when it is needed. */
const asTheyAre: Plugin = {
  name: "as they are",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path: name, kind }) =>
      kind === "dynamic-import" ? { path: name, external: true } : undefined,
    ),
};
