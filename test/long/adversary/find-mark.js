/** Runs in a page of Chromium. */

/** The rectangles of each text in a document, in the document's window. */
export function boxesOf(texts, inner) {
  return texts.map((text) => [...(rangeOf(text, inner)?.getClientRects() ?? [])].map(sides));
}

/** Scrolls the boxes around a text to it as a person could, and gives its rectangle in the page. Boxes that cut off what does not
 *  fit are not scrolled. */
export function scrollTo(text) {
  const range = rangeOf(text, document);
  if (range === null) return null;
  const above = [];
  for (let box = range.startContainer.parentElement; box !== null; box = box.parentElement)
    above.unshift(box);
  for (const box of above) {
    if (box === document.scrollingElement || box.clientWidth < 60 || box.clientHeight < 40) continue;
    const { overflowX, overflowY } = getComputedStyle(box);
    const inside = range.getBoundingClientRect();
    const outside = box.getBoundingClientRect();
    if (["auto", "scroll"].includes(overflowY)) box.scrollTop += inside.top - outside.top - 5;
    if (["auto", "scroll"].includes(overflowX)) box.scrollLeft += inside.left - outside.left - 5;
  }
  const [left, top, right, bottom] = sides(range.getBoundingClientRect());
  return [left + scrollX, top + scrollY, right + scrollX, bottom + scrollY];
}

function rangeOf(text, inner) {
  const walker = inner.createTreeWalker(inner, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const at = node.nodeValue.indexOf(text);
    if (at < 0) continue;
    const range = inner.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + text.length);
    return range;
  }
  return null;
}

function sides({ left, top, right, bottom }) {
  return [left, top, right, bottom];
}
