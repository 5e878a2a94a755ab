import { expect, inject, test } from 'vitest';
import { changedSimulations } from './replay/changed-simulations.ts';
import { scenarioNames } from './replay/recording.ts';

/** A program can't run longer than its budget allows, however its bytes came about. */
const MAX_MS = 5000;
const TIMES = 10 * inject('soakShare');

test.each(scenarioNames('applications'))(
  'changed simulations of %s neither break the node nor keep it busy',
  async (name) => {
    const { internalErrors, slowestMs } = await changedSimulations(name, TIMES);
    expect(internalErrors).toEqual([]);
    expect(slowestMs).toBeLessThan(MAX_MS);
  },
);
