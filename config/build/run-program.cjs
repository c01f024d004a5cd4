// The start of the one binary and of each of its threads: runs the asset that has the name of the thread, with the code that V8 compiled of
// it when the binary was built. V8 takes that code only if it is of the same version and flags; without it, V8 compiles the asset itself.
const sea = require("node:sea");
const vm = require("node:vm");
const { isMainThread, threadName } = require("node:worker_threads");

const name = isMainThread ? "main" : threadName;
const hasCode = sea.getAssetKeys().includes(`${name}.code`);
// The bundle has ASCII only.
const script = new vm.Script(Buffer.from(sea.getRawAsset(`${name}.cjs`)).latin1Slice(), {
  filename: `${name}.cjs`,
  cachedData: hasCode ? Buffer.from(sea.getRawAsset(`${name}.code`)) : undefined,
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext()(require);
