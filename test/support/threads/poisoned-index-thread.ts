/** The indexing thread, in which certain words are more than it can bear: "ends" ends it, "hangs" keeps it for good. */
const normalize = String.prototype.normalize;
String.prototype.normalize = function (this: string, form?: string): string {
  if (this.includes("poison that ends")) process.exit(1);
  while (this.includes("poison that hangs"));
  return normalize.call(this, form);
};
await import("#/src/render/indexing/index-thread.ts");
