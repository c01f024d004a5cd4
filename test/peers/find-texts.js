/** Runs in a page of Chromium: each text with the rectangles of its lines, cut to what the boxes around it let through. */
export function findTexts() {
  const found = [];
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue ?? "";
    const parent = node.parentElement;
    if (text.trim() === "" || parent === null || ["SCRIPT", "STYLE"].includes(parent.tagName)) continue;
    const inside = [];
    let clip = [0, 0, 1024, 1e9];
    let isVisible = getComputedStyle(parent).visibility === "visible";
    let opacity = 1;
    for (let above = parent; above !== null; above = above.parentElement) {
      const style = getComputedStyle(above);
      inside.push(
        `${above.tagName.toLowerCase()}${above.getAttribute("aria-hidden")?.toLowerCase() === "true" ? "[aria-hidden]" : ""}`,
      );
      opacity *= Number(style.opacity);
      if (
        !["visible", ""].includes(style.overflowX) &&
        above !== document.body &&
        above !== document.documentElement &&
        style.display !== "inline"
      ) {
        const box = above.getBoundingClientRect();
        clip = [
          Math.max(clip[0], box.left),
          Math.max(clip[1], box.top),
          Math.min(clip[2], box.right),
          Math.min(clip[3], box.bottom),
        ];
      }
    }
    if (opacity < 0.1) isVisible = false;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = isVisible
      ? [...range.getClientRects()]
          .map((box) => [
            Math.max(clip[0], box.left),
            Math.max(clip[1], box.top),
            Math.min(clip[2], box.right),
            Math.min(clip[3], box.bottom),
          ])
          .filter(([left, top, right, bottom]) => right - left >= 2 && bottom - top >= 4)
      : [];
    found.push({ text, inside, boxes });
  }
  return found;
}
