/** Tables in a text: a row in each line, its columns between bars. A line that is indented goes on with the one before. */

export function readRows(text: string): string[][] {
  return text
    .replaceAll(/\n {2,}/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.split(" | ").map((column) => column.trim()));
}
