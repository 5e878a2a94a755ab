import { it } from 'vitest';
import { killBuyer } from './channel-kill.ts';

it('a buyer that is killed 2 times finds all of its channels, and gets back what it has not spent, to the unit', () =>
  killBuyer(2));
