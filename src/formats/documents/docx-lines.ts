/** How far down lines of letters reach in a box or a cell that has a height of its own. No letter is measured: usual fonts need about so much. */

/** The place of a letter, in ems of its size. */
const letterWidth = 0.55;
const lineHeight = 1.15;
/** Points between the edges of a box or a cell and its text, on both sides together. */
const insetsAcross = 14;
/** Of a line, from its top to the feet of its letters. */
const shareOfLetters = 0.8;
/** Points to which a tab leads that has no stop of its own. */
const tabWidth = 36;

/** What is set in a line. Points. */
export interface LineForm {
  readonly points: number;
  readonly before: number;
  readonly after: number;
}

export class Lines {
  #down = 0;
  /** Of the letters of the line that has not ended, and of the highest picture in it. */
  #across = 0;
  #tall = 0;
  #gap = 0;
  #isBegun = false;

  /** Letters are set, whether they are seen or not. */
  write(length: number, points: number): void {
    this.#across += length * points * letterWidth;
  }

  tab(): void {
    this.#across += tabWidth;
  }

  /** Something of this height stands in the line. */
  stand(tall: number): void {
    this.#tall = Math.max(this.#tall, tall);
  }

  /** Something of this height stands below. */
  add(tall: number): void {
    this.#down += tall;
  }

  get down(): number {
    return this.#down;
  }

  /** `isOver`: the paragraph ends too. */
  end(width: number, form: LineForm, isOver: boolean): void {
    this.#down = this.#top(form) + Math.max(this.#linesIn(width) * form.points * lineHeight, this.#tall);
    this.#across = 0;
    this.#tall = 0;
    this.#gap = isOver ? form.after : 0;
    this.#isBegun = !isOver;
  }

  /** To the end of the line that has not ended. */
  bottom(width: number, form: LineForm): number {
    return this.#top(form) + Math.max(this.#linesIn(width) * form.points * lineHeight, this.#tall);
  }

  /** The same, to the feet of its letters. */
  feet(width: number, form: LineForm): number {
    const before = (this.#linesIn(width) - 1) * form.points * lineHeight;
    return this.#top(form) + Math.max(before + form.points * shareOfLetters, this.#tall);
  }

  #top({ before }: LineForm): number {
    return this.#down + (this.#isBegun ? 0 : Math.max(this.#gap, before));
  }

  #linesIn(width: number): number {
    return Math.max(1, Math.ceil(this.#across / Math.max(width - insetsAcross, 1)));
  }
}
