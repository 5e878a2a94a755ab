const WHITE_SPACE = new Set([' ', '\t', '\r', '\n']);

/** A position in JSON text. */
export class JsonCursor {
  readonly text: string;
  place = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character, or `undefined` at the end. */
  peek(): string | undefined {
    return this.text[this.place];
  }

  /** The next character that is not white space. */
  peekToken(): string | undefined {
    while (WHITE_SPACE.has(this.text[this.place] ?? '')) this.place += 1;
    return this.peek();
  }

  next(): string | undefined {
    const character = this.text[this.place];
    this.place += 1;
    return character;
  }

  /** Returns the match of a sticky pattern here and moves past it. */
  take(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = this.place;
    const match = sticky.exec(this.text)?.[0];
    this.place += match?.length ?? 0;
    return match;
  }
}
