/** Runs in a page of Chromium. */

/** Writes the two documents of each pair into two frames, the second on top of the first, so the picture shows the difference of their
 *  pixels. Frames are reused, because a browser takes longer to make one than to fill it. */
export function writePairs(pairs) {
  for (let made = document.body.children.length; made < pairs.length; made++)
    document.body.append(
      document.createRange().createContextualFragment("<div><iframe></iframe><iframe></iframe></div>"),
    );
  for (const [at, holder] of [...document.body.children].entries()) {
    holder.hidden = at >= pairs.length;
    if (holder.hidden) delete holder.dataset.picture;
    else
      for (const [index, frame] of [...holder.children].entries()) {
        const inner = frame.contentDocument;
        inner.open();
        inner.write(pairs[at][index]);
        inner.close();
      }
  }
}

/** Shows the lines of each pair that have its texts, one pair below the other, in pictures of a limited height. Returns for each pair
 *  the number of its picture, its first line and height there, and the rectangles of each text. Returns null until all frames are
 *  loaded. With `isScrolled`, scrolls to the texts in both documents first. */
export function placePairs(asked, heights) {
  const documents = [...document.querySelectorAll("iframe")]
    .slice(0, 2 * asked.length)
    .map((frame) => frame.contentDocument);
  if (documents.some(({ readyState }) => readyState !== "complete")) return null;
  let picture = 0;
  let from = 0;
  return asked.map(({ texts, isScrolled }, at) => {
    const [first, second] = documents.slice(2 * at, 2 * at + 2);
    if (isScrolled) for (const inner of [first, second]) for (const text of texts) scrollTo(text, inner);
    const boxes = texts.map((text) => [...(rangeOf(text, first)?.getClientRects() ?? [])].map(sides));
    const seen = boxes.flat().filter(([, top, , bottom]) => bottom > 0 && top < heights.window);
    // Even numbers are whole device pixels in each density.
    const top = 2 * Math.max(0, Math.floor((Math.min(...seen.map((box) => box[1])) - heights.around) / 2));
    const bottom = Math.min(heights.window, Math.max(...seen.map((box) => box[3])) + heights.around);
    const [start, height] =
      seen.length === 0
        ? [0, heights.atLeast]
        : [top, Math.min(heights.window - top, Math.max(heights.atLeast, 2 * Math.ceil((bottom - top) / 2)))];
    if (from > 0 && from + height > heights.picture) {
      picture++;
      from = 0;
    }
    const place = from;
    from += height + heights.gap;
    const holder = document.body.children[at];
    holder.style.height = `${height}px`;
    holder.dataset.picture = picture;
    for (const frame of holder.children) frame.style.top = `${-start}px`;
    const moved = boxes.map((some) =>
      some.map(([left, up, right, down]) => [left, up - start, right, down - start]),
    );
    return { picture, from: place, height, boxes: moved };
  });
}

export function showPicture(number) {
  for (const holder of document.body.children) holder.hidden = holder.dataset.picture !== String(number);
}

/** Scrolls the document to a text. Boxes inside of it are not scrolled: what only scrolling in them shows is not visible. Returns the
 *  text's rectangle in the page. */
export function scrollTo(text, inner) {
  const range = rangeOf(text, inner);
  if (range === null) return null;
  const view = inner.defaultView;
  const [left, top, right, bottom] = sides(range.getBoundingClientRect());
  const place = [left + view.scrollX, top + view.scrollY, right + view.scrollX, bottom + view.scrollY];
  const isBeside = left < 0 || right > view.innerWidth;
  if (view !== window) view.scrollTo(isBeside ? place[0] - 40 : view.scrollX, place[1] - 100);
  return place;
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
