import { afterEach, expect, test } from 'vitest';
import { FIRST_HOUR, firstHourByPorts, stopNodes } from './first-hour-of-a-kit.ts';

afterEach(stopNodes);

test('the first hour of algokit-utils-10 needs only the ports in the environment', async () => {
  expect(await firstHourByPorts('algokit-utils-10')).toEqual(FIRST_HOUR);
});
