import { afterEach, expect, test } from 'vitest';
import { FIRST_HOUR, firstHourByDefaults, firstHourByPorts, stopNodes } from './first-hour-of-a-kit.ts';

afterEach(stopNodes);

test('the first hour of algokit-utils-9 needs only the ports in the environment', async () => {
  expect(await firstHourByPorts('algokit-utils-9')).toEqual(FIRST_HOUR);
});

test.each(['algokit-utils-9', 'algokit-utils-10'] as const)(
  'the first hour of %s needs nothing at all, as with LocalNet',
  async (kit) => {
    expect(await firstHourByDefaults(kit)).toEqual(FIRST_HOUR);
  },
);
