/** Runs in Chromium: draws PDFs with pdf.js on a canvas, and compares pictures. */
export function pdfJudge(pdfjs) {
  const luminances = async (base64) => {
    const data = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const document = await pdfjs.getDocument({ data, useSystemFonts: true, verbosity: 0 }).promise;
    const page = await document.getPage(1);
    const viewport = page.getViewport({ scale: 1.5 });
    const canvas = globalThis.document.createElement("canvas");
    canvas.width = viewport.width;
    canvas.height = viewport.height;
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    await page.render({ canvasContext: context, canvas, viewport }).promise;
    const { data: pixels } = context.getImageData(0, 0, canvas.width, canvas.height);
    await document.loadingTask.destroy();
    const linear = (value) => (value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const all = new Float32Array(pixels.length / 4);
    for (let at = 0; at < all.length; at++)
      all[at] =
        0.2126 * linear(pixels[4 * at]) +
        0.7152 * linear(pixels[4 * at + 1]) +
        0.0722 * linear(pixels[4 * at + 2]);
    return all;
  };
  const differing = (one, other) => {
    let count = 0;
    for (let at = 0; at < one.length; at++) {
      const high = Math.max(one[at], other?.[at] ?? 1);
      const low = Math.min(one[at], other?.[at] ?? 1);
      if ((high + 0.05) / (low + 0.05) >= 1.35) count++;
    }
    return count;
  };
  /** Of each text, the pixels that it changes, and those that it has alone on paper. */
  return async (whole, texts) => {
    const all = await luminances(whole);
    const found = [];
    for (const { without, alone } of texts)
      found.push([differing(all, await luminances(without)), differing(await luminances(alone))]);
    return found;
  };
}
