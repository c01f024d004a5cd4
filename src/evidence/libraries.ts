/** Libraries that are loaded when they are first needed, because they take 100 ms of a processor or more. `import()` of a loaded one still
 *  takes a part of a mail's time, so each is asked for once; a failure is not kept. */

function once<Library>(load: () => Promise<Library>): () => Promise<Library> {
  let library: Library | undefined;
  return async () => {
    library ??= await load();
    return library;
  };
}

export const libraries = {
  arc: once(() => import("mailauth/lib/arc/index.js")),
  dkimVerifier: once(() => import("mailauth/lib/dkim/dkim-verifier.js")),
  dkimHeaders: once(() => import("mailauth/lib/parse-dkim-headers.js")),
  dmarc: once(() => import("mailauth/lib/dmarc/index.js")),
  spf: once(() => import("mailauth/lib/spf/index.js")),
  suffixes: once(() => import("tldts")),
};
