import { expect, it } from 'vitest';
import { accountFromSeed } from '../src/account.ts';
import { developmentSeed } from '../src/development-key.ts';

it('a development key follows from its name alone, for ever', () => {
  expect(accountFromSeed(developmentSeed('payer')).address).toBe(
    'HBKLT42EKUCR5MHCKT4BLEP2ZOHRGTR6CCNBR5LJ43NAR2I7V4C7VOVORY',
  );
});
