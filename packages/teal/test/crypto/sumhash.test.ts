import { describe, expect, it } from 'vitest';
import { sumhash512 } from '../../src/crypto/sumhash.ts';
import { CURRENT_PARAMETERS, EMPTY_ENVIRONMENT } from '../../src/run.ts';
import { runHex } from '../program.ts';

// Of the test vectors of go-sumhash.
const VECTORS: readonly [message: string, hash: string][] = [
  [
    '',
    '591591c93181f8f90054d138d6fa85b63eeeb416e6fd201e8375ba05d3cb55391047b9b64e534042562cc61944930c0075f906f16710cdade381ee9dd47d10a0',
  ],
  [
    'a',
    'ea067eb25622c633f5ead70ab83f1d1d76a7def8d140a587cb29068b63cb6407107aceecfdffa92579ed43db1eaa5bbeb4781223a6e07dd5b5a12d5e8bde82c6',
  ],
  [
    'abc',
    'a8e9b8259a93b8d2557434905790114a2a2e979fbdc8aa6fd373315a322bf0920a9b49f3dc3a744d8c255c46cd50ff196415c8245cdbb2899dec453fca2ba0f4',
  ],
  [
    'You must be the change you wish to see in the world. -Mahatma Gandhi',
    '5c5f63ac24392d640e5799c4164b7cc03593feeec85844cc9691ea0612a97caabc8775482624e1cd01fb8ce1eca82a17dd9d4b73e00af4c0468fd7d8e6c2e4b5',
  ],
];

describe('sumhash512', () => {
  it.each(VECTORS)('of "%s"', (message, hash) => {
    expect(Buffer.from(sumhash512(Buffer.from(message))).toString('hex')).toBe(hash);
  });

  it('is an opcode of version 14, which today’s networks do not run', () => {
    expect(runHex('0e 800161 86').error?.message).toBe('program version 14 greater than max supported version 13');
    const parameters = { ...CURRENT_PARAMETERS, programVersion: 14n };
    const { stack, cost } = runHex('0e 800161 86', { environment: { ...EMPTY_ENVIRONMENT, parameters } });
    expect(Buffer.from(stack[0] instanceof Uint8Array ? stack[0] : []).toString('hex')).toBe(VECTORS[1]?.[1]);
    expect(cost).toBe(1 + 150 + 7);
  });
});
