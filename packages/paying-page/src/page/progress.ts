import { element } from './element.ts';

/** The steps of a payment, in order. */
const STEPS = ['connect', 'ask', 'sign', 'settle', 'open'] as const;
export type Step = (typeof STEPS)[number];

/** The steps of one payment as a list, one of them under way. */
export class Progress {
  readonly list = element('ol', { class: 'steps' });
  readonly #items: ReadonlyMap<Step, HTMLLIElement>;

  constructor(words: Readonly<Record<Step, string>>) {
    this.#items = new Map(STEPS.map((step) => [step, element('li', {}, words[step])]));
    this.list.append(...this.#items.values());
  }

  /** Moves to a step and marks those before it as done. */
  at(step: Step): void {
    const reached = STEPS.indexOf(step);
    for (const [index, name] of STEPS.entries()) {
      const item = this.#items.get(name);
      item?.toggleAttribute('data-done', index < reached);
      if (index === reached) item?.setAttribute('aria-current', 'step');
      else item?.removeAttribute('aria-current');
    }
  }

  /** Marks that no step is under way any more. */
  stop(): void {
    for (const item of this.#items.values()) item.removeAttribute('aria-current');
  }
}
