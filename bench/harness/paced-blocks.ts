import type { DevControls } from '@avm402/devnode';

/**
 * Makes the blocks of a node that makes none by itself, at a pace that can change: fast while programs warm up, and as
 * slow as on a public network while they are measured.
 */
export class PacedBlocks {
  readonly #controls: DevControls;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(controls: DevControls) {
    this.#controls = controls;
  }

  every(seconds: number): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.#last = this.#controls.mine();
    }, seconds * 1000);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
  }
}
