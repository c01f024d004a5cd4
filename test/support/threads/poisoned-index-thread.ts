/** The indexing thread with two texts that break it: "poison that ends" ends its process, "poison that hangs" makes it hang. */
const normalize = String.prototype.normalize;
String.prototype.normalize = function (this: string, form?: string): string {
  if (this.includes("poison that ends")) process.exit(1);
  while (this.includes("poison that hangs"));
  return normalize.call(this, form);
};
await import("#/src/render/indexing/index-thread.ts");
